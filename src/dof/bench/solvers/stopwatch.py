"""A clock that stands still while the error is measured.

With processor time a solver on one core is measured as if it had the core alone: for a machine with other work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Found = tuple[float, float]
"""Seconds, and the relative error that was reached by then."""

APART = 1.1
"""The error is measured when this factor in time, and half a second, have passed since the last time."""


@dataclass
class Watch:
    """Seconds of training, and the errors on the way.

    Args:
        values: The reference at the points of comparison, (n,).
        send: Is told what was found.
        limit: Seconds after which `is_over`.
        clock: `time.perf_counter`, or `time.process_time` for processor time.
    """

    values: np.ndarray
    send: Callable[[Found], object]
    limit: float
    clock: Callable[[], float] = time.perf_counter
    _began: float = field(init=False)
    _still: float = 0.0
    _last: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Since the watch was made, without the time that measuring errors took."""
        return self.clock() - self._began - self._still

    @property
    def is_due(self) -> bool:
        """Whether the error is to be measured again."""
        return self.seconds > APART * self._last + 0.5

    @property
    def is_over(self) -> bool:
        """Whether the limit has passed."""
        return self.seconds > self.limit

    def look(self, predict: Callable[[], np.ndarray]) -> None:
        """Measure the error of what `predict` gives at the points, (n,)."""
        self._last, start = self.seconds, self.clock()
        error = np.linalg.norm(predict() - self.values) / np.linalg.norm(self.values)
        self.send((self._last, float(error)))
        self._still += self.clock() - start
