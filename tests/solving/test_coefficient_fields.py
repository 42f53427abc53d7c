"""An unknown coefficient as a second network, and earlier times first."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.loss.causal_weights import SLABS, causal_factors


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


def test_later_times_count_once_earlier_ones_are_solved():
    times = np.linspace(0, 2, 4 * SLABS, endpoint=False)
    np.testing.assert_array_equal(causal_factors(times, np.zeros(len(times)), (0.0, 2.0), 5.0), 1)
    factors = causal_factors(times, np.where(times < 1, 0.5, 9.0), (0.0, 2.0), 0.1)
    # Before time 1 a slab adds 0.5 to the sum: w = exp(−0.1 · 0.5 · slabs before).
    before = np.arange(4 * SLABS) // 4
    np.testing.assert_allclose(factors[times < 1] ** 2, np.exp(-0.05 * before)[times < 1], rtol=1e-12)
    assert (np.diff(factors[times >= 1][::4]) < 0).all()
    squares = np.full(len(times), np.nan)
    assert np.isfinite(causal_factors(times, squares, (0.0, 2.0), 1.0)).all()


def test_causal_weights_multiply_the_residuals_of_the_equation():
    growth = pde.residual("x t")(lambda u, x, t: u.t - u - x)
    exact = pde.initial(lambda x, t: x, hard=True)
    time = pde.Problem(growth, pde.Interval(0, 1) * pde.Time(0, 1), [exact])
    solution = dof.solve(time, adam=2, newton=2, points=64, width=4, depth=1, causal=2.0, error_points=64)
    training = solution.training
    state = training.start()
    (points, factors), *_ = training.points.in_causal_order(state.theta, training.batch(state))
    objective = training.objective
    plain = objective.residual(0, state.theta, (points[0],))
    assert 0 < factors.min() < factors.max() == 1
    np.testing.assert_allclose(objective.residual(0, state.theta, (points[0], 0.25)), 0.25 * plain, rtol=1e-12)
    line = pde.Problem(pde.residual("x")(lambda u, x: u.xx), pde.Interval(0, 1), [pde.dirichlet(0.0, hard=True)])
    with pytest.raises(dof.ArgumentError, match="a time t"):
        dof.solve(line, causal=1.0, adam=1, newton=0)
    assert jnp.isfinite(solution.history[-1].loss)
