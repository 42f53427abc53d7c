"""Run by test_devices.py in processes of its own: eight devices give the same numbers as one.

run_on_devices.py                   one process with eight devices
run_on_devices.py NUMBER ADDRESS    one of two processes with four devices each
"""

import os
import sys

PROCESSES = 2 if len(sys.argv) > 1 else 1
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={8 // PROCESSES}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec  # noqa: E402

import dof  # noqa: E402

jax.config.update("jax_enable_x64", True)
if PROCESSES == 2:
    jax.distributed.initialize(sys.argv[2], PROCESSES, int(sys.argv[1]))

RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(6, 9)), RNG.normal(size=9)
OPERATOR = dof.Operator(a=RNG.normal(size=(6, 6)), b=RNG.normal(size=6), c=0.5)


def net(weights, x):
    return jnp.tanh(x @ weights[0]) @ weights[1]


APPLIED = OPERATOR(net, argnums=1)


def loss(weights, x):
    return APPLIED(weights, x) ** 2


def assert_same(found, expected):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        for shard in one.addressable_shards:
            np.testing.assert_allclose(shard.data, np.asarray(other)[shard.index], rtol=1e-10, atol=1e-10)


def on_mesh(tree, mesh, *spec):
    """Arrays of which each process has the part of its own devices."""
    sharding = NamedSharding(mesh, PartitionSpec(*spec))
    build = lambda leaf: jax.make_array_from_callback(leaf.shape, sharding, lambda index: leaf[index])  # noqa: E731
    return jax.tree.map(build, tree)


for kind in (AxisType.Explicit, AxisType.Auto):
    mesh = jax.make_mesh((8,), ("points",), axis_types=(kind,))
    shared = on_mesh(WEIGHTS, mesh)
    for n in (16, 21):
        points = RNG.normal(size=(n, 6))
        split = on_mesh(points, mesh, "points") if n % 8 == 0 else on_mesh(points, mesh)
        many = dof.batched(APPLIED, (None, 0), chunk=2, mesh=mesh, axis="points")
        assert_same(jax.jit(many)(shared, split), jax.jit(jax.vmap(APPLIED, (None, 0)))(WEIGHTS, points))
        step = jax.jit(dof.value_and_grad(loss, chunk=2, mesh=mesh, axis="points"))
        mean = lambda w, points=points: jnp.mean(jax.vmap(loss, (None, 0))(w, points))  # noqa: E731
        assert_same(step(shared, split), jax.jit(jax.value_and_grad(mean))(WEIGHTS))
    by_direction = OPERATOR(net, argnums=1, directions=1, mesh=mesh, axis="points")
    point = on_mesh(points[0], mesh)
    assert_same(jax.jit(by_direction)(shared, point), jax.jit(APPLIED)(WEIGHTS, points[0]))
print("same")
