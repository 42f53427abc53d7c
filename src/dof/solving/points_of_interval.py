"""The points of an interval of training: how many, where, and which come first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import jax.numpy as jnp
import numpy as np

import dof
from dof.pde.problem import Problem
from dof.solving.devices import Devices
from dof.solving.loss.causal_weights import causal_factors
from dof.solving.loss.collocation_points import Batch, crowded, sample
from dof.solving.loss.objective import Objective
from dof.solving.settings import Settings
from dof.solving.shares_of_points import filled

CANDIDATES = 4
"""Drawn for each point where points are chosen by the residual. They are evaluated once in an interval, so that four of
them cost little beside its steps."""
MORE_POINTS = 2
"""How many times as many points there are once the residual on fresh points has parted from that on fitted ones.
Burgers' equation with 0.01 / π, with default settings, ends at an error of 5.0e-2 with points as at the start, 1.4e-3
with as many that are drawn by the residual, and 1.4e-4 with twice as many of them."""


class IntervalPoints:
    """The points of each interval of a training.

    Args:
        problem: That is solved.
        objective: Its loss, whose residual decides where points are.
        settings: Of training.
        devices: On which the residual is computed.
        counts: How many points each term has at the start.
    """

    def __init__(
        self, problem: Problem, objective: Objective, settings: Settings, devices: Devices, counts: tuple[int, ...]
    ) -> None:
        self.problem, self.objective, self.settings = problem, objective, settings
        self.devices, self.counts = devices, counts

    def batch(self, step: int, theta: Any, has_parted: bool) -> Batch:
        """The points of the interval that begins after a step.

        Args:
            step: After how many steps the interval begins.
            theta: The vector of all that is trained, by which points are chosen where the residual is large.
            has_parted: Whether the residual on fresh points has parted from that on fitted ones.
        """
        # The step is the number of the round, and no generator is kept: a resumed run draws the same points.
        settings, number = self.settings, step if self.settings.resample else 0
        has_parted = settings.adaptive == "auto" and has_parted
        if not ((settings.adaptive is True or has_parted) and settings.resample):
            return self._sample(self.counts, number)
        n = self.counts[0] * (MORE_POINTS if has_parted and settings.may_add_points else 1)
        many = self._sample((CANDIDATES * n, *self.counts[1:]), number)
        sizes = self.squares(0, theta, many[0])
        # (seed, number, k) draws the points of term k; the number of terms makes another stream.
        return (crowded(many[0], sizes, n, (settings.seed, number, len(many))), *many[1:])

    def in_causal_order(self, theta: Any, batch: Batch) -> Batch:
        """The batch, with a factor for each point of the equation if earlier times are to come first."""
        if not self.settings.causal:
            return batch
        named, sizes = self.problem.named_domain, self.squares(0, theta, batch[0])
        times = np.asarray(batch[0][0])[:, named.time]
        factors = causal_factors(times, sizes, named.ends(named.time), self.settings.causal)
        return ((*batch[0], factors), *batch[1:])

    def squares(self, k: int, theta: Any, arrays: Any) -> np.ndarray:
        """|r|² of term k at each point."""
        split = tuple(filled(array, self.devices) for array in arrays)
        return np.asarray(self._compiled_squares[k](*self.devices.placed(theta, split)))[: len(arrays[0])]

    @cached_property
    def _compiled_squares(self) -> Sequence[Any]:
        def run(k: int, theta: Any, arrays: Any) -> Any:
            at = lambda *z: jnp.sum(self.objective.residual(k, theta, z) ** 2)  # noqa: E731
            return self.devices.all_rows(dof.batched(at)(*arrays))

        return [self.devices.program(partial(run, k)) for k in range(len(self.counts))]

    def _sample(self, counts: tuple[int, ...], number: int) -> Batch:
        """So many points for each term, drawn anew for each number."""
        changed = self.problem.domain.towards_ends if self.settings.chebyshev else np.asarray
        return sample(self.objective.terms, counts, self.settings.seed, number, changed)
