"""Loops and branches against the oracle."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import dof
from oracle import assert_exact, points

LAYERS = points(4, 3, 3, low=-1, high=1)


def scan_over_layers(x):
    return lax.scan(lambda h, w: (jnp.tanh(w @ h), jnp.sum(h**2)), x, LAYERS)


def scan_over_dependent(x):
    return lax.scan(lambda c, y: (c * y + jnp.sin(y), c), x, jnp.outer(x, x))


def scan_constant_carry(x):
    return lax.scan(lambda c, y: (c + y**2, c * y), 0.0, x)


def scan_chain_of_carries(x):
    """One carry becomes dependent only after two others have."""
    start = (0.0, 0.0, 1.0, 0)
    return lax.scan(lambda c, _: ((x[0] ** 2, c[0] * 2, c[1] * c[2] + 1.0, c[3] + 1), None), start, length=5)


def scan_reverse(x):
    return lax.scan(lambda c, y: (jnp.sin(c * y), c), x[1], x, reverse=True)


def scan_unrolled(x):
    return lax.scan(lambda c, y: (jnp.sin(c * y), c * y), x[1], x, unroll=2)


def scan_same_length_as_x(x):
    """A loop whose length is the number of inputs."""
    return lax.scan(lambda c, y: (c * jnp.cos(y), y * c), x, x)


def scan_without_length(x):
    return lax.scan(lambda c, y: (c + y, c * y), x[0], x[:0])


def scan_of_integers(x):
    return lax.scan(lambda c, i: (c + x[i] ** 2, i), 0.0, jnp.arange(3))


def nested_scans(x):
    def outer(c, y):
        inner, ys = lax.scan(lambda d, z: (d * z + y, d), c, x)
        return jnp.sin(inner), ys

    return lax.scan(outer, 0.5, x)


def fori_loop(x):
    return lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) * x[i % 3], x)


def fori_loop_dynamic(x):
    return lax.fori_loop(0, jnp.argmax(x) + 2, lambda i, c: c * x[0] + i, 1.0)


def while_counter(x):
    return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * jnp.cos(x[0]) + x[1]), (0, 1.0))


def while_data_dependent(x):
    return lax.while_loop(lambda c: jnp.sum(c) < 20, lambda c: c * (1 + x**2), x)


def while_condition_closes_over(x):
    return lax.while_loop(lambda c: c[0] < 3 * x[2], lambda c: (c[0] + x[0], jnp.sin(c[1]) * c[0]), (0.0, x[1]))


def while_under_vmap(x):
    """Each example stops by itself."""
    one = lambda y: lax.while_loop(lambda c: c[0] < 2.0, lambda c: (c[0] * (1.1 + y), c[1] + 1), (y, 0))  # noqa: E731
    return jax.vmap(one)(x), jax.vmap(jax.vmap(one))(jnp.outer(x, x))


def fori_loop_under_vmap(x):
    return jax.vmap(lambda y, n: lax.fori_loop(0, n, lambda i, c: jnp.sin(c) * y, y))(x, jnp.arange(3))


def while_in_scan(x):
    def body(c, y):
        return lax.while_loop(lambda d: d < 2.0, lambda d: d * 1.5 + y, c * 0.3), c

    return lax.scan(body, x[0], x)


def cond(x):
    return lax.cond(x[0] > 0.5, lambda x: jnp.sin(x), lambda x: x**3, x) + lax.cond(x[0] < 9, jnp.cos, jnp.sin, x)


def cond_constant_branch(x):
    taken = lax.cond(x[0] < 0.0, lambda x: x**2, lambda x: jnp.ones(3), x)
    return taken, lax.cond(x[0] > 0.0, lambda: x[0], lambda: 2.0)


def switch(x):
    return lax.switch(jnp.argmax(x), [jnp.sin, lambda x: x**2, lambda x: x * 2, jnp.exp], x)


def cond_in_scan(x):
    return lax.scan(lambda c, y: (lax.cond(y > 0.5, lambda c: c * y, lambda c: c + 1.0, c), c), x[0], x)


def vmapped_cond(x):
    return jax.vmap(lambda y: lax.cond(y > 0.5, jnp.sin, jnp.cos, y * x[0]))(x)


def map_over(x):
    return lax.map(lambda y: y**2 * x, x)


@pytest.mark.parametrize(
    "f",
    [
        scan_over_layers,
        scan_over_dependent,
        scan_constant_carry,
        scan_chain_of_carries,
        scan_reverse,
        scan_unrolled,
        scan_same_length_as_x,
        scan_without_length,
        scan_of_integers,
        nested_scans,
        fori_loop,
        fori_loop_dynamic,
        while_counter,
        while_data_dependent,
        while_condition_closes_over,
        while_under_vmap,
        fori_loop_under_vmap,
        while_in_scan,
        cond,
        cond_constant_branch,
        switch,
        cond_in_scan,
        vmapped_cond,
        map_over,
    ],
    ids=lambda f: f.__name__,
)
def test_loops(f):
    assert_exact(f, points(3))


def test_nested_loops_are_not_walked_again_and_again():
    """The number of times that the innermost step is walked grows slowly with depth."""
    counts = {}
    for depth in (2, 6):
        calls = []

        def rule(walk, y, calls=calls):
            calls.append(1)
            return walk.through(lambda v: [jnp.sin(v)], [y])

        step = dof.register_rule(jnp.sin, rule)
        for _ in range(depth):
            step = lambda y, inner=step: lax.scan(lambda c, _: (inner(c), None), y, length=1)[0]  # noqa: E731
        jax.eval_shape(dof.laplacian(step), points(3))
        counts[depth] = len(calls)
    assert counts[6] <= 4 * counts[2]
