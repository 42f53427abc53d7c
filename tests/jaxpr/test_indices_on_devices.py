"""Inside of `shard_map`, an index that needs the devices of the mesh is not evaluated while tracing."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AxisType, PartitionSpec

import dof
from oracle import assert_close, points

CASES = {
    "a padding that is marked as different on each device": lambda x: jnp.diag(x**2),
    "the number of the device": lambda x: lax.dynamic_slice(jnp.sin(x), (1 + lax.axis_index("points"),), (2,)),
}
ON_ONE = {
    "a padding that is marked as different on each device": lambda x: jnp.diag(x**2),
    "the number of the device": lambda x: jnp.sin(x)[1:3],
}


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_same_as_without_mesh(name, jit):
    mesh, split = jax.make_mesh((1,), ("points",), axis_types=(AxisType.Auto,)), PartitionSpec("points")
    on_mesh = lambda f: jax.shard_map(f, mesh=mesh, in_specs=split, out_specs=split)  # noqa: E731
    x = points(1, 4)
    expected = jax.jit(jax.vmap(dof.laplacian(ON_ONE[name])))(x)
    outside = on_mesh(lambda x: dof.laplacian(CASES[name])(x[0])[None])
    inside = lambda x: dof.laplacian(on_mesh(lambda x: CASES[name](x[0])[None]))(x)  # noqa: E731
    for function in (outside, inside):
        assert_close((jax.jit(function) if jit else function)(x), expected)
