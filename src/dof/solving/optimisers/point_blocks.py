"""Blocks of the equation's points, of which each step of an optimiser takes another one."""

from __future__ import annotations

from typing import Any

import jax

from dof.solving.choices_by_parameter_count import STEP_RESIDUALS
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective
from dof.solving.settings import Settings


def blocks_of(objective: Objective, settings: Settings) -> int:
    """Into how many blocks the points are divided: one, or for stochastic Gauss–Newton, and Adam before it, more."""
    if settings.optimiser != "stochastic-gauss-newton" or settings.newton == 0:
        return 1
    points = settings.points or 1
    # At least one to fit and one to judge by, where there are two points.
    return min(points, max(2, points * objective.components(0) // STEP_RESIDUALS))


def with_block(batch: Batch, k: Any, blocks: int) -> Batch:
    """The batch with block k, counted around, of the equation's points in place of all of them."""
    if blocks == 1:
        return batch
    size = len(batch[0][0]) // blocks
    own = tuple(jax.lax.dynamic_slice_in_dim(array, k % blocks * size, size) for array in batch[0])
    return (own, *batch[1:])
