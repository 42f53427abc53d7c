"""How an operator of any order is read off the jets that come out: L f = Σ_k g_k P_k f."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import jax.numpy as jnp

from dof.jets.jet import columns_of
from dof.operators.symbol_at import Symbol
from dof.promotion import own_promotion
from dof.symbols.column_algebra import combination
from dof.symbols.span import Span, cached_span_of
from dof.triples.readout import floating, in_precision_of, value_as_array
from dof.typing import Array


class JetReading(NamedTuple):
    """How one operator is read off a jet.

    Attributes:
        span: what the columns are.
        symbol: the operator at x.
    """

    span: Span
    symbol: Symbol

    @property
    def columns(self) -> frozenset[int]:
        """The columns that are read."""
        return frozenset(n for symbol in self.symbol.symbols for n in self.span.read(symbol))

    def of(self, output: Any) -> Array:
        """L f."""
        value = floating(value_as_array(output))
        columns = {0: value, **columns_of(output)}
        with own_promotion():
            total = combination(self.span.read(self.symbol.known), columns)
            for coefficient, symbol in self.symbol.rest:
                part = combination(self.span.read(symbol), columns)
                if part is not None:
                    term = in_precision_of(value, coefficient) * part
                    total = term if total is None else total + term
        return jnp.zeros_like(value) if total is None else total


def common_span(symbols: Iterable[Symbol]) -> Span:
    """The span of all derivatives of all polynomials that are read off."""
    return cached_span_of(polynomial for symbol in symbols for polynomial in symbol.symbols)
