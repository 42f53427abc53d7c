"""Whether a field is known up to a constant only, as where nothing but its derivatives occurs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.measured_data import MeasuredData
from dof.pde.problem import Problem
from dof.solving.loss.objective import Objective

PROBES = 500
"""Points of each term at which the residuals of u and u + 1 are compared: u may occur in a part of the domain only."""
ROUNDING = 1e-9
"""Share of the residual's size by which the two may differ."""
SPREAD = 0.1
"""Standard deviation of what is added to all parameters: an unknown that starts from zero would hide its term k u."""


def on_free_constant(objective: Objective) -> str:
    """About fields to which a constant can be added without a change of the equation or of a condition."""
    problem = objective.problem
    # Without conditions another sentence says so; an ansatz may have the value in it.
    free = _without_value(problem) if problem.conditions and not problem.ansatz else []
    # From the last term to the first: conditions take less time than the equation, which is looked at in few problems.
    for k in reversed(range(len(objective.terms))):
        if not free:
            return ""
        free = [number for number, is_free in zip(free, _unchanged(objective, k, free), strict=True) if is_free]
    names = [problem.equation.fields.each[number] for number in free]
    return _told(names, problem) if names else ""


def _told(names: list[str], problem: Problem) -> str:
    fields = problem.equation.fields
    own = next(name for name in fields.names if fields.each.index(names[0]) in fields.axes(name))
    middle = [float(f"{x:.3g}") for x in (problem.domain.bounds[0] + problem.domain.bounds[1]) / 2]
    zeros = [0.0] * problem.named_domain.shape_of(own)[0] if problem.named_domain.shape_of(own) else 0.0
    which = f', field="{own}"' if len(fields.names) > 1 else ""
    error = ", and so has its error against the reference" if problem.reference is not None else ""
    return (
        f"`{' '.join(names)}` is known up to a constant: {names[0]} + 1 fulfils the equation and all conditions as "
        f"well as {names[0]}, so that what is found has a constant of its own{error}.\n"
        f"  Fix: pde.data([{middle}], [{zeros}]{which}), its value at one point; or pde.dirichlet on a part"
    )


def _without_value(problem: Problem) -> list[int]:
    """The numbers of the network that belong to fields whose value no condition gives."""
    gives = lambda c: isinstance(c, MeasuredData) or (isinstance(c, Condition) and c.kind in ("dirichlet", "initial"))  # noqa: E731
    given = {c.field for c in problem.conditions if gives(c)}
    fields = problem.equation.fields
    return [] if None in given else [k for name in fields.names if name not in given for k in fields.axes(name)]


def _unchanged(objective: Objective, k: int, numbers: list[int]) -> np.ndarray:
    """Whether the residual of term k stays the same when 1 is added to a number of the network, for each of these."""
    problem, rng = objective.problem, np.random.default_rng(0)
    theta = objective.start + SPREAD * rng.normal(size=objective.start.size)
    u, term = objective.u(theta), objective.terms[k]
    steps = np.eye(problem.equation.fields.count)[numbers].reshape(-1, *problem.named_domain.field_shape)

    def residuals(*arrays: Any) -> Any:
        at = lambda step: objective.residual_of(k, lambda z: u(z) + step, theta, arrays)  # noqa: E731
        return jax.vmap(at)(jnp.concatenate([0 * steps[:1], steps]))

    arrays = [array[:PROBES] for array in term.points(rng.random((PROBES, term.uniforms)))]
    found = np.asarray(jax.jit(jax.vmap(residuals, out_axes=1))(*arrays))
    # Where one is nan, nothing is said to be unchanged; that a residual is infinite is told when training starts.
    with np.errstate(invalid="ignore"):
        return np.abs(found[1:] - found[0]).max(axis=(1, 2)) <= ROUNDING * np.abs(found[0]).max()
