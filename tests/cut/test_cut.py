"""Where few values carry all influence of x, they take its place, and everything stays exact."""

from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dof
from oracle import assert_close, reference

RNG = np.random.default_rng(3)
N, H, M = 40, 5, 12
X = jnp.asarray(RNG.normal(size=N) / 3)
SHAPES = ((N, H), (H, M), (M, M), (M,))
WEIGHTS = tuple(jnp.asarray(RNG.normal(size=shape) / np.sqrt(shape[0])) for shape in SHAPES)
A, B = RNG.normal(size=(N, N)), RNG.normal(size=N)


def net(weights, x):
    first, second, third, last = weights
    return jnp.tanh(jnp.tanh(jnp.tanh(x @ first) @ second) @ third) @ last


def by_scan(weights, x):
    first, second, third, last = weights
    layers = jnp.stack([third, -third])
    return jax.lax.scan(lambda h, w: (jnp.tanh(h @ w), None), jnp.tanh(x @ first @ second), layers)[0] @ last


def chosen(weights, x):
    """Which branch is taken depends on what comes after the cut."""
    u = net(weights, x)
    return jnp.where(u > 0, jnp.sum(x) * u, u**2) + jnp.where(x[0] > 0, 1.0, 2.0) * u


NETWORKS = {
    "plain": (net, H),
    "times": (lambda w, x: (1 - jnp.sum(x**2)) * net(w, x), H + 1),
    "times_dot": (lambda w, x: (1 - x @ x) * net(w, x), H + 1),
    "times_norm": (lambda w, x: jnp.linalg.norm(x) * net(w, x), H + 1),
    "plus": (lambda w, x: net(w, x) + jnp.sum(jnp.sin(x) * x), H),
    "jitted": (lambda w, x: jax.jit(lambda x: jnp.exp(-jnp.sum(x**2)) * jax.jit(net)(w, 2 * x))(x), H + 1),
    "scan": (by_scan, H),
    "checkpoint": (lambda w, x: jax.checkpoint(lambda h: jnp.tanh(jnp.tanh(h @ w[1]) @ w[2]) @ w[3])(x @ w[0]), H),
    "chosen": (chosen, H + 1),
    "several": (lambda w, x: (net(w, x), jnp.sum(x**3), 2 * x, x @ w[0]), H),
    "complex": (lambda w, x: jnp.tanh(jnp.abs(jnp.tanh(x @ w[0] * (1 + 2j)) @ w[1]) @ w[2]) @ w[3], H),
}

OPERATORS = {
    "laplacian": (lambda a: dof.laplacian, np.eye(N), 0 * B, 0.0),
    "diagonal": (lambda a: dof.Operator(np.diag(A), B), np.diag(np.diag(A)), B, 0.0),
    "dense": (lambda a: dof.Operator(A, B, 0.3), A, B, 0.3),
    "diagonal_at_run_time": (lambda a: dof.Operator(jnp.diag(a), B, 0.3), np.diag(np.diag(A)), B, 0.3),
    "dense_at_run_time": (lambda a: dof.Operator(a, B, 0.3), A, B, 0.3),
}
CASES = [(n, "laplacian") for n in NETWORKS] + [("times", o) for o in OPERATORS if o != "laplacian"]


@pytest.mark.parametrize("network, operator", CASES)
def test_networks(network, operator):
    f, width = NETWORKS[network]
    L, a, b, c = OPERATORS[operator]
    (cut,) = dof.explain(L(jnp.asarray(A)), f, WEIGHTS, X, argnums=1).cuts
    assert (cut.before, cut.after) == (N, width)
    found = jax.jit(lambda a, w, x: L(a)(f, argnums=1)(w, x))(A, WEIGHTS, X)
    assert_close(found, jax.jit(reference(a, b, c, partial(f, WEIGHTS)))(X))


def with_first(first):
    return (jnp.asarray(first), *WEIGHTS[1:])


FIRST_LAYERS = {
    "full_rank": WEIGHTS[0],
    "zero": np.zeros((N, H)),
    "repeated": np.repeat(WEIGHTS[0][:, :1], H, axis=1),
}


def test_derivatives_in_everything():
    """First and second ones in the weights, first ones in x and in coefficients, for any rank of the first layer."""
    f, batch = NETWORKS["times"][0], jnp.stack([X, -2 * X])
    along = jax.tree.map(lambda w: jnp.cos(jnp.arange(w.size)).reshape(w.shape), WEIGHTS)

    def of_dof(a, weights, x):
        return dof.Operator(a=a, b=B)(f, argnums=1)(weights, x)

    def of_oracle(a, weights, x):
        return reference(jnp.diag(a), B, 0.0, partial(f, weights))(x)

    def derivatives(apply, a, weights, batch):
        loss = lambda a, w, x: jnp.mean(jax.vmap(partial(apply, a, w))(x) ** 2)  # noqa: E731
        slope = partial(jax.grad(loss, argnums=1), a)
        return jax.grad(loss, argnums=(0, 1, 2))(a, weights, batch), jax.jvp(
            lambda w: slope(w, batch), (weights,), (along,)
        )

    loss = lambda apply, w: jnp.sum(jax.vmap(partial(apply, np.diag(A), w))(batch) ** 2)  # noqa: E731
    by_dof, by_oracle = (jax.jit(partial(derivatives, apply)) for apply in (of_dof, of_oracle))
    known, known_by_oracle = (jax.jit(jax.grad(partial(loss, apply))) for apply in (of_dof, of_oracle))
    for first in FIRST_LAYERS.values():
        weights = with_first(first)
        assert_close(by_dof(jnp.diag(A), weights, batch), by_oracle(jnp.diag(A), weights, batch), 1e-8)
        assert_close(known(weights), known_by_oracle(weights), 1e-8)


def test_nested_operators():
    L, f = dof.laplacian, lambda x: net(WEIGHTS, x) * jnp.sum(x**2)
    twice = reference(np.eye(N), 0 * B, 0.0, reference(np.eye(N), 0 * B, 0.0, f))
    assert_close(jax.jit(L(L(f)))(X[:N]), jax.jit(twice)(X[:N]), 1e-9)


def test_waist():
    """Of an encoder with a narrow waist only that many directions go on; the wide ends do not come back."""
    sizes = [400, 64, 8, 64, 64, 1]
    layers = [jnp.asarray(RNG.normal(size=s) / np.sqrt(s[0])) for s in pairwise(sizes)]
    x = jnp.asarray(RNG.normal(size=400))

    def autoencoder(x):
        for w in layers[:-1]:
            x = jnp.tanh(x @ w)
        return jnp.sum(x @ layers[-1])

    found = dof.explain(dof.laplacian, autoencoder, x)
    assert [(cut.before, cut.after) for cut in found.cuts] == [(400, 64), (64, 8)]
    last = [e for e in found.equations if e.primitive == "dot_general"][-1]
    assert last.directions == 8
    assert_close(
        jax.jit(dof.laplacian(autoencoder))(x), jax.jit(dof.laplacian(autoencoder, structure="dense", cut=None))(x)
    )


def test_what_has_no_derivative_and_is_masked_is_not_seen():
    """The norm of a group that vanishes; only a mask that comes after the cut hides it."""
    rng = np.random.default_rng(2)
    q, w, v = (jnp.asarray(rng.normal(size=s) / np.sqrt(s[0])) for s in ((50, 8), (200, 8), (8, 64)))
    head = lambda h: jnp.sum(jnp.tanh(jnp.tanh(h @ v) @ v.T @ v))  # noqa: E731

    def f(x):
        norms = jnp.linalg.norm(x.reshape(50, 4), axis=1)
        return head(jnp.where(jnp.min(norms) > 0, norms @ q, 0.0)) + head(x @ w)

    x = jnp.asarray(rng.normal(size=200)).at[:4].set(0.0)
    assert dof.explain(dof.laplacian, f, x).cuts
    assert_close(jax.jit(dof.laplacian(f))(x), jax.jit(reference(np.eye(200), 0 * x, 0.0, f))(x))


def test_several_channels():
    L1, L2 = dof.Operator(a=A, c=2.0), dof.Operator(a=np.diag(A) * (1 + 2j), b=B)
    f = partial(NETWORKS["times"][0], WEIGHTS)
    expected = reference(A, 0 * B, 2.0, f)(X), reference(np.diag(np.diag(A)) * (1 + 2j), B, 0.0, f)(X)
    assert dof.explain(dof.jointly(L1, L2), f, X).cuts[0].after == H + 1
    assert_close(jax.jit(dof.jointly(L1, L2)(f))(X), expected)


def test_propagate_gives_the_directions_of_the_user():
    f = lambda x: (NETWORKS["times"][0](WEIGHTS, x), x @ WEIGHTS[0])  # noqa: E731
    triples, slopes = jax.jit(lambda x: (dof.propagate(f, dof.laplacian)(x), jax.jacfwd(f)(x)))(X)
    assert_close([t.tangents for t in triples], [jnp.moveaxis(s, -1, 0) for s in slopes])


def flops(points, size=2000):
    weights = (jnp.ones((size, 64)), jnp.ones((64, 64)), jnp.ones((64, 64)), jnp.ones(64))
    f = jax.vmap(partial(dof.laplacian(NETWORKS["times"][0], argnums=1), weights))
    return jax.jit(f).lower(jnp.ones((points, size))).compile().cost_analysis()["flops"]


def test_what_depends_on_weights_only_is_computed_once_per_batch():
    """The sums over all pairs of columns of the first weights, 2000 · 64² products and sums."""
    of_weights = 2 * 2000 * 64**2
    assert flops(1) > of_weights
    assert (flops(9) - flops(1)) / 8 < of_weights / 4


def test_cost_is_linear_in_the_number_of_inputs():
    assert flops(4, 4000) / flops(4, 2000) < 2.1


def test_many_inputs_take_no_more_memory_than_the_weights():
    size = 30_000
    weights = (jnp.ones((size, 32)), jnp.ones((32, 32)), jnp.ones((32, 32)), jnp.ones(32))
    f = jax.vmap(dof.laplacian(NETWORKS["times"][0], argnums=1), (None, 0))
    compiled = jax.jit(f).lower(weights, jnp.ones((4, size))).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 3 * weights[0].nbytes


def test_no_cut_where_none_helps():
    wide = lambda x: jnp.sum(jnp.tanh(jnp.tanh(x @ jnp.ones((N, 2 * N))) @ jnp.ones((2 * N, 2 * N))))  # noqa: E731
    assert not dof.explain(dof.laplacian, wide, X).cuts
    assert not dof.explain(dof.laplacian, partial(net, WEIGHTS), X, cut=None).cuts
    thin = dof.Operator(a=dof.Factored(np.ones((2, N))))
    assert not dof.explain(thin, partial(net, WEIGHTS), X).cuts


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 2**31))
def test_random_programs(seed):
    """Any cut that a random program has, worth it or not, leaves the result as it is."""
    rng = np.random.default_rng(seed)
    f, x = random_program(rng), jnp.asarray(rng.normal(size=6))
    a = rng.normal(size=(6, 6))
    L = dof.Operator(a=a, b=a[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dof.cut.min_cut.WORTH", -1e9)
        cuts = dof.explain(L, f, x).cuts
        found = jax.jit(L(f))(x)
    assert_close(found, reference(a, a[0], 0.0, f)(x), 1e-9)
    assert len(cuts) < 20


STEPS = [
    lambda one, two, weights: jnp.tanh(one),
    lambda one, two, weights: one @ weights[: one.shape[0]],
    lambda one, two, weights: one * jnp.sum(two),
    lambda one, two, weights: jnp.concatenate([one[:1], two[:2] ** 2]),
    lambda one, two, weights: jnp.where(jnp.sum(two) > 0.1, one, 2 * one),
    lambda one, two, weights: one - jnp.mean(two),
    lambda one, two, weights: jax.lax.stop_gradient(two)[:1] * jnp.sin(one),
]


def random_program(rng):
    """Values made of earlier ones, again and again; the last ones are added up."""
    weights = rng.normal(size=(6, 6)) / 2
    plan = [(STEPS[rng.integers(7)], rng.integers(n + 1), rng.integers(n + 1), rng.integers(1, 6)) for n in range(8)]

    def f(x):
        values = [x]
        for step, i, j, size in plan:
            values.append(step(values[i], values[j], weights[:, :size]))
        return sum(jnp.sum(value) for value in values[-3:])

    return f
