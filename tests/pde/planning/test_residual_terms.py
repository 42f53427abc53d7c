"""What a residual is made of at a point, against the terms written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.extend import enable_x64
from dof.pde.planning.residual_terms import terms_at_point

X, T = 0.7, 0.4
POINT = jnp.array([X, T])
NET = lambda z: jnp.sin(2 * z[0]) * jnp.exp(z[1])  # noqa: E731
U, UX = np.sin(2 * X) * np.exp(T), 2 * np.cos(2 * X) * np.exp(T)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda u, x, t: u.t - 3 * u.xx + x, {U, 12 * U, 0.0, X}),
        (lambda u, x, t: u.t + u * u.x, {U, U * UX}),
        (lambda u, x, t: u.xxxx - u, {16 * U, -U, 0.0}),
        (lambda u, x, t: u**2 - 1.0, {2 * U**2, -(U**2) - 1}),
    ],
    ids=["linear with a source", "product", "order four", "square"],
)
def test_each_derivative_has_its_term_and_all_add_up(function, expected):
    residual = pde.residual("x t")(function)
    terms = terms_at_point(residual, NET, POINT, {})[:, 0]
    np.testing.assert_allclose(terms.sum(), residual(NET)(POINT), atol=1e-12)
    assert all(np.isclose(terms, value, atol=1e-10).any() for value in expected), terms


def test_two_equations_have_a_column_each():
    residual = pde.residual("x t", fields="u v")(lambda u, v, x, t: (u.t - v, v.t + 4 * u.xx))
    terms = terms_at_point(residual, lambda z: jnp.stack([NET(z), z[0] * NET(z)]), POINT, {})
    assert terms.shape[1] == 2
    assert np.isclose(terms[:, 0], -X * U).any() and np.isclose(terms[:, 1], -16 * U).any()


@pytest.mark.parametrize(
    ("fields", "function", "size"),
    [
        (None, lambda u, x, y: u.laplacian, 4 * np.sqrt(2) * np.sin(2 * X) * np.cosh(2 * T)),
        (None, lambda u, x, y: u.biharmonic, 0.0),
        ("v[2]", lambda v, x, y: pde.div(v), 4 * np.sqrt(2) * np.sin(2 * X) * np.cosh(2 * T)),
    ],
    ids=["Laplace", "biharmonic", "divergence"],
)
def test_an_equation_of_a_single_sum_has_the_size_of_its_parts(fields, function, size):
    """Of sin 2x cosh 2y, which is harmonic, and of its gradient, whose divergence is zero."""
    harmonic = lambda z: jnp.sin(2 * z[0]) * jnp.cosh(2 * z[1])  # noqa: E731
    residual = pde.residual("x y", fields=fields)(function)
    with enable_x64():
        terms = terms_at_point(residual, jax.grad(harmonic) if fields else harmonic, np.array(POINT), {})[:, 0]
    np.testing.assert_allclose(terms[:3], 0, atol=1e-9)
    assert np.isclose(terms[3:], size, atol=1e-9).any(), terms
