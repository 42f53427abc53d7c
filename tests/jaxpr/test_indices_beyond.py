"""Known indices beyond their axis are found, and nothing else is taken for one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.jaxpr.indices_beyond import index_beyond

MATRIX = np.arange(6.0).reshape(2, 3)


def found(f, *arguments):
    beyond = index_beyond(jax.make_jaxpr(f)(*arguments))
    return None if beyond is None else (beyond.position, beyond.length)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x[2], (2, 2)),
        (lambda x: x[-3], (-1, 2)),
        (lambda x: x[..., 7], (7, 3)),
        (lambda x: x[1, 3], (3, 3)),
        (lambda x: x[jnp.array([0, 2])], (2, 2)),
        (lambda x: x[:, np.array([0, 3])], (3, 3)),
        (lambda x: jax.jit(lambda x: x[2])(x), (2, 2)),
        (lambda x: jax.vmap(lambda row: row[3])(x), (3, 3)),
        (lambda x: lax.cond(x[0, 0] > 0, lambda x: x[0], lambda x: x[5], x), (5, 2)),
    ],
)
def test_indices_beyond_an_axis_are_found(f, expected):
    assert found(f, MATRIX) == expected


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[1, 2] + x[-2, -3] + x[0:9, 1:].sum(),
        lambda x: x[:, jnp.array([0, 2])] + x[np.array([1, -1])][:, :2],
        lambda x: x.at[7].get(mode="fill", fill_value=0.0),
        lambda x: x[jnp.argmax(x[:, 0])],
        lambda x: lax.dynamic_slice(x, (1, 2), (1, 2)),
        lambda x: x[0, 0] * jnp.where(jnp.arange(3) < 2, jnp.arange(2.0)[jnp.arange(3)], 0.0),
        lambda x: x[0, 0] * jax.jit(lambda table: table[5])(jnp.arange(2.0)),
        lambda x: x + jax.random.normal(jax.random.key(0), ()) + jax.random.normal(jax.random.PRNGKey(0), ()),
        lambda x: x[lax.while_loop(lambda i: i < 10**12, lambda i: i + 1, 0)],
        lambda x: lax.fori_loop(0, 2, lambda i, total: total + x[i, 0], 0.0),
        lambda x: jnp.interp(x, jnp.array([0.0, 9.0]), jnp.array([0.0, 1.0])) + jnp.sort(x) + jnp.roll(x, 5),
    ],
)
def test_others_are_not(f):
    assert found(f, MATRIX) is None
