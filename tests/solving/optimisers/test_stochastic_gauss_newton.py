"""Steps of Gauss–Newton with some of the points: which they are, how steps are judged, when they are chosen."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.solving import Settings
from dof.solving.devices import Devices
from dof.solving.loss.objective import Objective
from dof.solving.optimisers.stochastic_gauss_newton import start, stochastic_gauss_newton_steps

SMALL = {"width": 10, "depth": 1, "error_points": 100, "adam": 0, "report": 5}


class Line(Objective):
    """The residuals u(x) − y for u(x) = θ₀ + θ₁ x, with a row of J for each point."""

    def __init__(self):
        pass

    def residuals(self, theta, batch, weights):
        x, y = batch[0]
        return ((theta[0] + theta[1] * x - y) / len(x) ** 0.5,)

    def residuals_and_jacobian(self, theta, batch, weights):
        x, _ = batch[0]
        return self.residuals(theta, batch, weights), jnp.stack([jnp.ones_like(x), x], 1) / len(x) ** 0.5


def steps(theta, batch, n, blocks):
    theta = jnp.asarray(theta)
    return stochastic_gauss_newton_steps(
        Line(), theta, start(theta), batch, jnp.ones(1), n, n, blocks=blocks, devices=Devices()
    )


def test_blocks_of_one_point_each_find_the_line_through_all():
    x = jnp.linspace(-1, 1, 7)
    theta, state, losses, _ = steps([0.0, 0.0], ((x, 3 - 2 * x),), 40, blocks=7)
    np.testing.assert_allclose(theta, [3, -2], atol=1e-3)
    assert state.count == 40 and losses.shape == (40, 1)


def test_a_step_that_is_wrong_at_the_next_points_is_not_taken():
    """The first point asks for u = 1 and the others, where u is right already, for 0."""
    x, y = jnp.array([0.5, 0.6]), jnp.array([1.0, 0.0])
    theta, state, losses, _ = steps([0.0, 0.0], ((x, y),), 1, blocks=2)
    assert (theta == 0).all() and losses[0, 0] == 0 and state.damping > start(theta).damping


@pytest.mark.parametrize(
    ("changes", "parameters", "expected"),
    [
        ({}, 1000, ("gauss-newton", 1250)),
        ({}, 20_000, ("stochastic-gauss-newton", 21 * 1000)),
        ({"points": 800}, 20_000, ("gauss-newton", 800)),
        ({"optimiser": "stochastic-gauss-newton", "report": 5}, 1000, ("stochastic-gauss-newton", 6 * 1000)),
        ({"optimiser": "gauss-newton"}, 20_000, ("gauss-newton", 25_000)),
        ({"newton": 0}, 20_000, ("stochastic-gauss-newton", 1000)),
    ],
)
def test_the_optimiser_is_chosen_by_what_a_step_takes(changes, parameters, expected):
    chosen = Settings(**changes).chosen_for(parameters, 1)
    assert (chosen.optimiser, chosen.points) == expected


def test_it_solves_a_problem():
    solution = dof.solve("heat", **SMALL, newton=15, optimiser="stochastic-gauss-newton")
    assert solution.error < 1e-2 and {report.phase for report in solution.history} == {"stochastic-gauss-newton"}
