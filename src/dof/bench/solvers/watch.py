"""A clock that stands still while the error is measured."""

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
    """

    values: np.ndarray
    send: Callable[[Found], object]
    limit: float
    _began: float = field(default_factory=time.perf_counter)
    _still: float = 0.0
    _last: float = 0.0

    @property
    def seconds(self) -> float:
        """Since the watch was made, without the time that measuring errors took."""
        return time.perf_counter() - self._began - self._still

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
        self._last, start = self.seconds, time.perf_counter()
        error = np.linalg.norm(predict() - self.values) / np.linalg.norm(self.values)
        self.send((self._last, float(error)))
        self._still += time.perf_counter() - start
