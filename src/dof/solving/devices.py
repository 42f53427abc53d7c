"""The devices of a mesh, over which the points of training are divided.

Every loss is a mean over points, and each device has as many points as any other. So losses, gradients, Jᵀ J and Jᵀ r
are means over the devices of what each computes from its own points, and all else is the same on every device. Without
a mesh these means change nothing: the program is the same for one device and for many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown

AXIS = "points"
SAME, SPLIT = PartitionSpec(), PartitionSpec(AXIS)
FIX = 'mesh=jax.make_mesh((jax.device_count(),), ("points",))'


class Devices:
    """The devices of a mesh with one axis, or, without a mesh, the one that JAX takes by default.

    Attributes:
        count: How many there are, in all processes together.
    """

    def __init__(self, mesh: Any = None) -> None:
        _require_one_axis(mesh)
        # A mesh of its own: the name and the kind of the user's axis do not matter.
        self._mesh = None if mesh is None else Mesh(mesh.devices.ravel(), (AXIS,))
        self.count = 1 if mesh is None else mesh.devices.size

    @property
    def mesh(self) -> Mesh | None:
        """The mesh, with one axis; None without one."""
        return self._mesh

    def require_able(self, optimiser: str) -> None:
        """Refuse L-BFGS on several devices of one CPU.

        Its line search exchanges sums inside of a branch. There, eight devices of a CPU with two cores waited for each
        other until jaxlib 0.10.2 ended the process after 40 seconds.
        """
        local = [] if self._mesh is None else self._mesh.local_devices
        if optimiser == "lbfgs" and len(local) > 1 and local[0].platform == "cpu":
            found = "is 'lbfgs' with several devices of one CPU, which may wait for each other forever"
            raise ArgumentError(describe("optimiser", found, "another one", "optimiser='gauss-newton', or no `mesh`"))

    # What follows is called by programs, on each device.

    def mean(self, tree: Any) -> Any:
        """The mean over all devices."""
        return tree if self._mesh is None else lax.pmean(tree, AXIS)

    def all_rows(self, rows: Any) -> Any:
        """The rows (m, …) of all devices, (count · m, …)."""
        if self._mesh is None:
            return rows
        return lax.all_gather(rows, AXIS, tiled=True)

    def own_rows(self, rows: Any) -> Any:
        """The device's own m of all rows (count · m, …)."""
        if self._mesh is None:
            return rows
        return rows.reshape(self.count, -1, *rows.shape[1:])[lax.axis_index(AXIS)]

    def own_columns(self, rows: Any) -> Any:
        """From own rows of a matrix (m, p) to own columns of all rows, (count · m, ⌈p / count⌉), zeros at the end."""
        if self._mesh is None:
            return rows
        filled = jnp.pad(rows, ((0, 0), (0, -rows.shape[1] % self.count)))
        return lax.all_to_all(filled, AXIS, split_axis=1, concat_axis=0, tiled=True)

    # What follows makes programs, and gives them their arrays.

    def program(self, run: Callable[[Any, Any], Any]) -> Any:
        """The jitted function run(shared, split), whose result is the same on all devices.

        Args:
            run: What a device does. Of the arrays in `split` it gets an equal part of the first axis.
        """
        if self._mesh is None:
            return jax.jit(run)
        # Without `check_vma`, which would refuse the programs that plans of residuals are traced to, and with which
        # gradients in θ would be summed over the devices for each point.
        specs = {"in_specs": (SAME, SPLIT), "out_specs": SAME, "check_vma": False}
        return jax.jit(jax.shard_map(run, mesh=self._mesh, **specs))

    def placed(self, shared: Any, split: Any) -> tuple[Any, Any]:
        """The arrays of a program on the devices; lengths of those that are divided are multiples of `count`."""
        return self._place(shared, SAME), self._place(split, SPLIT)

    def _place(self, tree: Any, spec: PartitionSpec) -> Any:
        if self._mesh is None:
            return tree
        sharding = NamedSharding(self._mesh, spec)

        def place(leaf: Any) -> Any:
            # Each process has all the points, and places those of its own devices.
            array = np.asarray(leaf)
            return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])

        return jax.tree.map(place, tree)

    def here(self, tree: Any) -> Any:
        """What a program found, on the device that JAX takes by default."""
        return tree if self._mesh is None else jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf)), tree)

    def from_first(self, tree: Any) -> Any:
        """The arrays that the first process has: where a machine rounds otherwise, processes must not go apart."""
        if self._mesh is None or jax.process_count() == 1:
            return tree
        return jax.tree.map(jnp.asarray, multihost_utils.broadcast_one_to_all(tree))


def _require_one_axis(mesh: Any) -> None:
    if mesh is None:
        return
    if not isinstance(mesh, Mesh):
        raise ArgumentTypeError(describe("mesh", f"is {shown(mesh)}", "a jax.sharding.Mesh", FIX))
    if len(mesh.axis_names) != 1:
        found = f"has the axes {mesh.axis_names}"
        raise ArgumentError(describe("mesh", found, "one axis, along which points are divided", FIX))


def is_first_process() -> bool:
    """Whether this is the process that writes files and speaks; of a single process this is so."""
    return jax.process_index() == 0


def first_devices(count: int) -> Mesh:
    """A mesh of the first `count` devices; refuses more than there are.

    Raises:
        ArgumentError: If there are fewer, or in several processes if some process would have none of them.
    """
    there = jax.devices()
    if not 1 <= count <= len(there):
        flag = f"XLA_FLAGS=--xla_force_host_platform_device_count={max(count, 1)}"
        fix = f"{flag}, which divides a CPU" if there[0].platform == "cpu" and count > 0 else f"devices={len(there)}"
        raise ArgumentError(describe("devices", f"is {count}", f"1 to {len(there)}, as many as there are", fix))
    without = jax.process_count() - len({device.process_index for device in there[:count]})
    if without:
        found = f"is {count}, of which {without} of {jax.process_count()} processes have none"
        raise ArgumentError(describe("devices", found, "some of each process", f"devices={len(there)}"))
    return Mesh(np.array(there[:count]), (AXIS,))


ONE_DEVICE = Devices()
"""All points on one device."""
