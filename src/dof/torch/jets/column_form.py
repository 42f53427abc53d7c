"""What stands in place of a quadratic form for operators of an order above two: the span of their derivatives.

The tangents of a triple are then the columns B_1 v, B_2 v, … of the span, (K − 1, *s), and nothing is applied. Linear
rules treat them as they treat tangents. Products and elementwise functions follow the algebra of the columns. Any other
rule asks for a quadratic form, which there is none of, and the operators are applied one after another instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from torch import Tensor

from dof.symbols.span import Span
from dof.torch.propagation import NeedsNesting
from dof.torch.refusal import users_line


@dataclass(frozen=True)
class ColumnForm:
    """The span of the columns that a propagation carries; what fused rules and slots ask of a form is not there."""

    span: Span
    channels = 0
    is_known = False
    runs = rows = None

    @property
    def directions(self) -> int:
        """How many columns there are besides the value."""
        return len(self.span) - 1

    def contract(self, g: Tensor, h: Tensor) -> NoReturn:
        """There is no quadratic form."""
        _leave()

    def weigh(self, h: Tensor) -> NoReturn:
        """There is no quadratic form."""
        _leave()


def has_columns(form: Any) -> bool:
    """Whether tangents are columns, of an operator of an order above two."""
    return isinstance(form, ColumnForm)


def _leave() -> NoReturn:
    raise NeedsNesting(f"an operation at {users_line()} has a rule of order two only")
