"""How an operator of any order is read off the columns that come out: L f = Σ_k g_k P_k f."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dof.none_as_zero import add
from dof.symbols.column_algebra import combination
from dof.symbols.span import Span
from dof.torch.jets.columns import by_number
from dof.torch.jets.symbol_at import Symbol
from dof.torch.readout import over_outputs


class ColumnReading(NamedTuple):
    """How one operator is read off a value and its columns.

    Attributes:
        terms: the factors of the operator at the points, and of what columns each is a multiple.
    """

    terms: Sequence[tuple[Any, dict[int, float]]]

    @classmethod
    def of_symbol(cls, span: Span, symbol: Symbol) -> ColumnReading:
        """How an operator is read off the columns of a span."""
        return cls([(factor, span.read(polynomial)) for factor, polynomial in symbol])

    def of(self, value: Tensor, columns: Tensor | None) -> Tensor:
        """L f."""
        found: dict[int, Any] = {0: value, **by_number(columns)}
        total = None
        for factor, weights in self.terms:
            part = combination(weights, found)
            if part is not None:
                total = add(total, part if factor is None else over_outputs(factor, value) * part)
        return torch.zeros_like(value) if total is None else total.expand(value.shape)
