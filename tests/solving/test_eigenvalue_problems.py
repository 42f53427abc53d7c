"""Several eigenpairs, the lowest first, wherever the unknown starts."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import mathieu_a

import dof
from dof import pde, solving

SMALL = {"adam": 0, "newton": 6, "points": 200, "depth": 1, "report": 6, "error_points": 64}


@pde.residual("x")
def mathieu(u, x, *, a):
    return u.xx + (a - 2 * jnp.cos(2 * x)) * u


def mathieu_problem(*conditions, **more):
    return pde.Problem(mathieu, pde.Interval(0, 2 * np.pi), list(conditions), unknowns={"a": 9.0}, **more)


def test_the_lowest_eigenvalue_of_mathieus_equation_is_found_from_any_start():
    (pair,) = solving.eigenpairs(mathieu_problem(pde.periodic("x", hard=True)), width=24, **SMALL)
    assert float(pair.unknowns["a"]) == pytest.approx(mathieu_a(0, 1.0), abs=1e-3)


def test_equal_eigenvalues_have_independent_functions():
    """−Δu = e u on a square: 2, and 5 twice."""
    drum = pde.residual("x y")(lambda u, x, y, *, e: u.laplacian + e * u)
    square = pde.Box([0, 0], [np.pi, np.pi])
    problem = pde.Problem(drum, square, [pde.dirichlet(0.0, hard=True)], unknowns={"e": 1.0})
    pairs = solving.eigenpairs(problem, 3, width=40, **SMALL)
    np.testing.assert_allclose([float(pair.unknowns["e"]) for pair in pairs], [2, 5, 5], atol=5e-3)
    points = square.inside(np.random.default_rng(0).random((500, 2)))
    one, other = (np.asarray(pair(points)) for pair in pairs[1:])
    assert abs(one @ other) < 0.9 * np.linalg.norm(one) * np.linalg.norm(other)


@pytest.mark.parametrize(
    ("problem", "count", "said"),
    [
        (mathieu_problem(pde.data([[0.0]], [1.0])), 1, "and data"),
        (mathieu_problem(pde.dirichlet(1.0, hard=True)), 1, "not linear"),
        (mathieu_problem(pde.dirichlet(0.0, hard=True)), 50, "`count` is 50"),
        (mathieu_problem(pde.dirichlet(0.0, hard=True)), 0, "`count` is 0"),
        (pde.Problem(pde.residual("x")(lambda u, x: u.xx), pde.Interval(0, 1)), 1, "unknowns"),
    ],
)
def test_what_is_no_eigenvalue_problem_is_refused(problem, count, said):
    with pytest.raises(dof.ArgumentError, match=said):
        solving.eigenpairs(problem, count, width=8, **SMALL)
