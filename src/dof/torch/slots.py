"""Slots: tangents of values that have an axis of particles, for operators that do not couple particles.

Along that axis, of size m, element p depends on the coordinates of particle p only, so that of r = m b directions it
needs the b of its own. Tangents are (b, *s) then: entry k belongs to direction p b + k where the axis is at p.
Operations that do not mix particles treat the b slots as if they were all directions. All others get all directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dof.directions.weight_runs import runs_of
from dof.torch.quadratic_form import QuadraticForm


class Slots(NamedTuple):
    """Which axis of a value has the particles, counted from the end (−1 is the last), and the form of the b slots."""

    axis: int
    form: QuadraticForm


def split_seed(form: QuadraticForm, new: Sequence[int], like: Tensor) -> tuple[Tensor, QuadraticForm] | None:
    """Tangents (b, *new) of the N coordinates of a point in the shape `new`, with particles on its first axis.

    Returns:
        (tangents, form of the slots), or None if A couples particles, or is not the same for all of them in the number
        and weights of its directions.
    """
    m, n = new[0], math.prod(new)
    if form.rows is None or form.runs is None or m < 2 or form.directions % m:
        return None
    blocks = form.rows.reshape(m, -1, m, n // m)
    own = blocks[np.arange(m), :, np.arange(m)]  # (m, b, N / m)
    weights = np.concatenate([np.tile(np.array(r.weights)[:, None], r.stop - r.start) for r in form.runs], 1)
    per_particle = weights.reshape(form.channels, m, -1)
    if np.count_nonzero(own) != np.count_nonzero(blocks) or (per_particle != per_particle[:, :1]).any():
        return None
    tangents = torch.as_tensor(own.swapaxes(0, 1).reshape(-1, *new)).to(dtype=like.dtype, device=like.device)
    return tangents, _form_of_slots(form, per_particle[:, 0])


def _form_of_slots(form: QuadraticForm, weights: np.ndarray) -> QuadraticForm:
    b = weights.shape[1]
    chosen = None if form.weights is None else form.weights[:, :b]
    return QuadraticForm(chosen, b, form.channels, runs=runs_of(weights))


def all_directions(tangents: Tensor, axis: int) -> Tensor:
    """Tangents in slots (b, *s) along all directions: (m b, *s), zero where particle and direction differ."""
    # (b, …, m) to (b, …, m, m), whose last axis but one becomes the particle of the direction.
    return torch.diag_embed(tangents.movedim(axis, -1)).movedim(-1, axis - 1).movedim(-1, 0).flatten(0, 1)


def placed(tangents: Tensor, axis: int) -> Tensor:
    """The sum over particles of tangents in slots (b, *s), along all directions: each entry occurs once in it."""
    return tangents.movedim(axis, 0).flatten(0, 1)
