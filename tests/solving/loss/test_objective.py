"""The loss of a problem, its gradient, its Jacobian and its weights, against dense differentiation in θ."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.loss.collocation_points import counts_of, sample
from dof.solving.loss.objective import Objective
from dof.solving.networks import mlp
from problems import FEW

SMALL = {"adam": 2, "newton": 0, "points": 16, "edge_points": 8, "width": 4, "depth": 1, "error_points": 64}
COUNTS = {"points": 7, "edge_points": 5}
WEIGHTS = jnp.array([1.0, 2.0, 0.5])


@pde.residual("x t", fields="u[2]")
def coupled(u, x, t, *, k):
    return pde.dt(u) - k * pde.laplacian(u) + u[0] * u[1]


@pytest.fixture(scope="module")
def objective():
    conditions = [pde.dirichlet(1.0), pde.initial(lambda x, t: jnp.stack([x, 1 - x]))]
    problem = pde.Problem(coupled, pde.Interval(0, 1) * pde.Time(0, 1), conditions, unknowns={"k": 0.5})
    return Objective(problem, mlp(2, 2, 4, 1), "dof", seed=0)


@pytest.fixture(scope="module")
def batch(objective):
    return sample(objective.terms, counts_of(objective.terms, **COUNTS), 0, 0)


def residuals_by_hand(objective, theta, batch):
    """For each term the residuals of all points, (points, components)."""
    found = []
    for k, arrays in enumerate(batch):
        points = zip(*arrays, strict=True)
        found.append(jnp.stack([objective.residual(k, theta, point) for point in points]))
    return found


def loss_by_hand(objective, theta, batch):
    parts = residuals_by_hand(objective, theta, batch)
    return sum(w * jnp.mean(jnp.sum(part**2, axis=1)) for w, part in zip(WEIGHTS, parts, strict=True))


def test_losses_and_gradient_are_those_of_the_sum_of_squares(objective, batch):
    theta = objective.start
    losses, gradient = jax.jit(objective.losses_and_gradient)(theta, batch, WEIGHTS)
    value, expected = jax.jit(jax.value_and_grad(lambda t: loss_by_hand(objective, t, batch)))(theta)
    assert losses.shape == (3,) and losses @ WEIGHTS == pytest.approx(float(value), rel=1e-10)
    np.testing.assert_allclose(gradient, expected, rtol=1e-8, atol=1e-10)


def test_squares_of_scaled_residuals_add_up_to_the_loss(objective, batch):
    found = jax.jit(objective.residuals)(objective.start, batch, WEIGHTS)
    assert sum(float(part @ part) for part in found) == pytest.approx(
        float(loss_by_hand(objective, objective.start, batch)), rel=1e-10
    )


def test_the_jacobian_is_that_of_all_scaled_residuals(objective, batch):
    of_theta = lambda theta: jnp.concatenate(objective.residuals(theta, batch, WEIGHTS))  # noqa: E731
    residuals, jacobian = jax.jit(objective.residuals_and_jacobian)(objective.start, batch, WEIGHTS)
    np.testing.assert_allclose(jnp.concatenate(residuals), jax.jit(of_theta)(objective.start), rtol=1e-10)
    np.testing.assert_allclose(jacobian, jax.jit(jax.jacfwd(of_theta))(objective.start), rtol=1e-8, atol=1e-10)


def test_weights_make_every_term_move_as_the_equation_does(objective, batch):
    """w_k times the mean square of ∂r_k/∂θ is the same for all terms."""
    weights = jax.jit(objective.balanced)(objective.start, batch)
    jacobians = jax.jit(jax.jacfwd(lambda theta: residuals_by_hand(objective, theta, batch)))(objective.start)
    moves = np.array([np.sum(np.square(part)) / len(part) for part in jacobians])
    np.testing.assert_allclose(weights * moves, moves[0], rtol=1e-8)


def test_unknowns_are_part_of_what_is_trained(objective):
    theta = objective.start
    assert objective.unknowns(theta)["k"] == 0.5
    params, _ = objective.unravel(theta)
    assert theta.size == 1 + sum(leaf.size for leaf in jax.tree.leaves(params))


def test_an_equation_that_no_parameter_moves_leaves_the_weights_finite():
    points = np.linspace(0, 1, 30)[:, None]
    still = pde.residual("x")(lambda u, x: 0.0 * u)
    problem = pde.Problem(still, pde.Interval(0, 1), [pde.data(points, np.sin(points[:, 0]))])
    solution = dof.solve(problem, **FEW, points=40, adam=0, newton=16)
    np.testing.assert_allclose(solution(points), np.sin(points[:, 0]), atol=1e-3)


def test_weights_by_hand_multiply_those_of_the_terms():
    residual = pde.residual("x")(lambda u, x: u.xx - 1)
    soft = lambda weight: [pde.dirichlet(0.0, on="x=0", weight=weight), pde.dirichlet(1.0, on="x=1")]  # noqa: E731

    def weights(factor, **settings):
        training = dof.solve(pde.Problem(residual, pde.Interval(0, 1), soft(factor)), **SMALL | settings).training
        state = training.start()
        return np.asarray(training._weights(state, training.batch(state)))

    np.testing.assert_allclose(weights(10.0, balance=False), [1, 10, 1])
    np.testing.assert_allclose(weights(10.0) / weights(1.0), [1, 10, 1], rtol=1e-6)
    with pytest.raises(dof.ArgumentError, match="`weight` is -1"):
        pde.Problem(residual, pde.Interval(0, 1), soft(-1.0))
