"""A part of a matrix product that is constant along an axis is multiplied before it is broadcast."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import dof
from dof.jaxpr.inlining import _Writer
from oracle import assert_close, assert_exact, normal, points

N, WIDTH, OUT = 6, 32, 40
X = points(2 * N)
V, W, BIG = normal(2, WIDTH), normal(2 * WIDTH, OUT), normal(3 * WIDTH, OUT)


def particles(x):
    return jnp.tanh(x.reshape(N, 2) @ V)


def mean(x):
    return jnp.mean(particles(x), axis=0)


def everywhere(x):
    return jnp.broadcast_to(mean(x), (N, WIDTH))


CASES = {
    "concatenated": lambda x: jnp.concatenate([particles(x), everywhere(x)], axis=1) @ W,
    "first": lambda x: jnp.concatenate([everywhere(x), particles(x)], axis=1) @ W,
    "alone": lambda x: everywhere(x) @ W[:WIDTH],
    "tiled": lambda x: jnp.concatenate([particles(x), jnp.tile(mean(x)[None], [N, 1])], axis=1) @ W,
    "repeated": lambda x: jnp.concatenate([particles(x), jnp.repeat(mean(x)[None], N, axis=0)], axis=1) @ W,
    "kept axis": lambda x: jnp.concatenate([particles(x), jnp.broadcast_to(mean(x)[None], (N, WIDTH))], axis=-1) @ W,
    "between": lambda x: jnp.concatenate([particles(x), everywhere(x), particles(x) ** 2], axis=1) @ BIG,
    "two parts": lambda x: jnp.concatenate([everywhere(x), particles(x), 2 * everywhere(x)], axis=1) @ BIG,
    "right side": lambda x: W.T @ jnp.concatenate([particles(x), everywhere(x)], axis=1).T,
    "einsum": lambda x: jnp.einsum("ni,io->on", jnp.concatenate([particles(x), everywhere(x)], axis=1), W),
    "mapped": lambda x: jax.vmap(lambda h, m: jnp.concatenate([h, m]) @ W, (0, None))(particles(x), mean(x)),
    "batch axis": lambda x: jnp.einsum(
        "bni,bio->bno", jnp.broadcast_to(particles(x), (3, N, WIDTH)), W.reshape(-1, WIDTH, OUT)[:1].repeat(3, 0)
    ),
    "pairs": lambda x: (
        jnp.concatenate(
            [
                jnp.broadcast_to(particles(x)[:, None], (N, N, WIDTH)),
                jnp.broadcast_to(particles(x)[None], (N, N, WIDTH)),
            ],
            axis=-1,
        )
        @ W
    ),
    "in a loop": lambda x: jax.lax.scan(
        lambda h, w: (jnp.tanh(jnp.concatenate([h, jnp.broadcast_to(jnp.mean(h, axis=0), h.shape)], axis=1) @ w), None),
        particles(x),
        jnp.stack([W[:, :WIDTH], W[:, -WIDTH:]]),
    )[0],
    "constant": lambda x: jnp.concatenate([particles(x), jnp.broadcast_to(jnp.asarray(V[0]), (N, WIDTH))], axis=1) @ W,
}


@pytest.mark.parametrize("group", range(4))
def test_exact(group):
    """Several cases in one compilation, which takes most of the time."""
    names = list(CASES)[group::4]
    assert_exact(lambda x: {name: jnp.sum(jnp.sin(CASES[name](x))) for name in names}, X)


def flops(f, x):
    return jax.jit(dof.laplacian(f, cut=None)).lower(x).compile().cost_analysis()["flops"]


@pytest.mark.parametrize("name", ["concatenated", "tiled", "repeated", "mapped"])
def test_flops_of_a_broadcast_part(name):
    """Half of the rows of W are multiplied once instead of N times."""
    unseen = lambda x: jnp.concatenate([particles(x), jnp.stack([mean(x)] * N)], axis=1) @ W  # noqa: E731
    found, whole = (flops(lambda x, f=f: jnp.sum(jnp.sin(f(x))), X) for f in (CASES[name], unseen))
    assert found < 0.75 * whole


def test_small_parts_are_left():
    f = lambda x: jnp.concatenate([particles(x), everywhere(x)[:, :8]], axis=1) @ W[: WIDTH + 8]  # noqa: E731
    primitives = [e.primitive for e in dof.explain(dof.laplacian, f, X, cut=None).equations]
    assert primitives.count("concatenate") == 1 and primitives.count("dot_general") == 2


def test_nothing_is_broadcast_before_it_is_multiplied():
    shapes = [e.shape for e in dof.explain(dof.laplacian, CASES["concatenated"], X, cut=None).equations]
    assert (N, 2 * WIDTH) not in shapes and (1, OUT) in shapes


def test_an_axis_that_is_distributed_over_devices_is_left():
    """With several devices, the product of a single row could not be distributed."""
    mesh = jax.make_mesh((1,), ("particles",), axis_types=(AxisType.Explicit,))
    rows = NamedSharding(mesh, PartitionSpec("particles"))

    def f(x):
        spread = lax.broadcast_in_dim(mean(x), (N, WIDTH), (1,), out_sharding=rows)
        return jnp.sum(jnp.sin(jnp.concatenate([jax.sharding.reshard(particles(x), rows), spread], axis=1) @ W))

    with jax.set_mesh(mesh):
        explained = dof.explain(dof.laplacian, f, X, cut=None).equations
        found = jax.jit(dof.laplacian(f))(X)
    assert [e.shape for e in explained if e.primitive == "dot_general"] == [(N, WIDTH), (N, OUT)]
    assert_close(found, jax.jit(dof.laplacian(lambda x: jnp.sum(jnp.sin(CASES["concatenated"](x)))))(X))


def test_nothing_is_traced_for_products_without_broadcast_parts(monkeypatch):
    """Functions are traced to write products anew; the broadcast of a bias is no reason to do so."""
    traced, append = [], _Writer._append_function
    monkeypatch.setattr(_Writer, "_append_function", lambda *args: traced.append(args) or append(*args))
    jax.make_jaxpr(dof.laplacian(lambda x: jnp.sum(jnp.tanh(particles(x) @ W[:WIDTH] + W[0]) @ W.T)))(X)
    assert not traced
    jax.make_jaxpr(dof.laplacian(CASES["concatenated"]))(X)
    assert len(traced) == 2
