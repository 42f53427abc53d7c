"""Whether an equation in time that has second derivatives in space says anything of the boundary."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.conditions import Condition
from dof.pde.notation.derivatives import Derivative, Second
from dof.pde.notation.names import space_axes
from dof.pde.planning.traced_residual import trace_residual
from dof.pde.problem import Problem
from dof.solving.loss.objective import Objective

PROBES = 64
"""Points of the boundary at which the equation is looked at."""
ROUNDING = 1e-9
"""Share of the residual by which it may change where the coefficient of a second derivative is zero."""
STARTS = {"initial", "initial velocity"}


def on_open_boundary(objective: Objective) -> str:
    """About an equation of one field with initial conditions only, whose second derivatives reach the boundary."""
    problem, is_by_name = objective.problem, bool(objective.network.name)
    # An ansatz, features or a network of one's own may have the boundary in them; so may data and residuals.
    if not is_by_name or problem.ansatz or problem.features or len(problem.equation.fields.names) > 1:
        return ""
    kinds = {c.kind if isinstance(c, Condition) else "" for c in problem.conditions}
    if not kinds or not kinds <= STARTS or not problem.domain.area_per_volume or not _reaches_boundary(problem):
        return ""
    return (
        f"`{problem.name}` has second derivatives in space and no condition on the boundary: which of its solutions is "
        "found depends on the seed.\n  Fix: pde.dirichlet(0.0), pde.neumann(0.0) or pde.periodic of a coordinate, "
        "among the conditions"
    )


def _reaches_boundary(problem: Problem) -> bool:
    """Whether a second derivative across the boundary has a coefficient that is not zero everywhere on it.

    Where it is zero, as of x (1 − x) u_xx at x = 0 and x = 1, the equation needs no condition.
    """
    domain, space = problem.domain, space_axes(problem.equation.coordinates)
    across = {i for read in problem.plan.reads for i in _axes(read) if i in space}
    points, normals = domain.edge(np.random.default_rng(0).random((PROBES, domain.edge_uniforms)))
    points = points[np.any(normals[:, sorted(across)] != 0, axis=1)] if across else points[:0]
    if not len(points):
        return False
    once, twice = (np.asarray(jax.jit(jax.vmap(partial(_residual, problem, factor)))(points)) for factor in (1.0, 2.0))
    return bool(np.any(np.abs(twice - once) > ROUNDING * np.abs(once).max()))


def _axes(read: Derivative) -> list[int]:
    """The coordinates in which a derivative is a pure second one."""
    return [i for i, j in read.pairs if i == j] if isinstance(read, Second) else []


def _residual(problem: Problem, factor: float, point: Any) -> Any:
    """The residual at a point for random values of the field and its derivatives, second ones times a factor."""
    rng, shape = np.random.default_rng(0), problem.named_domain.field_shape
    given = {name: problem.named_domain.given(function, point) for name, function in problem.given.items()}
    value = jax.ShapeDtypeStruct(shape, jnp.result_type(float))
    traced = trace_residual(problem.equation, value, point, dict(problem.unknowns) | given)
    pairs = zip(traced.reads, traced.types, strict=True)
    numbers = [rng.normal(size=kind.shape) * (factor if _axes(read) else 1.0) for read, kind in pairs]
    leaves = traced.at(numbers, jnp.asarray(rng.normal(size=shape)), point)
    return jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])
