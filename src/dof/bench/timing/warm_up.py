"""Runs that are not timed, before each sample of a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

WARM_UP = 0.1
"""Seconds of them. A program that has waited for others runs on one core at first: after pauses of 0.1 to 3 s a step of
training for Korteweg–de Vries takes 40 ms once to four times, then 23 ms (two cores of an AMD EPYC)."""


def warm_up(run: Callable[[], Any]) -> None:
    """Run for a while, as in a training that goes on without pauses."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP:
        run()
