"""The cost model: operations that a step of a program takes for each direction."""

from __future__ import annotations

from typing import Any, NamedTuple


class Work(NamedTuple):
    """The work of one step.

    Attributes:
        pushing: operations to push one tangent through.
        curved: elements of the results with a second derivative, at each of which the form sums over directions.
    """

    pushing: float = 0
    curved: float = 0

    def __add__(self, other: Any) -> Work:
        return Work(self.pushing + other.pushing, self.curved + other.curved)

    def times(self, turns: int) -> Work:
        """The work of `turns` repetitions."""
        return Work(self.pushing * turns, self.curved * turns)

    def of(self, directions: int, is_coupled: bool) -> float:
        """Operations for r directions: r (pushing + curved), or r (pushing + curved r) if they are summed in pairs."""
        return float(directions * (self.pushing + self.curved * (directions if is_coupled else 1)))
