"""The loss of a problem, term by term:  Σ_k w_k mean_z |r_k(θ, z)|²,  in one vector θ of all that is trained."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import dof
from dof.errors import ArgumentError, describe
from dof.pde.problem import Problem
from dof.pde.problem_checks import require_traceable
from dof.solving.loss.collocation_points import Batch
from dof.solving.networks import Network

BALANCED_POINTS = 64
"""Points of each term from which weights are found. A mean over 64 points is known to about an eighth of their
spread, which is enough for a weight, and the Jacobian of all points need not be kept."""
LEAST_MOVEMENT = 1e-30
"""A term with less than this share of the largest T_k does not depend on θ, beyond rounding in float64 squared."""


class Objective:
    """Residuals, losses, gradients and Jacobians of a problem in θ, the vector of all that is trained.

    Attributes:
        start: θ at the start.
        unravel: From θ to (parameters of the network, the problem's unknowns).
        terms: The terms of the loss, the equation first.
    """

    def __init__(self, problem: Problem, network: Network, method: str, seed: int) -> None:
        self.problem, self.network, self.method = problem, network, method
        self.terms = problem.terms()
        unknowns = {name: jnp.asarray(value, float) for name, value in problem.unknowns.items()}
        self.start, self.unravel = ravel_pytree((network.init(jax.random.key(seed)), unknowns))
        _require_outputs(problem, self.u(self.start))
        require_traceable(problem)

    @property
    def given(self) -> frozenset[str]:
        """The names of terms whose points are given, as those of measured data: there are no fresh ones."""
        return frozenset(term.name for term in self.terms if term.fixed is not None)

    def u(self, theta: Any) -> Any:
        """The unknown functions with parameters θ, as a function of one point."""
        params, _ = self.unravel(theta)
        is_single = self.problem.named_domain.is_single

        def net(features: Any) -> Any:
            out = self.network.apply(params, features)
            # Networks of others end in a layer with one unit: (1,) instead of the () that a single field has.
            return jnp.reshape(out, ()) if is_single and jnp.size(out) == 1 else out

        return self.problem.trial(net)

    def unknowns(self, theta: Any) -> Any:
        """The problem's unknown numbers in θ, by name."""
        return self.unravel(theta)[1]

    def residual(self, k: int, theta: Any, arrays: Any) -> Any:
        """The residual of term k at one point as a vector; `arrays` are what the term has for that point."""
        return self.residual_of(k, self.u(theta), theta, arrays)

    def residual_of_zero(self, k: int, theta: Any, arrays: Any) -> Any:
        """The residual of term k for unknown functions that are zero everywhere."""
        return self.residual_of(k, self._zero(theta), theta, arrays)

    def _zero(self, theta: Any) -> Any:
        """Unknown functions that are zero everywhere."""
        u = self.u(theta)
        return lambda z: jnp.zeros_like(u(z))

    def residual_of(self, k: int, u: Any, theta: Any, arrays: Any) -> Any:
        """The residual of term k for other unknown functions u of a point; θ has the unknown numbers."""
        found = self.terms[k].residual(u, self.unknowns(theta), self.method, *arrays)
        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(found)])

    def parts(self, k: int, theta: Any, arrays: Any) -> Any:
        """What the residual of term k is a sum of at one point, (parts, components); for terms that have `parts`."""
        return self._parts_of(k, self.u(theta), theta, arrays)

    def moved_parts(self, k: int, theta: Any, arrays: Any) -> Any:
        """The same without what is there for unknown functions that are zero, as the g of a condition A u = g."""
        return self.parts(k, theta, arrays) - self._parts_of(k, self._zero(theta), theta, arrays)

    def _parts_of(self, k: int, u: Any, theta: Any, arrays: Any) -> Any:
        parts = self.terms[k].parts
        assert parts is not None
        return parts(u, self.unknowns(theta), *arrays)

    def components(self, k: int) -> int:
        """How many numbers the residual of term k has at one point."""
        arrays = tuple(array[0] for array in self.terms[k].points(np.full((1, self.terms[k].uniforms), 0.5)))
        size: int = jax.eval_shape(partial(self.residual, k), self.start, arrays).size
        return size

    def losses_and_gradient(self, theta: Any, batch: Batch, weights: Any) -> tuple[Any, Any]:
        """The mean of |r_k|² for each term, (terms,), and the gradient of their weighted sum in θ."""
        # Term by term: each has its own number of points and its own arrays, and runs in blocks of its own size.
        losses, gradient = [], jnp.zeros_like(theta)
        for k, arrays in enumerate(batch):
            value, part = dof.value_and_grad(lambda theta, *z, k=k: jnp.sum(self.residual(k, theta, z) ** 2))(
                theta, *arrays
            )
            losses.append(value)
            gradient = gradient + weights[k] * part
        return jnp.stack(losses), gradient

    def residuals(self, theta: Any, batch: Batch, weights: Any) -> tuple[Any, ...]:
        """The residuals of each term at all its points, as vectors, scaled so that all squares add up to the loss."""
        at = lambda k: dof.batched(lambda *z: self.residual(k, theta, z))  # noqa: E731
        return tuple(_scaled(at(k)(*arrays), weights[k]).reshape(-1) for k, arrays in enumerate(batch))

    def residuals_and_jacobian(self, theta: Any, batch: Batch, weights: Any) -> tuple[tuple[Any, ...], Any]:
        """The scaled residuals of each term, and the derivatives of all of them in θ, (residuals, θ)."""
        rows = []
        for k, arrays in enumerate(batch):
            values, slopes = dof.batched(lambda *z, k=k: self._row(k, theta, z))(*arrays)
            rows.append((_scaled(values, weights[k]).reshape(-1), _scaled(slopes, weights[k]).reshape(-1, theta.size)))
        residuals, jacobians = zip(*rows, strict=True)
        return residuals, jnp.concatenate(jacobians)

    def _row(self, k: int, theta: Any, arrays: Any) -> tuple[Any, Any]:
        """The residual of one point and its derivative in θ, (components, θ), by a reverse pass for each component."""
        value, pull = jax.vjp(lambda theta: self.residual(k, theta, arrays), theta)
        # One forward pass for all components: the number of equations is small beside that of parameters.
        return value, jax.vmap(lambda basis: pull(basis)[0])(jnp.eye(value.size, dtype=value.dtype))

    def balanced(self, theta: Any, batch: Batch) -> Any:
        """Weights by which a change of θ moves every term as much as the equation.

        w_k = T_0 / T_k with T_k = mean_z |∂r_k/∂θ|², the trace of the term's neural tangent kernel over the number of
        points. A term that θ does not move keeps the weight 1; if it is the equation, the largest T_k stands for T_0.
        """
        moves = []
        for k, arrays in enumerate(batch):
            few = [array[:BALANCED_POINTS] for array in arrays]
            slopes = dof.batched(lambda *z, k=k: self._row(k, theta, z)[1])(*few)
            moves.append(jnp.sum(slopes**2) / len(few[0]))
        found = jnp.stack(moves)
        is_moved = found > LEAST_MOVEMENT * found.max()
        scale = jnp.where(is_moved[0], found[0], found.max())
        return jnp.where(is_moved, scale / jnp.where(is_moved, found, 1.0), 1.0)


def _scaled(array: Any, weight: Any) -> Any:
    """Times √(weight / points), so that a sum of squares is a weighted mean."""
    return array * jnp.sqrt(weight / len(array))


def _require_outputs(problem: Problem, u: Any) -> None:
    """Refuse a network whose inputs or outputs do not fit the problem."""
    point, expected = jnp.zeros(problem.domain.size), problem.named_domain.field_shape
    try:
        found: Any = jax.eval_shape(u, point).shape
    # A matrix product with another number of features is a TypeError of JAX; it is told as the network's.
    except TypeError as error:
        found = str(error)
    if found != expected:
        inputs, outputs = problem.feature_count, problem.equation.fields.count
        wanted = f"a function of {inputs} numbers with {outputs} results"
        raise ArgumentError(describe("network", f"makes u of shape {found}", wanted, 'network="mlp"'))
