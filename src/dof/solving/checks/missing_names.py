"""Whether each field and each unknown number occurs in the equation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.conditions.user_residual import OwnResidual
from dof.pde.planning.traced_residual import trace_residual
from dof.pde.problem import Problem
from dof.solving.loss.objective import Objective

PROBES = 1000
"""Points at which the equation is looked at: it may act in a small part of the domain."""
OTHER = -1.5
"""The factor of fields and unknowns that have other values, to see whether a residual changes with them."""


def on_missing_names(objective: Objective) -> str:
    """About fields and unknowns that do not occur in the equation; refuses an equation in which no field occurs."""
    problem = objective.problem
    leaves = _probed(problem)
    missing, fields = _missing(problem, leaves), problem.equation.fields.names
    if set(fields) <= set(missing):
        found = f"returns a residual in which {' and '.join(fields)} do{'es' * (len(fields) == 1)} not occur"
        fix = f"return {fields[0]}.d({problem.equation.coordinates.names[0]!r}) - f"
        raise ArgumentError(describe(problem.name, found, "an equation for what is to be found", fix))
    # A residual on the boundary may have the unknown.
    own = {name for c in problem.conditions if isinstance(c, OwnResidual) for name in c.residual.parameter_names}
    told = [name for name in missing if name in fields or name not in own]
    if not told:
        return _on_equations_of_zero(problem, leaves)
    names = f"`{' '.join(told)}` do{'es' * (len(told) == 1)} not occur in `{problem.name}`"
    if told[0] in fields:
        return (
            f"{names}: away from conditions a field is then what the network happens to be.\n"
            "  Fix: an equation for each field, or fields= without it"
        )
    return f"{names}: training cannot find it.\n  Fix: {told[0]} in the residual, or unknowns= without it"


def missing_names(problem: Problem) -> list[str]:
    """The fields and the unknowns that can be anything without a change of the equation's residual."""
    return _missing(problem, _probed(problem))


def _missing(problem: Problem, leaves: list[np.ndarray]) -> list[str]:
    is_same = lambda k: all(np.array_equal(leaf[:, 0], leaf[:, 1 + k]) for leaf in leaves)  # noqa: E731
    return [name for k, name in enumerate([*problem.equation.fields.names, *problem.unknowns]) if is_same(k)]


def _on_equations_of_zero(problem: Problem, leaves: list[np.ndarray]) -> str:
    """About equations in which all that occurs is multiplied by zero."""
    same = [k for k, leaf in enumerate(leaves) if np.array_equal(leaf[:, 0], leaf[:, -1])]
    if not same:
        return ""
    which = "The residual" if len(leaves) == 1 else f"The residual number {same[0] + 1}"
    return (
        f"{which} of `{problem.name}` is the same whatever {' and '.join(problem.equation.fields.names)} may be: only "
        "conditions and data say what is found, and a residual of zero says nothing.\n"
        "  Fix: coefficients that are not zero"
    )


def _probed(problem: Problem) -> list[np.ndarray]:
    """The leaves of the residual for random fields and derivatives, each (points, 2 + names, numbers).

    The first is of random numbers for the fields and their derivatives. Then there is nan for those of one field, or
    for one unknown: all that depends on it becomes nan, or takes the other branch of a comparison. The last has other
    numbers, of the other sign.
    """
    fields, count = problem.equation.fields, problem.equation.fields.count
    names = [*fields.names, *problem.unknowns]
    factors = np.ones((2 + len(names), count + len(problem.unknowns)))
    factors[-1] = OTHER
    for k, name in enumerate(names):
        factors[1 + k, fields.axes(name) if name in fields.names else count + k - len(fields.names)] = np.nan
    of_factors = jax.vmap(partial(_leaves, problem), (None, 0))
    points = problem.domain.inside(np.random.default_rng(0).random((PROBES, problem.domain.uniforms)))
    found = jax.jit(jax.vmap(of_factors, (0, None)))(points, factors)
    return [np.asarray(leaf).reshape(PROBES, len(factors), -1) for leaf in found]


def _scaled(rng: np.random.Generator, shape: Sequence[int], factor: Any) -> Any:
    """Random numbers for the factor 1, nan for nan, and for others other ones, which are no multiple of the first."""
    return rng.normal(size=shape) * factor + rng.normal(size=shape) * (factor - 1)


def _leaves(problem: Problem, point: Any, factors: Any) -> list[Any]:
    """The leaves of the residual at a point, for random values and derivatives.

    Args:
        problem: Whose residual it is.
        point: (coordinates,)
        factors: Of each number of the network and its derivatives, then of each unknown.
    """
    rng, count = np.random.default_rng(0), problem.equation.fields.count
    own = factors[:count].reshape(problem.named_domain.field_shape)

    def draw(wanted: Any) -> Any:
        # A gradient has one axis more than the network's value, the last one.
        more = len(wanted.shape) - own.ndim
        return _scaled(rng, wanted.shape, own.reshape(*own.shape, *[1] * more))

    # Given functions may take long; here any numbers do.
    shapes = {name: jax.eval_shape(partial(problem.named_domain.given, f), point) for name, f in problem.given.items()}
    given = {name: rng.normal(size=jnp.shape(wanted)) for name, wanted in shapes.items()}
    pairs = zip(problem.unknowns.items(), factors[count:], strict=True)
    # One that starts from zero is to have another value too.
    unknowns = {name: jnp.asarray(start, float) * factor + (factor - 1) for (name, start), factor in pairs}
    value = jax.ShapeDtypeStruct(own.shape, own.dtype)
    traced = trace_residual(problem.equation, value, point, unknowns | given)
    return traced.at([draw(wanted) for wanted in traced.types], draw(value), point)
