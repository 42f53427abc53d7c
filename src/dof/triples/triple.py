"""What is carried for every value that depends on x: (v, directional derivatives of v, operators applied to v)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from dof.typing import Array, Inexact, Shaped


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Triple:
    """A value v of the computation with what the operators need to know of it.

    value     v
    tangents  g_k = ∂v along direction k; None stands for zero. Stacked in front for rules and for users; in the walk,
              `Tangents` that keep for each element only the directions it depends on
    applied   s_c = (L_c − c_c) v for each operator c, stacked in front; None stands for zero

    A value that does not depend on x is no Triple but a plain array.

    >>> import dof, jax.numpy as jnp
    >>> t = dof.propagate(lambda x: x[0] * x[1] ** 2, dof.laplacian)(jnp.array([2.0, 3.0]))
    >>> print(t.value, t.tangents, t.applied)
    18.0 [ 9. 12.] 4.0
    """

    value: Shaped[Array, " *s"]
    tangents: Any
    applied: Inexact[Array, " c *s"] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the value."""
        return jnp.shape(self.value)

    def map(self, of_value: Callable[[Any], Any], of_part: Callable[[Any], Any]) -> Any:
        """A triple of one function of the value and another of the stacked parts; a part that is zero stays so."""
        tangents, applied = (None if part is None else of_part(part) for part in (self.tangents, self.applied))
        build: Any = Triple  # of shapes, axes or specs as well as of arrays
        return build(of_value(self.value), tangents, applied)


def is_smooth(value: Any) -> bool:
    """Whether a value of this type can have derivatives: floating or complex."""
    return jnp.issubdtype(value.dtype if hasattr(value, "dtype") else jnp.result_type(value), jnp.inexact)


def value_of(operand: Triple | Any) -> Any:
    return operand.value if isinstance(operand, Triple) else operand


def tangents_of(operand: Triple | Any) -> Any:
    return operand.tangents if isinstance(operand, Triple) else None


def applied_of(operand: Triple | Any) -> Any:
    return operand.applied if isinstance(operand, Triple) else None


def triple_or_constant(value: Any, tangents: Any, applied: Any) -> Triple | Any:
    """A Triple, or the plain value if nothing of it depends on x."""
    return value if tangents is None and applied is None else Triple(value, tangents, applied)


def add(x: Any, y: Any) -> Any:
    """x + y where None stands for zero."""
    if x is None or y is None:
        return y if x is None else x
    return x + y


def zeros_stacked(count: int, value: Any) -> Any:
    """`count` zero derivatives of `value`, stacked in front."""
    # By way of the value: inside shard_map, zeros must vary over the same devices as what they are zeros for.
    return jnp.zeros_like(jnp.broadcast_to(value, (count, *jnp.shape(value))))


def aligned(part: Any, value: Any) -> Any:
    """Stacked derivatives of an operand that broadcasts against `value`, with as many axes."""
    if part is None or part.ndim == jnp.ndim(value) + 1:
        return part
    return part.reshape(len(part), *[1] * (jnp.ndim(value) + 1 - part.ndim), *part.shape[1:])


def spread(part: Any, value: Any) -> Any:
    """Stacked derivatives of an operand that broadcasts against `value`, with the shape of that."""
    if part is None or part.shape[1:] == jnp.shape(value):
        return part
    return jnp.broadcast_to(aligned(part, value), (len(part), *jnp.shape(value)))
