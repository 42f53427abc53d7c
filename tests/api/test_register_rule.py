"""Rules that users bring."""

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from jax.interpreters import ad, batching, mlir

import dof
from oracle import assert_close, coefficients, points, reference

A, B, C = coefficients(3)
L = dof.Operator(A, B, C)
x = points(3)
calls = []


def square_rule(walk, x):
    """(x², 2x g, 2x s + 2 Σ q g g), and remembers that it was asked."""
    calls.append(x.shape)
    applied = 2 * walk.form.contract(x.tangents, x.tangents)
    if x.applied is not None:
        applied = applied + 2 * x.value * x.applied
    return [dof.Triple(x.value**2, 2 * x.value * x.tangents, applied)]


square = dof.register_rule(lambda x: x**2, square_rule)

USES = {
    "plain": lambda x: jnp.sin(square(x)),
    "jit": jax.jit(lambda x: square(jnp.sin(x))),
    "vmap": lambda x: jax.vmap(square)(jnp.outer(x, x)),
    "vmap_axis": lambda x: jax.vmap(jax.vmap(square), in_axes=1)(jnp.outer(x, x)),
    "scan": lambda x: jax.lax.scan(lambda c, y: (square(c) * y, square(y)), x, x),
    "checkpoint": jax.checkpoint(lambda x: square(x) * x),
}


@pytest.mark.parametrize("name", USES)
def test_function(name):
    calls.clear()
    assert_close(L(USES[name])(x), reference(A, B, C, USES[name])(x))
    assert calls


def test_function_in_other_transformations():
    f = lambda x: jnp.sum(square(jnp.sin(x)))  # noqa: E731
    plain = lambda x: jnp.sum(jnp.sin(x) ** 2)  # noqa: E731
    assert_close(jax.grad(f)(x), jax.grad(plain)(x))
    assert_close(L(jax.grad(f))(x), reference(A, B, C, jax.grad(plain))(x))
    assert_close(jax.jit(jax.grad(L(f)))(x), jax.grad(reference(A, B, C, plain))(x))
    assert_close(jax.vmap(L(f))(x[None]), reference(A, B, C, plain)(x)[None])


def test_what_the_function_closes_over():
    """A parameter is fine; a value that depends on x is beyond the rule, so the program is walked."""

    def scaled_rule(walk, y):
        return [dof.Triple(3 * y.value, 3 * y.tangents, None if y.applied is None else 3 * y.applied)]

    def f(x):
        return dof.register_rule(lambda y: x[0] * y, scaled_rule)(jnp.sin(x))

    assert_close(L(f)(x), reference(A, B, C, lambda x: x[0] * jnp.sin(x))(x))
    by_parameter = lambda w: L(dof.register_rule(lambda y: w * y, scaled_rule))(x)  # noqa: E731
    assert_close(jax.jit(by_parameter)(3.0), reference(A, B, C, lambda x: 3 * x)(x))


def test_only_what_is_closed_over_is_mapped():
    f = lambda x: jax.vmap(lambda w: dof.register_rule(lambda y: w * y**2, square_rule)(x))(jnp.arange(4.0))  # noqa: E731
    assert_close(L(f)(x), reference(A, B, C, lambda x: jnp.outer(jnp.arange(4.0), x**2))(x))


def test_keyword_arguments():
    f = dof.register_rule(lambda *, y: y**2, square_rule)
    assert_close(L(lambda x: f(y=x))(x), reference(A, B, C, lambda x: x**2)(x))


def test_pytrees():
    def rule(walk, y, z):
        return [z, *square_rule(walk, y)]  # in the order of the leaves of the result

    f = dof.register_rule(lambda t: {"square": t["y"] ** 2, "same": t["z"]}, rule)
    g = lambda x: f({"y": x, "z": jnp.sin(x)})  # noqa: E731
    assert_close(L(g)(x), reference(A, B, C, lambda x: {"square": x**2, "same": jnp.sin(x)})(x))


@pytest.fixture
def cube_p():
    primitive = jax.extend.core.Primitive("tanh")  # called like one of JAX's, and something else
    primitive.def_impl(lambda x: x**3)
    primitive.def_abstract_eval(lambda x: x)
    ad.defjvp(primitive, lambda t, x: 3 * t * x**2)
    mlir.register_lowering(primitive, mlir.lower_fun(lambda x: x**3, multiple_results=False))
    return primitive


def test_primitive_of_the_user(cube_p):
    """The general rule needs no registration, and no rule for batching."""
    expected = reference(A, B, C, lambda x: x**3)(x)
    assert_close(L(cube_p.bind)(x), expected)
    batching.defvectorized(cube_p)
    assert_close(L(cube_p.bind)(x), expected)
    for family in ("general", "elementwise"):
        dof.register_rule(cube_p, family, overwrite=True)
        assert_close(L(cube_p.bind)(x), expected)
    assert_close(L(jnp.tanh)(x), reference(A, B, C, jnp.tanh)(x))


def test_primitive_with_a_rule_of_its_own(cube_p):
    seen = []

    def rule(walk, x):
        seen.append(x)
        return walk.through(lambda v: [v**3], [x])

    dof.register_rule(cube_p, rule, overwrite=True)
    assert_close(L(cube_p.bind)(x), reference(A, B, C, lambda x: x**3)(x))
    assert seen
    dof.register_rule(cube_p, "constant", overwrite=True)
    assert_close(dof.laplacian(cube_p.bind)(x), np.zeros(3))
