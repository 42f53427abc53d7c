"""The one oracle: nested automatic differentiation in float64.

It shares no code with dof on purpose: an oracle that used a function of dof could not see an error in it.
"""

import functools
from functools import cache

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

import dof

TOLERANCE = 1e-10


def points(*shape, low=0.2, high=0.9):
    """Coordinates of one point, away from the kinks and poles of the functions that are tested."""
    return jnp.asarray(np.random.default_rng(7).uniform(low, high, shape))


def normal(*shape, seed=0):
    """Normally distributed numbers that depend on nothing but shape and seed."""
    return np.random.default_rng(seed).normal(size=shape)


def coefficients(n, seed=0):
    """An indefinite dense A that is not symmetric, b and c."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)), rng.normal(size=n), 0.7


def derivatives(f, x):
    """f, its gradient and its Hessian on the flattened x, for one array or a pytree of arrays as result."""
    flat, unravel = jax.flatten_util.ravel_pytree(x)

    def smooth(v):
        value = jax.tree.map(lambda y: jnp.asarray(y) * 1.0, f(unravel(v)))
        return value, value

    def with_slope(v):
        slope, value = jax.jacfwd(smooth, has_aux=True)(v)
        return slope, (value, slope)

    hessian, (value, slope) = jax.jacfwd(with_slope, has_aux=True)(flat)
    return value, slope, hessian


def contracted(a, b, c, of_f):
    """L f of the derivatives of f, which may be arrays of NumPy or of JAX."""

    def contract(value, slope, hessian):
        return (a * hessian).sum((-2, -1)) + (b * slope).sum(-1) + c * value

    return jax.tree.map(contract, *of_f)


def reference(a, b, c, f):
    """L f by the full Hessian of f."""
    return jax.jit(lambda x: contracted(a, b, c, derivatives(f, x)))


def reference_at(f, x):
    """The function (a, b, c) ↦ L f(x), for many operators of one function: f is differentiated once, at first use."""

    @cache
    def of_f():
        return jax.tree.map(np.asarray, jax.jit(lambda x: derivatives(f, x))(x))

    return lambda a, b, c: contracted(*map(np.asarray, (a, b, c)), of_f())


def assert_close(found, expected, tolerance=TOLERANCE):
    """Equal up to the tolerance, relative to the largest entry of each array."""
    found, expected = map(jax.tree.leaves, (found, expected))
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert np.shape(got) == np.shape(want)
        scale = max(np.max(np.abs(want), initial=0), 1e-3)
        assert np.max(np.abs(np.asarray(got) - np.asarray(want)), initial=0) <= tolerance * scale, (got, want)


def assert_exact(f, x, tolerance=TOLERANCE):
    """L f is right for three kinds of coefficients.

    These are constant ones, which are factored; ones that are known at run time, which are not; and a diagonal A, with
    which each coordinate has a direction of its own.
    """
    n = sum(np.size(leaf) for leaf in jax.tree.leaves(x))
    a, b, c = coefficients(n)

    @jax.jit
    def all_forms(x, run_time):
        constant, traced, diagonal = (dof.Operator(a, b, c), dof.Operator(*run_time), dof.Operator(np.diag(a), b, c))
        of_f = derivatives(f, x)
        return (
            (constant(f)(x), traced(f)(x), diagonal(f)(x)),
            (contracted(a, b, c, of_f), contracted(np.diag(np.diag(a)), b, c, of_f)),
        )

    (factored, unfactored, found), (expected, of_diagonal) = all_forms(x, (a, b, c))
    assert_close(factored, expected, tolerance)
    assert_close(unfactored, expected, tolerance)
    assert_close(found, of_diagonal, tolerance)


def nested(f, x, terms):
    """Σ_e terms[e] ∂^e f at x, an array, by nested jvp; e is a tuple of coordinates of the flattened x."""
    flat, unravel = jax.flatten_util.ravel_pytree(x)

    def derivative(e):
        def of_vector(v):
            return jax.tree.map(lambda y: jnp.asarray(y) * 1.0, f(unravel(v)))

        along = lambda g, i: lambda v: jax.jvp(g, (v,), (jnp.eye(flat.size, dtype=flat.dtype)[i],))[1]  # noqa: E731
        return functools.reduce(along, e, of_vector)(flat)

    each = [jax.tree.map(lambda y, c=c: c * y, derivative(e)) for e, c in terms.items()]
    return jax.tree.map(lambda *parts: sum(parts), *each)


def operator_of(terms, n):
    """The operator Σ_e terms[e] ∂^e in n coordinates."""
    d = dof.derivatives(n)
    return sum(c * functools.reduce(lambda L, i: L @ d[i], e[1:], d[e[0]]) for e, c in terms.items())
