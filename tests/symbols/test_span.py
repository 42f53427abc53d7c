"""The span of all derivatives of a symbol: how many columns there are, and how they multiply."""

from fractions import Fraction

import numpy as np
import pytest

from dof.symbols.polynomial import divided, factorials, times
from dof.symbols.span import span_of

X, T = (0,), (1,)


def laplacian(d, power=1):
    one = {(i, i): Fraction(1) for i in range(d)}
    symbol = one
    for _ in range(power - 1):
        symbol = times(symbol, one)
    return symbol


HEAT = {T: Fraction(1), X * 2: Fraction(-1)}
KDV = {T: Fraction(1), X * 3: Fraction(1)}
KS = {T: Fraction(1), X * 2: Fraction(1), X * 4: Fraction(1)}
BEAM = {T * 2: Fraction(1), X * 4: Fraction(1)}
UNEVEN = {(0, 0, 1): Fraction(0.1), (0, 1, 1): Fraction(-3, 7), (2,): Fraction(0.3), (0, 0): Fraction(2)}

COLUMNS = {
    "heat": (HEAT, 3),
    "KdV": (KDV, 4),
    "Kuramoto-Sivashinsky": (KS, 5),
    "beam": (BEAM, 6),
    "biharmonic, 2-D": (laplacian(2, 2), 9),
    "biharmonic, 3-D": (laplacian(3, 2), 14),
    "biharmonic, 5-D": (laplacian(5, 2), 27),
    "triharmonic, 2-D": (laplacian(2, 3), 16),
    "triharmonic, 3-D": (laplacian(3, 3), 30),
    "Laplacian, 7-D": (laplacian(7), 9),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_no_more_columns_than_derivatives_of_the_symbol_are_independent(name):
    symbol, columns = COLUMNS[name]
    assert len(span_of([symbol])) == columns


def value(coefficients, at):
    """A polynomial in divided powers at a point."""
    return sum(float(b) / factorials(e) * np.prod([at[i] for i in e]) for e, b in coefficients.items())


@pytest.mark.parametrize(
    "symbols",
    [[KDV], [KS], [laplacian(3, 2)], [laplacian(2, 3)], [UNEVEN], [KS, {(0, 1): Fraction(1)}, UNEVEN]],
    ids=["KdV", "KS", "biharmonic", "triharmonic", "uneven", "several"],
)
def test_columns_of_a_product_are_those_of_the_symbol_at_a_sum(symbols):
    span, rng = span_of(symbols), np.random.default_rng(1)
    xi, eta = rng.normal(size=(2, 3))
    first, second = ([value(row, at) for row in span.rows] for at in (xi, eta))
    for i, row in enumerate(span.rows):
        found = first[0] * second[i] + (first[i] * second[0] if i else 0)
        found += sum(w * (first[j] * second[k] + (first[k] * second[j] if j != k else 0)) for j, k, w in span.pairs[i])
        np.testing.assert_allclose(found, value(row, xi + eta), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("symbol", [KDV, KS, UNEVEN, laplacian(3, 2)], ids=["KdV", "KS", "uneven", "biharmonic"])
def test_a_symbol_is_read_off_its_columns(symbol):
    span, at = span_of([symbol]), np.random.default_rng(2).normal(size=3)
    read = sum(weight * value(span.rows[j], at) for j, weight in span.read(symbol).items())
    np.testing.assert_allclose(read, value(divided(symbol), at), rtol=1e-12)


def test_monomials_of_the_span_are_columns_by_themselves():
    span = span_of([laplacian(2, 2)])
    singles = [pivot for row, pivot in zip(span.rows, span.pivots, strict=True) if len(row) == 1]
    assert singles == [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]


def test_columns_that_only_rounding_would_tell_apart_are_not_counted_twice():
    # (0.1 ∂₀ + 0.3 ∂₁)⁴ depends on one direction, whatever its floats round to.
    one = {(0,): Fraction(0.1), (1,): Fraction(0.3)}
    assert len(span_of([times(times(one, one), times(one, one))])) == 5


def test_meanings_are_polynomials_in_the_derivatives():
    assert span_of([KDV]).meanings() == ("1", "∂₀", "∂₀²", "∂₀³ + ∂₁")
    assert span_of([laplacian(2, 2)]).meanings("xy")[-3:] == ("∂x³ + ∂x ∂y²", "∂x² ∂y + ∂y³", "∂x⁴ + 2 ∂x² ∂y² + ∂y⁴")
    assert span_of([UNEVEN]).meanings("xyz")[-1].startswith("∂x² ∂y − 4.286 ∂x ∂y²")


def test_the_constant_alone_has_one_column():
    assert span_of([]).pivots == ((),)
    assert span_of([{(): Fraction(3)}]).read({(): Fraction(3)}) == {0: 3.0}
