"""Operators of any order: how they are written, and what they mean."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from functions_of_two import X, dx, dy, f, g, h
from oracle import assert_close, nested

B = jnp.ones(2)


def d(f, *e):
    """∂^e f as a function of x."""
    return lambda x: nested(f, x, {e: 1.0})


SAME = {
    "powers and sums": (dy + dx**3, lambda f: lambda x: d(f, 1)(x) + d(f, 0, 0, 0)(x)),
    "differences and multiples": (
        2 * dx**3 - dy @ dx**2 / 4 - dx,
        lambda f: lambda x: 2 * d(f, 0, 0, 0)(x) - d(f, 0, 0, 1)(x) / 4 - d(f, 0)(x),
    ),
    "square of the Laplacian": (dof.laplacian**2, lambda f: dof.laplacian(dof.laplacian(f))),
    "composition of Laplacians": (dof.laplacian @ dof.laplacian, lambda f: dof.laplacian(dof.laplacian(f))),
    "dense matrix": (
        dof.Operator(a=[[1.0, 0.3], [0.5, -2.0]], b=[0.1, 0.2], c=3.0) ** 2,
        lambda f: (lambda L: L(L(f)))(dof.Operator(a=[[1.0, 0.3], [0.5, -2.0]], b=[0.1, 0.2], c=3.0)),
    ),
    "functions of x on the left": (g * (dx**3 + dy), lambda f: lambda x: g(x) * (d(f, 0, 0, 0)(x) + d(f, 1)(x))),
    "functions of x inside": (
        dx**3 @ (h * dy),
        lambda f: d(lambda x: h(x) * d(f, 1)(x), 0, 0, 0),
    ),
    "functions of x everywhere": (
        (g * dof.laplacian + h * dx) @ (h * dof.laplacian + dof.Operator(b=lambda x: x, c=g)) @ (g * dy),
        lambda f: (g * dof.laplacian + h * dx)(
            (h * dof.laplacian + dof.Operator(b=lambda x: x, c=g))(lambda x: g(x) * d(f, 1)(x))
        ),
    ),
    "matrices that are functions of x": (
        dof.laplacian @ dof.Operator(a=lambda x: jnp.outer(x, x) + jnp.diag(x)),
        lambda f: dof.laplacian(dof.Operator(a=lambda x: jnp.outer(x, x) + jnp.diag(x))(f)),
    ),
    "factors that are functions of x, zero at the point": (
        dof.laplacian @ dof.Operator(a=lambda x: dof.Factored((x - X)[None])),
        lambda f: dof.laplacian(lambda x: dof.Operator(a=lambda x: dof.Factored((x - X)[None]))(f)(x)),
    ),
    "blocks": (
        dx @ dof.Operator(a=dof.BlockDiagonal(jnp.array([[[2.0]], [[-3.0]]]))),
        lambda f: lambda x: 2 * d(f, 0, 0, 0)(x) - 3 * d(f, 0, 1, 1)(x),
    ),
    "complex coefficients": (2j * dx**3 + dy, lambda f: lambda x: 2j * d(f, 0, 0, 0)(x) + d(f, 1)(x)),
    "compositions of first order with coefficients": (
        dx @ ((g * dx) @ (h * dy)),
        lambda f: d(lambda x: g(x) * d(lambda x: h(x) * d(f, 1)(x), 0)(x), 0),
    ),
    "functions of x added": (g * dx**4 + g, lambda f: lambda x: g(x) * (d(f, 0, 0, 0, 0)(x) + f(x))),
    "functions of x subtracted": (g - dx**3 - h, lambda f: lambda x: (g(x) - h(x)) * f(x) - d(f, 0, 0, 0)(x)),
    "functions of x added inside": (
        (dx**2 + g) @ (h - dy),
        lambda f: lambda x: (lambda u: d(u, 0, 0)(x) + g(x) * u(x))(lambda x: h(x) * f(x) - d(f, 1)(x)),
    ),
    "order zero": (dof.Operator(c=g) @ dof.laplacian, lambda f: lambda x: g(x) * dof.laplacian(f)(x)),
    "sum of a list": (sum([dx**3, dy**3, dx]), lambda f: lambda x: nested(f, x, {(0,) * 3: 1, (1,) * 3: 1, (0,): 1})),
}


@pytest.mark.parametrize("name", SAME)
def test_an_operator_is_what_its_expression_says(name):
    L, meaning = SAME[name]
    found, expected = jax.jit(lambda x: (L(f)(x), meaning(f)(x)))(X)
    assert_close(found, expected, 1e-9)


def test_a_coefficient_that_is_zero_at_a_known_point_is_not_zero_everywhere():
    """Outside of jit coefficients are numbers at the point, but their derivatives count."""
    L, meaning = SAME["factors that are functions of x, zero at the point"]
    assert_close(L(f)(X), jax.jit(meaning(f))(X), 1e-9)


def test_coefficients_that_are_known_at_run_time_only():
    @jax.jit
    def value_and_slope(a, m):
        L = lambda a: a * dx**3 + dof.Operator(a=m) @ dy + dof.Operator(c=a)  # noqa: E731
        return L(a)(f)(X), jax.grad(lambda a: L(a)(f)(X))(a)

    a, m = 0.7, jnp.array([[1.0, 0.2], [0.4, -1.0]])
    terms = {(0, 0, 0): 1.0, (): 1.0}
    rest = nested(f, X, {(0, 0, 1): 1.0, (0, 1, 1): 0.6, (1, 1, 1): -1.0})
    assert_close(value_and_slope(a, m), (a * nested(f, X, terms) + rest, nested(f, X, terms)), 1e-9)


def test_several_operators_of_any_order_in_one_pass():
    found = jax.jit(dof.jointly(dy + dx**3, dx**2, dx, dof.laplacian**2)(f))(X)
    each = [{(1,): 1, (0, 0, 0): 1}, {(0, 0): 1}, {(0,): 1}, {(0,) * 4: 1, (0, 0, 1, 1): 2, (1,) * 4: 1}]
    assert_close(found, tuple(nested(f, X, terms) for terms in each), 1e-9)


def test_value_and_operator_together():
    assert_close((dx**3).with_value(f)(X), (f(X), d(f, 0, 0, 0)(X)), 1e-9)


def test_an_operator_is_a_pytree_that_can_be_traced_and_differentiated():
    L = dof.Operator(a=2.0) @ dof.Operator(a=np.array([1.0, 3.0]))
    slopes = jax.jit(jax.grad(lambda L: L(f)(X)))(L)
    parts = [nested(f, X, {(0, 0, *e): 2.0, (1, 1, *e): 2.0}) for e in ((0, 0), (1, 1))]
    assert_close(jax.tree.leaves(slopes), [(parts[0] + 3 * parts[1]) / 2, jnp.stack(parts)], 1e-9)


@pytest.mark.parametrize(
    ("L", "text"),
    [
        (dx**2, "order 2: ∂₀²"),
        (dx**3 + 2 * dy - 1, "order 3: ∂₀³ + 2 ∂₁ − 1"),
        (2 * (dx @ dy - dx**2) / 4, "order 2: 0.5 ∂₀ ∂₁ − 0.5 ∂₀²"),
        (g * dx**4 + g, "order 4: g(x) ∂₀⁴ + g(x)"),
        (dx @ (h * dx), "order 2: ∂₀ h(x) ∂₀"),
        (h * (g * dx), "order 1: h(x) g(x) ∂₀"),
        ((dx + 1) ** 2 @ dy, "order 3: (∂₀ + 1)² ∂₁"),
        (-(dof.laplacian**2) + 1j, "order 4: −Δ² + (0+1j)"),
        (dof.Operator(a=[1.0, 2.0], b=[1.0, -0.5]), "order 2: ∂₀² + 2 ∂₁² + ∂₀ − 0.5 ∂₁"),
        (dof.Operator(a=np.eye(2), b=lambda x: x, c=lambda x: x[0]), "order 2: Σ aᵢⱼ ∂ᵢ ∂ⱼ + Σ bᵢ(x) ∂ᵢ + c(x)"),
        (dof.Operator(b=np.ones(100)) @ dx, "order 2: (Σ bᵢ ∂ᵢ) ∂₀"),
        (dof.Operator(), "order 0: 0"),
    ],
)
def test_the_text_of_an_operator_is_its_expression(L, text):
    assert repr(L) == f"<dof operator of {text}>"


def test_an_operator_has_a_text_whatever_its_numbers_are():
    texts = []
    jax.jit(lambda s: texts.append(repr(s * dx**2 + dof.Operator(b=s * B))) or s)(2.0)
    texts.append(repr(jax.tree.map(lambda entry: np.full_like(entry, np.inf), dx**2)))
    assert texts == ["<dof operator of order 2: s ∂₀² + Σ bᵢ ∂ᵢ>", "<dof operator of order 2: (Σ bᵢ ∂ᵢ)²>"]


def test_powers_of_order_zero_and_one():
    assert_close((dx**0)(f)(X), f(X))
    assert (dx**1) is dx
    assert_close(((dx**3) ** 0)(f)(X), f(X))


def test_operators_of_order_two_take_the_way_of_order_two():
    assert isinstance(dx**2 + 3 * dy @ dx - dof.laplacian, dof.Operator)
    assert dof.explain(dx**2, f, X).columns == ()


def test_other_arguments_and_several_of_them():
    two = lambda a, x, y: a * x**3 * y**2  # noqa: E731
    L = dof.derivatives(2)[0] ** 2 @ dof.derivatives(2)[1]
    found = L(two, argnums=(1, 2))(jnp.array(2.0), jnp.array(3.0), jnp.array(0.5))
    assert_close(found, jnp.array(2.0 * 6 * 3.0 * 2 * 0.5))


def test_many_coordinates_and_groups_of_directions_are_nested():
    x, power = jnp.linspace(0.1, 0.9, 24), lambda x: (jnp.sum(x**2) ** 2, jnp.sin(x[0]) * x)
    L, twice = dof.laplacian**2 + g * dx24, lambda f: dof.laplacian(dof.laplacian(f))

    @jax.jit
    def both(x):
        expected = jax.tree.map(lambda a, b: a + g(x) * b, twice(power)(x), dx24(power)(x))
        return (L(power)(x), L(power, directions=5)(x), L.with_value(power)(x)), (
            expected,
            expected,
            (power(x), expected),
        )

    found, expected = both(x)
    assert_close(found, expected, 1e-9)
    assert "by nesting" in str(dof.explain(L, power, x)) and "products" in dof.explain(L, power, x).why


def test_operators_with_very_many_terms_are_not_written_out():
    x = jnp.linspace(0.1, 0.9, 40)
    dense = dof.Operator(a=lambda x: jnp.outer(x, x))
    power = lambda x: jnp.sum(x**2) ** 2  # noqa: E731
    found, expected = jax.jit(lambda x: ((dof.laplacian @ dense)(power)(x), dof.laplacian(dense(power))(x)))(x)
    assert_close(found, expected, 1e-9)
    assert len(dof.explain(dof.derivatives(400)[0] ** 3, power, jnp.ones(400)).columns) == 4


dx24 = dof.derivatives(24)[0]
