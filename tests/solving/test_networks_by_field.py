"""An unknown coefficient as a second network."""

from dataclasses import replace

import numpy as np
import pytest

import dof
from dof import pde


@pde.residual("x y", fields="u k")
def diffusion(u, k, x, y):
    """With u = x + y and k = 1 + x²: div (k grad u) = 2 x."""
    return pde.div(k * pde.grad(u)) - 2 * x


def problem():
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 6), np.linspace(0, 1, 6)), axis=-1).reshape(-1, 2)
    data = pde.data(grid, grid.sum(axis=1), field="u")
    edge = pde.dirichlet(1.0, on="x=0", field="k")
    return pde.Problem(diffusion, pde.Box([0, 0], [1, 1]), [data, edge])


def test_an_unknown_coefficient_is_found_by_a_network_of_its_own():
    networks = {"k": {"width": 5, "depth": 1, "of": "x"}}
    # Not from seed 0: networks this small end in another minimum from there, with k < 0 and a residual of 8 %.
    few = {"points": 100, "edge_points": 20, "width": 8, "depth": 1, "report": 25, "seed": 1, "error_points": 64}
    solution = dof.solve(problem(), networks, adam=0, newton=50, **few)
    assert [w.shape for w, _ in solution.params["k"]] == [(5, 1), (1, 5)]
    assert [w.shape for w, _ in solution.params["u"]] == [(8, 2), (1, 8)]
    points = np.random.default_rng(0).random((50, 2))
    u, k = solution(points).T
    np.testing.assert_allclose(k, 1 + points[:, 0] ** 2, atol=0.02)
    np.testing.assert_allclose(u, points.sum(axis=1), atol=0.02)
    # It depends on x alone.
    assert np.ptp(solution(0.3, np.linspace(0, 1, 5))[:, 1]) == 0


def test_a_problem_may_bring_its_network():
    own = replace(problem(), network={"k": {"width": 3, "depth": 1, "of": "x"}})
    few = {"adam": 1, "newton": 0, "points": 20, "width": 4, "error_points": 64}
    solution = dof.solve(own, **few)
    assert solution.params["k"][0][0].shape == (3, 1)
    assert dof.solve(own, start=solution, **few).params["k"][0][0].shape == (3, 1)
    assert len(dof.solve(own, "mlp", **few).params) == 3


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ({"q": "mlp"}, r"`network` has \['q'\]"),
        ({"k": {"widht": 3}}, "widht"),
        ({"k": {"of": "z"}}, "is of 'z'"),
        ({"k": {"width": 0}}, "`width`"),
    ],
)
def test_networks_of_other_fields_are_refused(network, said):
    with pytest.raises(dof.DofError, match=said):
        dof.solve(problem(), network, adam=1, newton=0)
