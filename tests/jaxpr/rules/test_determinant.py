"""log |det| by its own rule: exact, recognised by what it is, and apart for rows and columns that are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, assert_exact, coefficients, points, reference

x = points(12, low=-1.0, high=1.0)
W = np.random.default_rng(0).normal(size=(3, 6))
V = np.random.default_rng(1).normal(size=(6, 4))


def orbitals(x):
    """Row i depends on particle i."""
    return jnp.tanh(x.reshape(4, 3) @ W) @ V


def plane_waves(x):
    """Row i depends on particle i."""
    return orbitals(x) * jnp.exp(1j * (x.reshape(4, 3) @ W[:, :4]))


def complex_log(sign, log):
    return log + 1j * jnp.angle(sign)


def sum_of_determinants(matrices):
    sign, log = jnp.linalg.slogdet(matrices)
    return jnp.log(jnp.sum(sign * jnp.exp(log)))


CASES = {
    "rows": lambda x: jnp.linalg.slogdet(orbitals(x))[1],
    "columns": lambda x: jnp.linalg.slogdet(orbitals(x).T)[1],
    "all together": lambda x: jnp.linalg.slogdet(jnp.outer(x[:4], jnp.sin(x[4:8])) + jnp.diag(3 + x[8:]))[1],
    "stacked": lambda x: jax.nn.logsumexp(jnp.linalg.slogdet(jnp.stack([orbitals(x), jnp.sin(orbitals(x))]))[1]),
    "mapped": lambda x: jax.vmap(jnp.linalg.slogdet)(jnp.stack([orbitals(x), jnp.sin(orbitals(x))]))[1],
    "sign too": lambda x: jnp.prod(jnp.stack(jnp.linalg.slogdet(orbitals(x)))),
    "in a loop": lambda x: jax.lax.scan(
        lambda c, t: (c + jnp.linalg.slogdet(t * orbitals(x) + c * jnp.eye(4))[1], None), 0.1, jnp.arange(1.0, 3.0)
    )[0],
    "of two particles": lambda x: jnp.linalg.slogdet(orbitals(x)[:2, :2])[1],
    "of two particles, mapped": lambda x: jax.vmap(jnp.linalg.slogdet)(orbitals(x).reshape(4, 2, 2))[1],
    "complex, of two particles": lambda x: complex_log(*jnp.linalg.slogdet(plane_waves(x)[:2, :2])),
    "complex": lambda x: jnp.linalg.slogdet(plane_waves(x))[1],
    "phase": lambda x: jnp.linalg.slogdet(plane_waves(x))[0],
    "complex log": lambda x: complex_log(*jnp.linalg.slogdet(plane_waves(x))),
    "complex stacked": lambda x: sum_of_determinants(jnp.stack([plane_waves(x), orbitals(x) + 0j])),
    "complex mapped": lambda x: jax.vmap(jnp.linalg.slogdet)(jnp.stack([plane_waves(x), plane_waves(x).T]))[0],
}


@pytest.mark.parametrize("name", CASES)
def test_exact(name):
    assert_exact(CASES[name], x)


def general_steps(f):
    found = dof.explain(dof.laplacian, f, x)
    return [e for e in found.equations if e.lost and "as a whole" in e.lost]


@pytest.mark.parametrize("name", CASES)
def test_recognised(name):
    assert not general_steps(CASES[name])


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_rows_and_columns_stay_apart(name):
    products = [e for e in dof.explain(dof.laplacian, CASES[name], x).equations if e.primitive == "dot_general"]
    assert [(e.slots, e.directions) for e in products] == 3 * [(3, 12)]


def test_cost_of_many_particles():
    """Without the rule each of 3 n directions is a solution of n linear equations in n unknowns."""

    def flops(**how):
        f = lambda x: jnp.linalg.slogdet(jnp.tanh(x.reshape(16, 3) @ np.ones((3, 16)) + np.eye(16)))[1]  # noqa: E731
        compiled = jax.jit(dof.laplacian(f, **how)).lower(jnp.ones(48)).compile()
        return compiled.cost_analysis()["flops"]

    assert flops() < flops(structure="dense") / 5


def test_a_derivative_of_ones_own_is_kept():
    """The same value and the same name, and another derivative."""

    @jax.custom_jvp
    def slogdet(m):
        return tuple(jnp.linalg.slogdet(m))

    @slogdet.defjvp
    def _(primals, tangents):
        (sign, value), (g,) = slogdet(*primals), tangents
        return (sign, value), (jnp.zeros_like(sign), jnp.sum(g * primals[0]))

    f = lambda x: slogdet(orbitals(x))[1]  # noqa: E731
    assert_exact(f, x)
    assert general_steps(f)


def test_derivatives_of_the_result():
    def of_weights(w, x):
        return jnp.linalg.slogdet(jnp.tanh(x.reshape(4, 3) @ w) @ V)[1]

    a, b, c = coefficients(12)
    L = dof.Operator(a=a, b=b, c=c)
    found = jax.jit(jax.grad(lambda w: L(of_weights, argnums=1)(w, x)))(W)
    expected = jax.jit(jax.grad(lambda w: reference(a, b, c, lambda x: of_weights(w, x))(x)))(W)
    assert_close(found, expected, 1e-8)


def test_nested():
    f, small = lambda x: jnp.linalg.slogdet(jnp.diag(2 + x**2) + jnp.outer(x, jnp.sin(x)))[1], x[:3]
    unit = reference(np.eye(3), np.zeros(3), 0.0, reference(np.eye(3), np.zeros(3), 0.0, f))
    assert_close(jax.jit(dof.laplacian(dof.laplacian(f)))(small), jax.jit(unit)(small), 1e-8)
