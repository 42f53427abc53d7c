"""`Propagated`: the outputs of a propagation, and how operators are read off them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from dof.triples.readout import full_triple, value_as_array
from dof.triples.triple import depends_on_x


class Propagated(NamedTuple):
    """The result of a propagation.

    Attributes:
        outputs: the leaves of f(x); a triple if it depends on x, else a plain array.
        tree: the pytree structure of f(x).
        directions: how many directions were propagated; for an order above two, how many columns besides the value.
        readings: for each operator, how it is read off an output.
        columns: for an order above two, what the columns are.
        why: for an order above two, why this way was taken.
    """

    outputs: list[Any]
    tree: Any
    directions: int
    readings: list[Any]
    columns: tuple[str, ...] = ()
    why: str = ""

    def each(self, read: Callable[[Any], Any]) -> Any:
        """The pytree of f(x) with `read(output)` in place of each leaf."""
        return jax.tree.unflatten(self.tree, [read(output) for output in self.outputs])

    def triples(self) -> Any:
        """The pytree of f(x) with a triple in place of each leaf that depends on x, and plain arrays for the others."""
        full = lambda output: full_triple(output, self.directions, self.readings)  # noqa: E731
        return self.each(lambda output: full(output) if depends_on_x(output) else value_as_array(output))
