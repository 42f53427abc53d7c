"""How an operator is read off the triples that come out: L f = Σ factor · applied[channel] + c f."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.promotion import own_promotion
from dof.triples.slots_to_stacks import in_frame
from dof.triples.stack_arithmetic import zeros_stacked
from dof.triples.triple import Triple, applied_of, is_smooth, tangents_of, value_of
from dof.typing import Array


class Reading(NamedTuple):
    """How one operator is read off a triple.

    Attributes:
        channels: (factor, channel) pairs; the factor is 1, or 1 and i for a complex operator.
        c: the coefficient of order zero at x; None if it is absent.
    """

    channels: list[tuple[complex, int]]
    c: Array | None

    def derivatives(self, output: Any) -> Array:
        """(L − c) f."""
        value, applied = value_as_array(output), applied_of(output)
        if applied is None:
            applied = zeros_stacked(1 + max(n for _, n in self.channels), floating(value))
        with own_promotion():
            # A factor of one is left out, because multiplying with it would make the result complex.
            parts = [applied[n] if w == 1 else w * applied[n] for w, n in self.channels]
            return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    def of(self, output: Any) -> Array:
        """L f."""
        if self.c is None:
            return self.derivatives(output)
        value = value_as_array(output)
        with own_promotion():
            return self.derivatives(output) + in_precision_of(value, self.c) * value


def value_as_array(output: Any) -> Any:
    """The value of an output; a literal of the program becomes an array."""
    return jnp.asarray(value_of(output))


def floating(value: Any) -> Any:
    """The value in floating numbers, which derivatives of integers, all zero, come in."""
    return value if is_smooth(value) else jnp.asarray(value, float)


def in_precision_of(value: Any, c: Array) -> Any:
    """c, such that c · value has the precision of `value`."""
    # A Python number takes the precision of the value; an array of float64 would promote it.
    if is_known(c):
        return c.item()
    dtype = jnp.result_type(value) if is_smooth(value) else c.dtype
    return c.astype(jnp.promote_types(dtype, jnp.complex64) if jnp.iscomplexobj(c) else dtype)


def full_triple(output: Any, directions: int, readings: list[Reading]) -> Triple:
    """The triple of an output with its zeros written out; `applied` has no channel axis for a single operator."""
    value = value_as_array(output)
    tangents = tangents_of(in_frame(output, np.arange(directions)))
    applied = jnp.stack([reading.derivatives(output) for reading in readings])
    return Triple(
        value,
        zeros_stacked(directions, floating(value)) if tangents is None else tangents,
        applied if len(readings) > 1 else applied[0],
    )
