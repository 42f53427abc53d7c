"""Whether the unknown functions are numbers before training, with what the user has put around the network."""

from __future__ import annotations

import jax
import numpy as np

from dof.errors import ArgumentError, describe
from dof.solving.loss.objective import Objective
from dof.solving.point_in_words import place

MOST_POINTS = 1024
"""Points that are looked at, and as many in 100,000 dimensions."""


def require_finite_fields(objective: Objective, points: np.ndarray) -> None:
    """Refuse fields that are nan or infinite inside of the domain.

    The residuals need not show it: they have derivatives of a field, and those of a value that is nan may be zero.

    Args:
        objective: With θ before the first step.
        points: Inside of the domain, (points, coordinates).
    """
    problem, points = objective.problem, points[:MOST_POINTS]
    has_values = any(condition.hard and callable(condition.value) for condition in problem.conditions)
    if not (has_values or problem.ansatz or problem.features):
        return
    values = np.asarray(jax.jit(jax.vmap(objective.u(objective.start)))(points)).reshape(len(points), -1)
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        names = " ".join(problem.equation.fields.names)
        at = place(points[bad[0]], problem.equation.coordinates.each)
        found = f"is {values[bad[0]].sum():.3g} at {at}, and at {len(bad)} of {len(points)} points inside of the domain"
        fix = "look for √, log and divisions in hard conditions, ansatz and features"
        raise ArgumentError(describe(names, found, "a number at all points, before anything is trained", fix))
