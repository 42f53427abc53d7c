"""Fields and their derivatives in expressions: as numbers, and as what further derivatives are taken of."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import dof
from dof import pde
from oracle import assert_close

POINT = jnp.array([0.3, 0.7])


def net(z):
    return jnp.sin(2 * z[0]) * jnp.exp(-z[1]) + z[0] ** 5 * z[1] ** 4


def residual_of(function, fields=None):
    return pde.residual("x y", fields)(function)


def of_field(function):
    return residual_of(lambda u, x, y: function(u))


SAME = {
    "u.x.x": (lambda u: u.x.x, lambda u: u.xx, 3),
    "u.x.y": (lambda u: u.x.y, lambda u: u.xy, 4),
    "u.xx.yy": (lambda u: u.xx.yy, lambda u: u.xxyy, 9),
    "u.laplacian.laplacian": (lambda u: u.laplacian.laplacian, lambda u: u.xxxx + 2 * u.xxyy + u.yyyy, 9),
    "u.laplacian.x": (lambda u: u.laplacian.x, lambda u: u.xxx + u.xyy, 6),
    "u.biharmonic.laplacian": (
        lambda u: u.biharmonic.laplacian,
        lambda u: u.xxxxxx + 3 * u.d(*"xxxxyy") + 3 * u.d(*"xxyyyy") + u.d(*"yyyyyy"),
        16,
    ),
    "pde.laplacian(u.x)": (lambda u: pde.laplacian(u.x), lambda u: u.xxx + u.xyy, 6),
    "pde.biharmonic(u)": (lambda u: pde.biharmonic(u), lambda u: u.laplacian.laplacian, 9),
    "pde.grad(u.x)": (lambda u: pde.grad(u.x) @ jnp.ones(2), lambda u: u.xx + u.xy, None),
}


def test_derivatives_of_derivatives_are_those_of_nested_differentiation_in_one_propagation():
    def both(z):
        ones, others = ([of_field(pair[n]) for pair in SAME.values()] for n in (0, 1))
        return (
            [one(net)(z) for one in ones],
            [one.by_hessian(net)(z) for one in ones[:5]],  # those of order six take long to compile
            [other.by_hessian(net)(z) for other in others],
        )

    found, by_hessian, written_out = jax.jit(both)(POINT)
    assert_close(found[:5], by_hessian, 1e-9)
    assert_close(found, written_out, 1e-9)


@pytest.mark.parametrize("name", [name for name, (_, _, columns) in SAME.items() if columns])
def test_derivatives_of_derivatives_merge_into_one_symbol(name):
    function, _, columns = SAME[name]
    assert of_field(function).plan.columns == columns


def test_components_of_derivatives_and_derivatives_of_components():
    fields = lambda z: jnp.stack([net(z), jnp.cos(z[0] * z[1])])  # noqa: E731
    one = residual_of(lambda u, x, y: (u.x[0].xy, u.laplacian.y[1], u[1].x.laplacian), "u[2]")
    other = residual_of(lambda u, x, y: (u[0].xxy, u[1].xxy + u[1].yyy, u[1].xxx + u[1].xyy), "u[2]")
    found, expected = jax.jit(lambda z: (one(fields)(z), other.by_hessian(fields)(z)))(POINT)
    assert_close(found, expected, 1e-9)
    with pytest.raises(dof.ArgumentTypeError, match=r"`u.x` is a single number"):
        _ = residual_of(lambda u, x, y: u.x[0]).plan


EXPRESSIONS = {
    "==": lambda v: jnp.where(v == 1.0, 10.0, -10.0),
    "!=": lambda v: jnp.where(v != v, 10.0, -10.0),
    "order": lambda v: (v < 1) + 2 * (v <= v) + 4 * (v > 0.2) + 8 * (v >= 0.5),
    "%": lambda v: v % 0.3 + 2 % v,
    "//": lambda v: v // 0.3 + 2 // v,
    "divmod": lambda v: divmod(v, 0.3)[1] + divmod(2, v)[0],
    "unary": lambda v: abs(-v) + round(v, 1) + (+v),
    "power": lambda v: v**2 + 2**v + v / 3 + 3 / v,
    "numpy on the left": lambda v: np.full(2, 3.0) * v - np.float64(2) / v,
    "matmul": lambda v: jnp.stack([v, v]) @ np.array([1.0, 2.0]),
    "jnp": lambda v: jnp.sum(jnp.array([v, jnp.sin(v)])) + v.astype(float).sum() + jnp.maximum(v, 0.1),
    "lax": lambda v: lax.cond(v > 0, lambda w: w, lambda w: -w, v) + lax.sin(jnp.asarray(v)) + jax.jit(jax.nn.silu)(v),
}


def test_operators_of_numbers_act_on_values():
    """As on arrays with the same values, for u = 1 and u.x = 0.37."""
    line = lambda z: 1.0 + (z[0] - POINT[0]) * 0.37  # noqa: E731
    every = lambda v: [f(v) + 0.0 for f in EXPRESSIONS.values()]  # noqa: E731
    found = residual_of(lambda u, x, y: (every(u), every(u.x)))(line)(POINT)
    assert_close(found, (every(jnp.asarray(1.0)), every(jnp.asarray(0.37))), 1e-12)


def test_a_comparison_in_a_coefficient_keeps_the_equation_right():
    step = residual_of(lambda u, x, y: jnp.where(u == 1.0, 10.0, -10.0) * u.xx)
    assert_close(step(lambda z: 1.0 + (z[0] - 0.3) ** 2)(POINT), 20.0, 1e-12)


MISTAKES = {
    "expression": (lambda u, x, y: (u * u.x).x, r"`\(u \* u\.x\)\.x` \(test_fields_as_numbers.py:\d+\).*product rule"),
    "laplacian of one": (lambda u, x, y: (u**2).laplacian, r"`\(u\*\*2\)\.laplacian`.*product rule"),
    "inside of jit": (lambda u, x, y: jax.jit(lambda v: v.x)(u), r"`v\.x` .*functions of JAX make"),
    "if": (lambda u, x, y: u if u > 0 else -u, r"`u > 0` .*jnp.where"),
    "bool": (lambda u, x, y: u.x or u, r"`u\.x or u` .*jnp.where"),
    "math": (lambda u, x, y: math.sin(u.x), r"`math\.sin\(u\.x\)` .*jnp.sin"),
    "numpy": (lambda u, x, y: np.sin(u.x), r"`np\.sin\(u\.x\)` .*jnp.sin"),
    "lax": (lambda u, x, y: lax.sin(u.x), r"`lax\.sin\(u\.x\)` .*u.value"),
    "derivative of L u": (lambda u, x, y: u.apply(dof.laplacian).x, r"`u.apply\(…\).x` .*dx @ L"),
    "L of a derivative": (lambda u, x, y: u.x.apply(dof.laplacian), r"`u.x.apply` .*L @ dx"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_by_what_was_written(name):
    function, said = MISTAKES[name]
    with pytest.raises(dof.ArgumentTypeError, match=f"(?s){said}"):
        residual_of(function)(net)(POINT)


def test_other_errors_of_the_user_stay_their_own():
    with pytest.raises(AttributeError, match="has no attribute"):
        residual_of(lambda u, x, y: (u * u.x).nothing)(net)(POINT)
    with pytest.raises(ValueError, match="mine"):
        residual_of(lambda u, x, y: next(_ for _ in [1] if _raise()))(net)(POINT)


def _raise():
    raise ValueError("mine")
