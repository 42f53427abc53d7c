"""The rule of log |det| is recognised inside of `shard_map` as well, where JAX's types name the devices."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec

import dof

ORBITALS = np.random.default_rng(0).normal(size=(3, 8))


def log_determinant(x):
    return jnp.linalg.slogdet(jnp.sin(x.reshape(8, 3) @ ORBITALS) + jnp.eye(8))[1]


def flops(function, points):
    return jax.jit(function).lower(points).compile().cost_analysis()["flops"]


def test_the_determinant_costs_the_same_inside_of_shard_map():
    points = np.random.default_rng(1).normal(size=(4, 24))
    mesh = jax.make_mesh((1,), ("points",), axis_types=(AxisType.Auto,))
    plain, spec = jax.vmap(dof.laplacian(log_determinant)), PartitionSpec("points")
    mapped = jax.shard_map(plain, mesh=mesh, in_specs=spec, out_specs=spec)
    in_blocks = dof.batched(dof.laplacian(log_determinant), chunk=None, mesh=mesh, axis="points")
    without_law = flops(jax.vmap(lambda x: jnp.trace(jax.hessian(log_determinant)(x))), points)
    expected, of_plain = jax.jit(plain)(points), flops(plain, points)
    for function in (mapped, in_blocks):
        np.testing.assert_allclose(jax.jit(function)(points), expected, rtol=1e-9)
        assert flops(function, points) < 1.1 * of_plain < without_law
