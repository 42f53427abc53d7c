"""Estimates by random directions: their mean is exact, and their variance is Hutchinson's."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, normal, points

N = 5
X = points(N)
W, V = normal(N, 7, seed=1), normal(7, seed=2)
SIGNS = jnp.asarray(list(product((-1.0, 1.0), repeat=N)))


def net(x):
    return jnp.tanh(x @ W) @ V + jnp.prod(x)


def indefinite(rank_of_negative=2):
    rows = normal(N, N, seed=3)
    return rows.T @ np.diag([1.0] * (N - rank_of_negative) + [-1.0] * rank_of_negative) @ rows


OPERATORS = {
    "laplacian": dof.laplacian,
    "indefinite": dof.Operator(a=indefinite(), b=normal(N, seed=4), c=0.7),
    "low rank": dof.Operator(a=dof.Factored(normal(3, N, seed=5), np.array([1.0, -1.0, 1.0])), c=1.0),
    "a function of x": dof.Operator(a=lambda x: jnp.outer(x, x) + jnp.diag(jnp.sin(x) - 0.5), b=lambda x: x),
    "a diagonal of x": dof.Operator(a=lambda x: x - 0.5),
    "complex": dof.Operator(a=indefinite() * (1 + 0.5j), b=normal(N, seed=4)),
    "sum": dof.laplacian + (lambda x: x[0]) * dof.Operator(a=dof.Factored(normal(3, N, seed=6))),
}


@pytest.fixture
def all_signs(monkeypatch):
    """In place of random signs those of all 2^N vectors, by number: the mean over the numbers is the expectation."""

    def signs(key, shape, dtype):
        # All beginnings of the vectors are equally frequent. A part that has more than N directions gets them twice,
        # one half turned, which is still uncorrelated.
        return jnp.resize(jnp.concatenate([SIGNS[key], jnp.roll(SIGNS[key], 1) * SIGNS[key]]), shape).astype(dtype)

    monkeypatch.setattr(jax.random, "rademacher", signs)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_expectation_over_all_signs_is_exact(name, all_signs):
    L = OPERATORS[name]
    both = jax.jit(lambda x: (jax.vmap(lambda n: dof.estimate(L, samples=1)(net)(n, x))(jnp.arange(2**N)), L(net)(x)))
    found, exact = both(X)
    assert jnp.std(found) > 1e-3 * abs(exact)  # they differ from draw to draw
    assert_close(found.mean(), exact, 1e-10)


def test_the_variance_is_hutchinsons(all_signs):
    found = jax.jit(jax.vmap(lambda n: dof.estimate(dof.laplacian, samples=1)(net)(n, X)))(jnp.arange(2**N))
    hessian = np.asarray(jax.jit(jax.hessian(net))(X))
    assert_close(np.var(found), 2 * np.sum((hessian - np.diag(np.diag(hessian))) ** 2), 1e-10)


def test_the_mean_over_keys_and_over_choices_of_coordinates():
    """Within five standard errors; the keys are fixed."""
    L = OPERATORS["indefinite"]
    for along in ("signs", "coordinates"):
        keys = jax.random.split(jax.random.key(3), 2000)
        found = jax.jit(jax.vmap(lambda key, along=along: dof.estimate(L, 2, along)(net)(key, X)))(keys)
        assert np.std(found) > 0
        assert abs(np.mean(found) - jax.jit(L(net))(X)) < 5 * np.std(found) / len(keys) ** 0.5


def test_a_choice_of_all_coordinates_but_one_is_unbiased_exactly(monkeypatch):
    left_out = lambda key, r, shape, replace: (key + 1 + jnp.arange(r - 1)) % r  # noqa: E731
    monkeypatch.setattr(jax.random, "choice", left_out)
    estimated = dof.estimate(dof.laplacian, N - 1, along="coordinates")(net)
    found = jax.jit(jax.vmap(lambda n: estimated(n, X)))(jnp.arange(N))
    assert jnp.std(found) > 0
    assert_close(found.mean(), dof.laplacian(net)(X), 1e-10)


def test_enough_samples_for_the_rank_are_exact():
    enough = {"laplacian": N, "indefinite": 3, "low rank": 2, "a function of x": 3}

    def both(x):
        pairs = [(OPERATORS[name], samples) for name, samples in enough.items()]
        return [dof.estimate(*pair)(net)(jax.random.key(0), x) for pair in pairs], [L(net)(x) for L, _ in pairs]

    assert_close(*jax.jit(both)(X), 1e-10)


def test_it_is_differentiable_and_takes_batches_pytrees_and_several_operators():
    key, several = jax.random.key(1), jnp.stack([X, 2 * X])

    def loss(scale):
        f = lambda tree, t: {"y": scale * net(tree["x"]) * t}  # noqa: E731
        pair = dof.estimate(dof.jointly(dof.laplacian, OPERATORS["indefinite"]), 2)(f)
        at = lambda x: jnp.stack([part["y"] for part in pair(key, {"x": x}, 3.0)])  # noqa: E731
        return jnp.sum(dof.batched(at)(several) ** 2)

    def by_hand(scale):
        ones = [dof.estimate(L, 2)(lambda x: 3 * net(x)) for L in (dof.laplacian, OPERATORS["indefinite"])]
        return sum(jnp.sum((scale * jax.vmap(one, (None, 0))(key, several)) ** 2) for one in ones)

    found, expected = jax.jit(lambda s: (jax.value_and_grad(loss)(s), jax.value_and_grad(by_hand)(s)))(1.3)
    assert_close(found, expected, 1e-9)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (lambda: dof.estimate(dof.laplacian**2), "`L` has an order above two"),
        (lambda: dof.estimate(dof.laplacian, samples=0), "`samples` is 0"),
        (lambda: dof.estimate(dof.laplacian, along="x"), "`along` is 'x'"),
        (lambda: dof.estimate(dof.laplacian)(net)(X), "`key` is .*before the arguments of f"),
    ],
)
def test_mistakes_are_told(run, said):
    with pytest.raises(dof.DofError, match=f"(?s){said}"):
        run()
