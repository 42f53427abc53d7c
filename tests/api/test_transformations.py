"""Operators under the transformations of JAX, and in all precisions."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from networks import NETWORKS
from oracle import assert_close, coefficients, points, reference, reference_at

A, B, C = coefficients(3)
x = points(3)


def f(x):
    return jnp.tanh(x[0] * x[1]) * jnp.sin(x[2]) + jnp.sum(x**3) * jnp.exp(x[0])


of_f = reference_at(f, x)
HESSIAN = cache(lambda: jax.jit(jax.hessian(f))(x))


def nested(a, f):
    return reference(a, np.zeros(len(a)), 0.0, f)


def test_nested_operators():
    twice = jax.jit(lambda x: (dof.laplacian(dof.laplacian(f))(x), nested(np.eye(3), nested(np.eye(3), f))(x)))
    assert_close(*twice(x))
    varying = dof.Operator(a=lambda x: jnp.outer(x, x), b=jnp.sin, c=jnp.sum)
    expected = jax.jit(nested(A, lambda x: reference(jnp.outer(x, x), jnp.sin(x), jnp.sum(x), f)(x)))(x)
    assert_close(jax.jit(dof.Operator(a=A)(varying(f)))(x), expected)


def test_third_operator_in_one_dimension():
    sixth = dof.laplacian(dof.laplacian(dof.laplacian(lambda x: jnp.sin(2 * x))))
    assert_close(jax.jit(sixth)(0.3), -64 * np.sin(0.6))


@pytest.mark.parametrize("name", ["mlp", "wave_function"])
def test_nested_operators_of_networks(name):
    g, params, at = NETWORKS[name]
    a, _, _ = coefficients(at.size)
    h = lambda x: g(params, x)  # noqa: E731
    assert_close(
        jax.jit(dof.laplacian(dof.Operator(a=a)(h)))(at), jax.jit(nested(np.eye(at.size), nested(a, h)))(at), 1e-8
    )


def test_transformations_of_jax():
    L, batch = dof.Operator(A, B, C), jnp.stack([x, 2 * x, x**2])

    def transformed(g, x, batch):
        return {
            "grad": (jax.grad(g)(x), jax.jacrev(g)(x), jax.hessian(g)(x)),
            "jvp": (jax.jvp(g, (x,), (x**2,)), jax.linearize(g, x)[1](x)),
            "checkpoint": (jax.checkpoint(g)(x), jax.grad(jax.checkpoint(g))(x)),
            "vmap": (jax.vmap(jax.vmap(g))(batch[None]), jax.vmap(g, in_axes=1)(batch.T), jax.lax.map(g, batch)),
        }

    found, expected = (jax.jit(partial(transformed, g))(x, batch) for g in (L(f), reference(A, B, C, f)))
    assert_close(found, expected)
    inside = lambda x: jnp.sum(jax.vmap(lambda y: f(y * x))(batch))  # noqa: E731
    assert_close(jax.jit(L(inside))(x), reference(A, B, C, inside)(x))


def test_without_jit():
    L = dof.Operator(A, B, C)
    assert_close(L(f)(x), of_f(A, B, C))
    assert_close(jax.grad(L(f))(x), jax.jit(jax.grad(reference(A, B, C, f)))(x))


def test_loops_over_operators():
    matrices = jnp.stack([A, A.T @ A, np.eye(3)])
    expected = np.stack([of_f(a, 0, 0) for a in matrices])
    _, by_array = jax.lax.scan(lambda _, a: (None, dof.Operator(a=a)(f)(x)), None, matrices)
    assert_close(by_array, expected)
    stacked = dof.Operator(a=matrices)
    _, by_operator = jax.lax.scan(lambda _, L: (None, L(f)(x)), None, stacked)
    assert_close(by_operator, expected)
    assert_close(jax.jit(jax.vmap(lambda L: L(f)(x)))(stacked), expected)


def test_operator_is_an_argument_of_jit():
    apply = jax.jit(lambda L, x: L(f)(x))
    L = (lambda x: x[0]) * dof.Operator(a=A, b=jnp.sin, c=C) + dof.Operator(a=dof.Factored(A[:1], (-1,)))
    assert_close(apply(L, x), L(f)(x))
    gradient = jax.jit(jax.grad(lambda L: L(f)(x)))
    assert_close(gradient(dof.Operator(a=A, b=B)).a[0].value, HESSIAN())
    assert_close(gradient(dof.Operator(a=A, b=B)).b[0].value, jax.jit(jax.grad(f))(x))
    factored = dof.Operator(a=dof.Factored(A[:2], (1, -1)))
    assert_close(gradient(factored).a[0].value.L, 2 * np.array([[1.0], [-1.0]]) * A[:2] @ HESSIAN())


@pytest.mark.parametrize("a", [A, np.eye(3), np.zeros((3, 3)), np.diag([1.0, 1, 0]), np.outer(B, B), -np.eye(3)])
def test_gradients_in_coefficients(a):
    """Also where eigenvalues coincide or vanish."""
    arguments = (jnp.asarray(a), jnp.asarray(B), C, 1.5)
    assert_close(first_and_second(scaled)(*arguments), first_and_second(scaled_by_oracle)(*arguments))


def scaled(a, b, c, scale):
    L = (lambda x: scale * x[0]) * dof.Operator(a=a, b=lambda x: b * x, c=c)
    return L(f)(x)


def scaled_by_oracle(a, b, c, scale):
    return scale * x[0] * reference((a + a.T) / 2, b * x, c, f)(x)


@cache
def first_and_second(g):
    return jax.jit(lambda *arguments: (jax.grad(g, (0, 1, 2, 3))(*arguments), jax.hessian(g)(*arguments)))


@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_gradients_in_other_forms(scale):
    hessian, L = np.asarray(HESSIAN()), scale * A[:2]
    diagonal, scalar, factored, blocks = slopes_in_forms()(np.full(3, scale), scale, L, scale * np.eye(2))
    assert_close(diagonal, np.diag(hessian))
    assert_close(scalar, np.trace(hessian))
    assert_close(factored, 2 * np.array([[1.0], [-1.0]]) * L @ hessian)
    assert_close(blocks, hessian[:2, :2] + np.array([[hessian[2, 2], 0], [0, 0]]))


@cache
def slopes_in_forms():
    forms = (
        lambda d: d,
        lambda s: s,
        lambda L: dof.Factored(L, (1, -1)),
        lambda b: dof.BlockDiagonal([b, b[:1, :1]]),
    )
    total = lambda *given: sum(dof.Operator(a=form(a))(f)(x) for form, a in zip(forms, given, strict=True))  # noqa: E731
    return jax.jit(jax.grad(total, argnums=(0, 1, 2, 3)))


def test_learned_coefficient_that_depends_on_x():
    def loss(theta, x):
        return dof.Operator(a=lambda x: jnp.outer(x, x) * theta + jnp.eye(3), b=lambda x: theta**2 * x)(f)(x) ** 2

    def expected(theta, x):
        return reference(jnp.outer(x, x) * theta + jnp.eye(3), theta**2 * x, 0.0, f)(x) ** 2

    assert_close(jax.jit(jax.grad(loss, (0, 1)))(0.7, x), jax.jit(jax.grad(expected, (0, 1)))(0.7, x))


def g(x):
    return jnp.sum(jnp.sin(x) * x**2) + jnp.tanh(x[0] * x[1])


@cache
def precisely():
    return reference(A, B, C, g)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "complex64", "complex128"])
def test_precisions(dtype):
    at = x.astype(dtype)
    found = jax.jit(dof.Operator(a=A, b=B, c=C)(g))(at)
    assert found.dtype == at.dtype
    truth = precisely()(at.real.astype(float))
    error = abs(complex(found) - complex(truth)) / abs(complex(truth))
    assert error < 8 * float(jnp.finfo(dtype).eps)
    traced = jax.eval_shape(lambda a, b, c: dof.Operator(a=a, b=b, c=c)(g)(at), A, B, C)
    assert traced.dtype == at.dtype


def test_mixed_precisions_in_one_point():
    point = {"half": x[:2].astype(jnp.bfloat16), "double": x}
    h = lambda p: jnp.sum(p["half"].astype(float) ** 2) * p["double"][0] ** 2  # noqa: E731
    assert_close(
        jax.jit(dof.laplacian(h))(point),
        nested(np.eye(5), lambda v: jnp.sum(v[3:] ** 2) * v[0] ** 2)(
            jnp.concatenate([point["double"], point["half"].astype(float)])
        ),
    )


def test_single_precision_without_double():
    with jax.enable_x64(False):
        found = jax.jit(dof.Operator(a=A, b=B, c=C)(f))(np.asarray(x, np.float32))
        assert found.dtype == np.float32
    assert float(found) == pytest.approx(float(of_f(A, B, C)), rel=1e-5)
