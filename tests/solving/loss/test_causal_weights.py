"""Earlier times first."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.loss.causal_weights import SLABS, causal_factors


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
