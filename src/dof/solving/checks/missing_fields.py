"""Whether each field occurs in the equation."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.planning.traced_residual import trace_residual
from dof.pde.problem import Problem
from dof.solving.loss.objective import Objective

PROBES = 8
"""Points at which the equation is looked at."""


def on_missing_fields(objective: Objective) -> str:
    """About fields that do not occur in the equation, where others do; refuses an equation in which none occurs."""
    problem = objective.problem
    missing, names = missing_fields(problem), problem.equation.fields.names
    if len(missing) == len(names):
        found = f"returns a residual in which {' and '.join(names)} do{'es' * (len(names) == 1)} not occur"
        fix = f"return {names[0]}.d({problem.equation.coordinates.names[0]!r}) - f"
        raise ArgumentError(describe(problem.name, found, "an equation for what is to be found", fix))
    if not missing:
        return ""
    return (
        f"`{' '.join(missing)}` does not occur in `{problem.name}`: away from its conditions it is what the network "
        "happens to be.\n  Fix: an equation for it, or fields= without it"
    )


def missing_fields(problem: Problem) -> list[str]:
    """The fields that can be anything without a change of the equation's residual.

    The residual is evaluated with random numbers for the fields and their derivatives, and with nan for those of one
    field: all that depends on it becomes nan, or takes the other branch of a comparison.
    """
    fields, shape = problem.equation.fields, problem.named_domain.field_shape
    factors = np.ones((1 + len(fields.names), fields.count))
    for k, name in enumerate(fields.names):
        factors[1 + k, fields.axes(name)] = np.nan
    of_factors = jax.vmap(partial(_leaves, problem), (None, 0))
    points = problem.domain.inside(np.random.default_rng(0).random((PROBES, problem.domain.uniforms)))
    found = jax.jit(jax.vmap(of_factors, (0, None)))(points, factors.reshape(-1, *shape))
    leaves = [np.asarray(leaf).reshape(PROBES, len(factors), -1) for leaf in found]
    is_same = lambda k: all(np.array_equal(leaf[:, 0], leaf[:, 1 + k]) for leaf in leaves)  # noqa: E731
    return [name for k, name in enumerate(fields.names) if is_same(k)]


def _leaves(problem: Problem, point: Any, factors: Any) -> list[Any]:
    """The leaves of the residual at a point, for random values and derivatives times a factor for each number."""
    rng = np.random.default_rng(0)

    def draw(wanted: Any) -> Any:
        # A gradient has one axis more than the network's value, the last one.
        more = len(wanted.shape) - factors.ndim
        return rng.normal(size=wanted.shape) * factors.reshape(*factors.shape, *[1] * more)

    # Given functions may take long; here any numbers do.
    shapes = {name: jax.eval_shape(partial(problem.named_domain.given, f), point) for name, f in problem.given.items()}
    given = {name: rng.normal(size=jnp.shape(wanted)) for name, wanted in shapes.items()}
    unknowns = {name: jnp.asarray(start, float) for name, start in problem.unknowns.items()}
    value = jax.ShapeDtypeStruct(factors.shape, factors.dtype)
    traced = trace_residual(problem.equation, value, point, unknowns | given)
    return traced.at([draw(wanted) for wanted in traced.types], draw(value), point)
