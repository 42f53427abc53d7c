"""What must hold for all operators and programs, on random ones."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

import dof
from oracle import assert_close, assert_exact

few = settings(max_examples=12, deadline=None, derandomize=True)
seeds = st.integers(0, 2**31)
x = jnp.array([0.3, -0.6, 0.8])

# Steps (value, rng) → value of any shape (k,) or (k, l); all bounded, so that programs of any length stay tame.
UNARY = [jnp.tanh, jnp.sin, jax.nn.sigmoid, jax.nn.softplus, jax.nn.gelu, lambda v: v * jax.nn.sigmoid(v), jnp.arctan]
STEPS = {
    "unary": lambda v, rng: UNARY[rng.integers(len(UNARY))](v),
    "matmul": lambda v, rng: v @ rng.normal(size=(v.shape[-1], rng.integers(1, 5))) / v.shape[-1],
    "outer": lambda v, rng: v[..., :1] * jnp.flip(v, -1),
    "reshape": lambda v, rng: v.reshape(-1) if v.ndim == 2 else v[:, None],
    "transpose": lambda v, rng: v.T,
    "softmax": lambda v, rng: jax.nn.softmax(v, axis=-1),
    "normalise": lambda v, rng: v / jnp.sqrt(1 + jnp.sum(v**2)),
    "sort": lambda v, rng: jnp.sort(v + 0.01 * rng.normal(size=v.shape), axis=0),
    "cumsum": lambda v, rng: jnp.tanh(jnp.cumsum(v, axis=0)),
    "cumprod": lambda v, rng: jnp.cumprod(jnp.tanh(v), axis=-1),
    "prod": lambda v, rng: jnp.prod(jnp.tanh(v), axis=-1, keepdims=True) + v,
    "gather": lambda v, rng: v[rng.integers(len(v), size=rng.integers(1, 5))],
    "concatenate": lambda v, rng: jnp.concatenate([v, jnp.ones_like(v[:1]), v[::-1]])[:5],
    "where": lambda v, rng: jnp.where(v > rng.normal(), v, 0.5 * v**2 / (1 + v**2)),
    "gram": lambda v, rng: jnp.tanh(jnp.einsum("i...,j...->ij", v, v)),
    "scan": lambda v, rng: lax.scan(lambda c, r: (jnp.tanh(c * r + v[0]), c), v[0], v)[1],
    "cond": lambda v, rng: lax.cond(jnp.sum(v) > rng.normal(), jnp.sin, lambda v: v * 0.5, v),
    "fft": lambda v, rng: jnp.real(jnp.fft.fft(v, axis=0)) / len(v),
    "max": lambda v, rng: jnp.maximum(v, jnp.max(v, axis=-1, keepdims=True) - 0.3),
    "solve": lambda v, rng: jnp.linalg.solve(
        3 * jnp.eye(len(v)) + jnp.tanh(v @ v.T if v.ndim == 2 else jnp.outer(v, v)), v
    ),
    "scatter": lambda v, rng: v.at[rng.integers(len(v))].add(jnp.sin(v[0])),
    "checkpoint": lambda v, rng: jax.checkpoint(lambda v: jnp.sin(v) * v)(v),
    "vmap": lambda v, rng: jax.vmap(lambda row: jnp.sum(row**2) * row)(v) / v.shape[-1],
}


@few
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=2, max_size=6), seeds)
def test_random_programs(names, seed):
    def f(x):
        rng = np.random.default_rng(seed)
        for name in names:
            x = STEPS[name](x, rng)
        return x

    assert_exact(f, x, tolerance=1e-9)


def f(x):
    return jnp.sin(x[0] * x[1]) * jnp.exp(-(x[2] ** 2)) + jnp.tanh(x @ x)


def draw(seed):
    rng = np.random.default_rng(seed)
    return dof.Operator(rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal())


@few
@given(seeds, seeds, st.floats(-3, 3), st.floats(-3, 3))
def test_linear_in_the_operator(seed, other, s, t):
    one, two = draw(seed), draw(other)
    assert_close((s * one + t * two)(f)(x), s * one(f)(x) + t * two(f)(x), 1e-9)


@few
@given(seeds, st.floats(-3, 3))
def test_linear_in_the_function(seed, s):
    L = draw(seed)
    assert_close(L(lambda x: s * f(x) + jnp.prod(x))(x), s * L(f)(x) + L(jnp.prod)(x), 1e-9)


@few
@given(seeds, st.integers(1, 5))
def test_the_factor_does_not_matter(seed, rank):
    """Lᵀ D L is the same for Q L with Q D-orthogonal; here rotations among directions of equal sign."""
    rng = np.random.default_rng(seed)
    L, signs = rng.normal(size=(rank, 3)), rng.choice([-1.0, 1.0], size=rank)
    q = np.eye(rank)
    for sign in (-1, 1):
        (where,) = np.nonzero(signs == sign)
        q[np.ix_(where, where)] = np.linalg.qr(rng.normal(size=(len(where), len(where))))[0]
    dense = L.T @ (signs[:, None] * L)
    expected = dof.Operator(a=dense)(f)(x)
    assert_close(dof.Operator(a=dof.Factored(L, signs))(f)(x), expected)
    assert_close(dof.Operator(a=dof.Factored(q @ L, signs))(f)(x), expected)


@few
@given(seeds)
def test_change_of_coordinates(seed):
    """With y = R x: L_A (f ∘ R)(x) = (L_{R A Rᵀ} f)(R x), and Δ does not see a rotation."""
    rng = np.random.default_rng(seed)
    r, a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    found = dof.Operator(a, b)(lambda x: f(r @ x))(x)
    assert_close(found, dof.Operator(r @ a @ r.T, r @ b)(f)(r @ x), 1e-9)
    q, _ = np.linalg.qr(r)
    assert_close(dof.laplacian(lambda x: f(q @ x))(x), dof.laplacian(f)(q @ x), 1e-9)


@few
@given(seeds)
def test_product_rule(seed):
    """(L − c)(fg) = f (L − c) g + g (L − c) f + 2 ∇fᵀ A ∇g."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    L, g = dof.Operator(a, b), jnp.prod
    cross = jax.grad(f)(x) @ (a + a.T) @ jax.grad(g)(x)
    assert_close(L(lambda x: f(x) * g(x))(x), f(x) * L(g)(x) + g(x) * L(f)(x) + cross, 1e-9)
