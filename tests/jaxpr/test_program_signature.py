"""Programs are compared by what they do: equations, wiring, types and parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.jaxpr.program_signature import signature

X, M = np.ones(3), np.ones((3, 3))


def of(f, *args):
    return signature(jax.make_jaxpr(f)(*args))


EQUAL = {
    "the same function traced twice": (lambda x: jnp.sin(x) * x, lambda x: jnp.sin(x) * x),
    "other names": (lambda x: jnp.sin(x) * jnp.cos(x), lambda argument: jnp.sin(argument) * jnp.cos(argument)),
    "inner programs": (jax.jit(lambda x: jnp.sin(x)), jax.jit(lambda x: jnp.sin(x))),
    "loops": (
        lambda x: lax.fori_loop(0, 3, lambda i, h: jnp.sin(h), x),
        lambda x: lax.fori_loop(0, 3, lambda i, h: jnp.sin(h), x),
    ),
}
DIFFERENT = {
    "another equation": (jnp.sin, jnp.cos),
    "another wiring": (lambda x: jnp.sin(x) - jnp.cos(x), lambda x: jnp.cos(x) - jnp.sin(x)),
    "operands exchanged": (lambda x: x - jnp.sin(x), lambda x: jnp.sin(x) - x),
    "another literal": (lambda x: x * 2.0, lambda x: x * 2.5),
    "another parameter": (lambda x: jnp.cumsum(x), lambda x: lax.cumsum(x, reverse=True)),
    "another result": (lambda x: (jnp.sin(x), x), lambda x: (x, jnp.sin(x))),
    "one result more": (lambda x: (x,), lambda x: (x, x)),
    "inside of a call": (jax.jit(lambda x: jnp.sin(x)), jax.jit(lambda x: jnp.cos(x))),
    "inside of a loop": (
        lambda x: lax.fori_loop(0, 3, lambda i, h: jnp.sin(h), x),
        lambda x: lax.fori_loop(0, 3, lambda i, h: jnp.cos(h), x),
    ),
    "another length of a loop": (
        lambda x: lax.scan(lambda h, _: (jnp.sin(h), None), x, None, length=3)[0],
        lambda x: lax.scan(lambda h, _: (jnp.sin(h), None), x, None, length=4)[0],
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_programs_that_do_the_same_have_the_same_signature(name):
    one, two = (of(f, X) for f in EQUAL[name])
    assert one == two and hash(one) == hash(two)


@pytest.mark.parametrize("name", DIFFERENT)
def test_programs_that_do_something_else_have_another_signature(name):
    one, two = DIFFERENT[name]
    assert of(one, X) != of(two, X)


def test_types_of_arguments_count():
    assert of(jnp.sin, X) != of(jnp.sin, X.astype(np.float32))
    assert of(jnp.sin, X) != of(jnp.sin, M)


def test_marks_of_devices_do_not_count():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    found = []

    def inside(x):
        found.append(of(lambda y: jnp.sin(y) * 2.0, x))
        return x

    spec = jax.sharding.PartitionSpec("i")
    jax.eval_shape(jax.shard_map(inside, mesh=mesh, in_specs=spec, out_specs=spec), X)
    assert found[-1] == of(lambda y: jnp.sin(y) * 2.0, X)
