"""The gradient of the equation's residual as more residuals of the same point: where r = 0 everywhere, ∂r/∂z_i = 0 too.

    |r(z)|² + w Σ_i σ_i² |∂r/∂z_i|²,      σ_i² the variance of coordinate i over the domain.

With w = 1 this is the mean of |r|² over the domain, if r were linear and z its middle: the sum has no unit but that of
r². A point then has d + 1 equations in place of one, which is what many dimensions ask for: d coefficients of a linear
function cannot be found from fewer than d values, and one gradient has them all. One reverse pass gives it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.loss_term import LossTerm
from dof.pde.problem import Problem
from dof.solving.loss.collocation_points import unit_points
from dof.solving.loss.objective import Objective

SPREAD_POINTS = 64
"""From which σ is found, to about a tenth: it is a scale. They have all coordinates, of which there may be 100,000."""


def with_residual_gradient(objective: Objective, weight: float) -> Objective:
    """The objective whose equation has the gradient of its residual too; the same one where the weight is zero."""
    if not weight:
        return objective
    twin = copy(objective)
    twin.terms = (_with_gradient(objective.problem, objective.terms[0], weight), *objective.terms[1:])
    return twin


def _with_gradient(problem: Problem, term: LossTerm, weight: float) -> LossTerm:
    scale = np.sqrt(weight) * _spread(problem)
    functions = tuple(problem.given.values())

    def residual(net: Any, parameters: Any, method: str, z: Any, *given: Any) -> Any:
        factors = given[len(functions) :]

        def at(z: Any) -> Any:
            # Given functions of the point are computed again, since their derivatives are asked for.
            known = (problem.named_domain.given(function, z) for function in functions)
            return term.residual(net, parameters, method, z, *known, *factors)

        value, pull = jax.vjp(at, z)
        slopes = jax.vmap(lambda basis: pull(basis)[0])(jnp.eye(value.size, dtype=value.dtype))
        return jnp.concatenate([value, jnp.ravel(scale * slopes)])

    return replace(term, residual=residual)


def _spread(problem: Problem) -> np.ndarray:
    """The standard deviation of each coordinate over the domain."""
    return np.std(problem.domain.inside(unit_points(SPREAD_POINTS, problem.domain.uniforms, (0,))), axis=0)
