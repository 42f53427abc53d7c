"""When training is given up."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.errors import Diverged
from dof.solving.checks.diverged_training import TOO_LARGE, require_convergent

SMALL = {"width": 12, "depth": 1, "points": 60, "edge_points": 20, "report": 5, "error_points": 64}
NAMES, WEIGHTS = ["equation", "dirichlet"], np.array([1.0, 2.0])


def test_finite_losses_that_do_not_explode_are_accepted():
    require_convergent(np.array([[1.0, 1.0], [1e3, 1e5]]), WEIGHTS, 3.0, 0, NAMES)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 4 * TOO_LARGE])
def test_the_first_bad_step_and_the_worst_term_are_named(bad):
    losses = np.array([[1.0, 1.0], [1.0, bad], [bad, bad]])
    with pytest.raises(Diverged, match=r"`dirichlet` .* at step 42\."):
        require_convergent(losses, WEIGHTS, 3.0, 40, NAMES)


def test_growth_is_measured_from_one_where_the_first_loss_is_small():
    require_convergent(np.array([[TOO_LARGE / 10, 0.0]]), WEIGHTS, 1e-12, 0, NAMES)


def test_what_is_no_number_is_said_with_step_and_term():
    @pde.residual("x")
    def broken(u, x):
        return u.xx + jnp.sqrt(-1 - x)

    problem = pde.Problem(broken, pde.Interval(0, 1), [pde.dirichlet(0.0)])
    with pytest.raises(Diverged, match=r"`equation` is nan at step 1, at x = 0\.\d+, and at 60 of 60"):
        dof.solve(problem, **SMALL, adam=5, newton=0)


def test_a_loss_that_grows_without_bound_is_stopped():
    with pytest.raises(Diverged, match="`equation`") as caught:
        dof.solve("heat", **SMALL, adam=100, newton=0, rate=1e6)
    assert caught.value.solution is None


def test_what_was_found_before_it_diverged_is_kept():
    """k grows by the rate in each step of Adam, until 1 − k has no root any more."""
    rising = pde.residual("x")(lambda u, x, *, k: jnp.sqrt(1 - k) + 0 * u)
    problem = pde.Problem(rising, pde.Interval(0, 1), unknowns={"k": 0.0})
    with pytest.raises(Diverged, match=r"at step 1[1-5]\.") as caught:
        dof.solve(problem, **SMALL, adam=1000, newton=0, rate=0.1)
    solution = caught.value.solution
    assert [report.step for report in solution.history] == [5, 10] and "step 10" in caught.value.__notes__[0]
    assert 0.5 < solution.unknowns["k"] < 1.1 and np.isfinite(solution([0.5]))
