"""The span of all derivatives of symbols, and how its elements act on products.

For an operator P(∂), P(∂)(f g) = P(ξ + η) f g with ξ for derivatives of f and η for those of g. Taylor's formula writes
P(ξ + η) in terms of all partial derivatives of the polynomial P. Their span S is closed under differentiation, so every
element B_i of a basis of S has

    B_i(ξ + η) = Σ_jk C_i^jk B_j(ξ) B_k(η)

with constants C. Carrying (B_1 v, …, B_K v) for every value v is therefore enough, and no fewer columns do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from dof.symbols.polynomial import Monomial, Polynomial, divided, factorials, splits, without
from dof.symbols.text import polynomial_text

Row = dict[Monomial, Fraction]

Pair = tuple[int, int, float]
"""(j, k, weight) with 0 < j ≤ k: weight · (f_j g_k + f_k g_j), or weight · f_j g_j if j = k."""


@dataclass(frozen=True)
class Span:
    """A basis B_0 = 1, B_1, … of the span, ordered by degree; column i of a value v is B_i(∂) v.

    Each B_i contains a monomial, its pivot, with coefficient 1 / e! that no other element contains. So a monomial that
    is in the span is an element of the basis by itself, and the constants C are coefficients of the B_i.

    Attributes:
        rows: the coefficients of ∂^e / e! in each B_i.
        pivots: the pivot of each.
    """

    rows: tuple[Row, ...]
    pivots: tuple[Monomial, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def order(self) -> int:
        """The order of the highest derivative."""
        return max(map(len, self.pivots))

    @cached_property
    def pairs(self) -> tuple[tuple[Pair, ...], ...]:
        """For each column i the products that column i of f g has besides f_0 g_i + f_i g_0."""
        numbers = {pivot: n for n, pivot in enumerate(self.pivots)}

        def of_row(row: Row) -> Iterable[Pair]:
            for monomial, coefficient in row.items():
                for p, q in splits(monomial):
                    j, k = numbers.get(p, 0), numbers.get(q, 0)
                    # Each unordered pair once; a part that is no pivot counts as zero, and so does the constant here.
                    if 0 < j <= k:
                        yield j, k, float(coefficient)

        return tuple(tuple(of_row(row)) for row in self.rows)

    @property
    def products(self) -> int:
        """How many products of two columns besides the value a product of jets has."""
        return sum(map(len, self.pairs))

    def read(self, symbol: Polynomial) -> dict[int, float]:
        """The numbers w_j with symbol = Σ_j w_j B_j, for a symbol in the span."""
        wanted = divided(symbol)
        return {n: float(wanted[pivot]) for n, pivot in enumerate(self.pivots) if wanted.get(pivot)}

    def first_order(self, column: int) -> dict[int, float]:
        """B_i applied to the coordinates: the nonzero B_i x_j, by the number j of the coordinate."""
        return {monomial[0]: float(b) for monomial, b in self.rows[column].items() if len(monomial) == 1}

    def meanings(self, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """What each column is, up to a factor: "∂₀³ + ∂₁"."""
        return tuple(
            polynomial_text({e: b * factorials(pivot) / factorials(e) for e, b in row.items()}, names)
            for row, pivot in zip(self.rows, self.pivots, strict=True)
        )


def cached_span_of(symbols: Iterable[Polynomial]) -> Span:
    """As `span_of`, kept for the next time: the same operator is applied again and again."""
    return _span_of_set(frozenset(frozenset(symbol.items()) for symbol in symbols))


@lru_cache(maxsize=256)
def _span_of_set(symbols: frozenset[frozenset[tuple[Monomial, Fraction]]]) -> Span:
    # In an order of their own: the order of a set differs from run to run, and rounding with it.
    return span_of(sorted(map(dict, symbols), key=lambda symbol: sorted(symbol.items())))


def span_of(symbols: Iterable[Polynomial]) -> Span:
    """The span of all derivatives of the symbols, with 1 in it."""
    rows: dict[Monomial, Row] = {}
    left: list[Row] = [{(): Fraction(1)}, *(divided(symbol) for symbol in symbols)]
    while left:
        # One after the other from the end: derivatives of what was found last, which are lower, come first.
        row = _reduced(left.pop(), rows)
        if row:
            _insert(row, rows)
            left += [_derivative(row, i) for i in sorted({i for monomial in row for i in monomial})]
    pivots = sorted(rows, key=lambda pivot: (len(pivot), pivot))
    return Span(tuple(rows[pivot] for pivot in pivots), tuple(pivots))


def _derivative(row: Row, coordinate: int) -> Row:
    return {without(monomial, coordinate): b for monomial, b in row.items() if coordinate in monomial}


def _reduced(row: Row, rows: dict[Monomial, Row]) -> Row:
    """The row without the pivots that it contains, by subtraction of their rows."""
    found = dict(row)
    for pivot in [monomial for monomial in row if monomial in rows]:
        _subtract(found, row[pivot], rows[pivot])
    return found


def _subtract(row: Row, factor: Fraction, other: Row) -> None:
    for monomial, b in other.items():
        row[monomial] = row.get(monomial, Fraction(0)) - factor * b
        if not row[monomial]:
            del row[monomial]


def _insert(row: Row, rows: dict[Monomial, Row]) -> None:
    """Add a reduced row; its pivot, a monomial of highest degree, is eliminated from all others."""
    pivot = max(row, key=lambda monomial: (len(monomial), tuple(-i for i in monomial)))
    row = {monomial: b / row[pivot] for monomial, b in row.items()}
    for other in rows.values():
        if pivot in other:
            _subtract(other, other[pivot], row)
    rows[pivot] = row
