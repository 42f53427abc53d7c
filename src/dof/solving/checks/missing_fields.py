"""Whether each field occurs in the equation."""

from __future__ import annotations

from typing import Any

import jax
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
    masks = np.ones((1 + len(fields.names), fields.count))
    for k, name in enumerate(fields.names):
        masks[1 + k, fields.axes(name)] = np.nan
    of_mask = jax.vmap(_residual_of_numbers(problem), (None, 0))
    term = problem.terms()[0]
    arrays = term.points(np.random.default_rng(0).random((PROBES, term.uniforms)))
    found = jax.jit(jax.vmap(of_mask, (0, None)))(arrays, masks.reshape(-1, *shape))
    leaves = [np.asarray(leaf).reshape(PROBES, len(masks), -1) for leaf in found]
    is_same = lambda k: all(np.array_equal(leaf[:, 0], leaf[:, 1 + k]) for leaf in leaves)  # noqa: E731
    return [name for k, name in enumerate(fields.names) if is_same(k)]


def _residual_of_numbers(problem: Problem) -> Any:
    """The leaves of the residual at a point, for random values and derivatives times a factor for each number."""

    def leaves(arrays: Any, mask: Any) -> list[Any]:
        point, *given = arrays
        parameters = dict(problem.unknowns) | dict(zip(problem.given, given, strict=True))
        value = jax.ShapeDtypeStruct(mask.shape, mask.dtype)
        traced = trace_residual(problem.equation, value, point, parameters)
        rng = np.random.default_rng(0)

        def draw(type_: Any) -> Any:
            # A gradient has one axis more than the network's value, the last one.
            more = len(type_.shape) - mask.ndim
            return rng.normal(size=type_.shape) * mask.reshape(*mask.shape, *[1] * more)

        return traced.at([draw(type_) for type_ in traced.types], draw(value), point)

    return leaves
