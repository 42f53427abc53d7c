"""A training step over all devices: points are split, weights are copied, one sum is exchanged at the end.

Here eight virtual devices of one CPU; on GPUs or TPUs leave out the line with the flag.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np

import dof

if __name__ == "__main__":
    mesh = jax.make_mesh((jax.device_count(),), ("points",))
    params = {"in": jax.random.normal(jax.random.key(0), (64, 10)), "out": jnp.ones(64) / 8}

    def point_loss(params, x):
        u = lambda x: params["out"] @ jnp.tanh(params["in"] @ x)  # noqa: E731
        return (dof.laplacian(u)(x) - 1.0) ** 2

    points = jax.random.normal(jax.random.key(1), (1000, 10))
    here = jax.jit(dof.value_and_grad(point_loss))(params, points)
    there = jax.jit(dof.value_and_grad(point_loss, mesh=mesh, axis="points"))(params, points)
    print(f"{jax.device_count()} devices: loss {there[0]:.6f}, on one {here[0]:.6f}")
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), here, there)
    assert len(jax.devices()) == 8
