"""What is carried for every value v that depends on x: (v, directional derivatives of v, operators applied to v)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import jax
import jax.numpy as jnp

from dof.triples.slot_tangents import SlotTangents
from dof.typing import Array, Inexact, Shaped


@dataclass(frozen=True)
class DependsOnX:
    """Base of `Triple`, `SlotTriple` and `Jet`. A value that does not depend on x is a plain array instead."""

    value: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return jnp.shape(self.value)


@dataclass(frozen=True)
class _OrderTwo(DependsOnX):
    """Base of `Triple` and `SlotTriple`."""

    tangents: Any
    applied: Any

    @classmethod
    def or_constant(cls, value: Any, tangents: Any, applied: Any) -> Self | Any:
        """A triple, or the plain value if both derivatives are zero (None)."""
        return value if tangents is None and applied is None else cls(value, tangents, applied)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Triple(_OrderTwo):
    """A value with stacked derivatives: what rules work on, and what `dof.propagate` returns.

    Attributes:
        value: v, of any shape (*s).
        tangents: ∂v along each direction, (r, *s); None stands for zero.
        applied: (L − c) v for each operator (channel), (c, *s); None stands for zero.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> t = dof.propagate(lambda x: x[0] * x[1] ** 2, dof.laplacian)(jnp.array([2.0, 3.0]))
        >>> print(t.value, t.tangents, t.applied)
        18.0 [ 9. 12.] 4.0
    """

    value: Shaped[Array, " *s"]
    tangents: Inexact[Array, " r *s"] | None
    applied: Inexact[Array, " c *s"] | None

    def map(self, of_value: Callable[[Any], Any], of_part: Callable[[Any], Any]) -> Any:
        """The triple (of_value(value), of_part(tangents), of_part(applied)); a part that is zero stays zero."""
        tangents, applied = (None if part is None else of_part(part) for part in (self.tangents, self.applied))
        build: Any = Triple  # of shapes, axes or specs as well as of arrays
        return build(of_value(self.value), tangents, applied)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SlotTriple(_OrderTwo):
    """A value whose tangents keep, for each element, only the directions it depends on.

    The interpreter carries these from equation to equation.

    Attributes:
        value: v, of any shape (*s).
        tangents: ∂v along the directions in its slots; None stands for zero.
        applied: (L − c) v for each operator (channel), (c, *s); None stands for zero.
    """

    value: Shaped[Array, " *s"]
    tangents: SlotTangents | None
    applied: Inexact[Array, " c *s"] | None


def depends_on_x(operand: Any) -> bool:
    """Whether an operand is a triple or a jet; what does not depend on x is a plain array."""
    return isinstance(operand, DependsOnX)


def has_tangents(operand: Any) -> bool:
    """Whether an operand depends on x with tangents that are not zero."""
    return isinstance(operand, _OrderTwo) and operand.tangents is not None


def varying_operands(operands: Sequence[Any]) -> tuple[int, ...]:
    """The numbers of the operands that depend on x."""
    return tuple(i for i, operand in enumerate(operands) if depends_on_x(operand))


def value_of(operand: Any) -> Any:
    """The value of a triple, or the plain array itself."""
    return operand.value if isinstance(operand, DependsOnX) else operand


def tangents_of(operand: Any) -> Any:
    """The tangents of an operand; None if they are zero."""
    return operand.tangents if isinstance(operand, _OrderTwo) else None


def applied_of(operand: Any) -> Any:
    """The applied part of an operand, (c, *s); None if it is zero."""
    return operand.applied if isinstance(operand, _OrderTwo) else None


def is_smooth(value: Any) -> bool:
    """Whether a value of this dtype can have derivatives: floating or complex."""
    return jnp.issubdtype(value.dtype if hasattr(value, "dtype") else jnp.result_type(value), jnp.inexact)
