"""What was done to apply an operator, operation by operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dof.torch.refusal import users_line
from dof.torch.triple import Triple


@dataclass(frozen=True)
class Step:
    """One operation that met a triple.

    Attributes:
        operation: its name in aten.
        family: the family of its rule.
        shape: the shape of its (first) result.
        tangents: the shape of the tangents of the result; None if they are zero.
        has_slots: whether tangents have the directions of one particle only, each element those of its own.
        source: file and line of the user's code.
    """

    operation: str
    family: str
    shape: tuple[int, ...]
    tangents: tuple[int, ...] | None
    has_slots: bool
    source: str

    @classmethod
    def of(cls, func: Any, family: str, result: Any) -> Step:
        """The step of an operation with this result."""
        first = result[0] if isinstance(result, (list, tuple)) and result else result
        tangents, slots = (first.tangents, first.slots) if isinstance(first, Triple) else (None, None)
        shape = None if tangents is None else tuple(tangents.shape)
        name = str(func).removeprefix("aten.").removesuffix(".default")
        return cls(name, family, tuple(getattr(first, "shape", ())), shape, slots is not None, users_line())
