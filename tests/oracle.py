"""The one oracle: nested automatic differentiation in float64."""

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

import dof

TOLERANCE = 1e-10


def coefficients(n, seed=0):
    """An indefinite dense A that is not symmetric, b and c."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)), rng.normal(size=n), 0.7


def reference(a, b, c, f):
    """L f by the full Hessian of f on the flattened x, for one array or a pytree of arrays as result."""

    def applied(x):
        flat, unravel = jax.flatten_util.ravel_pytree(x)

        def smooth(v):
            return jax.tree.map(lambda y: jnp.asarray(y) * jnp.ones((), float), f(unravel(v)))

        value, slope, hessian = smooth(flat), jax.jacfwd(smooth)(flat), jax.jacfwd(jax.jacfwd(smooth))(flat)
        return jax.tree.map(
            lambda v, j, h: jnp.einsum("ij,...ij->...", a, h) + jnp.einsum("i,...i->...", b, j) + c * v,
            value,
            slope,
            hessian,
        )

    return applied


def assert_close(found, expected, tolerance=TOLERANCE):
    found, expected = map(jax.tree.leaves, (found, expected))
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert np.shape(got) == np.shape(want)
        scale = max(np.max(np.abs(want), initial=0), 1e-3)
        assert np.max(np.abs(np.asarray(got) - np.asarray(want)), initial=0) <= tolerance * scale, (got, want)


def assert_exact(f, x, tolerance=TOLERANCE):
    """L f is right for constant coefficients (factored), for coefficients known at run time (not factored), and for a
    diagonal A, with which each coordinate has a direction of its own."""
    n = sum(np.size(leaf) for leaf in jax.tree.leaves(x))
    a, b, c = coefficients(n)

    @jax.jit
    def all_forms(x, run_time):
        constant, traced, diagonal = (
            dof.Operator(a=a, b=b, c=c),
            dof.Operator(*run_time),
            dof.Operator(np.diag(a), b, c),
        )
        of_diagonal = reference(np.diag(np.diag(a)), b, c, f)(x)
        return reference(a, b, c, f)(x), constant(f)(x), traced(f)(x), of_diagonal, diagonal(f)(x)

    expected, factored, unfactored, of_diagonal, found = all_forms(x, (a, b, c))
    assert_close(factored, expected, tolerance)
    assert_close(unfactored, expected, tolerance)
    assert_close(found, of_diagonal, tolerance)
