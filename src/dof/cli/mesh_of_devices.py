"""The devices that `dof solve` trains on, in one process or in several."""

from __future__ import annotations

import os

import jax
from jax.sharding import Mesh

from dof.solving.devices import first_devices

COORDINATOR, PROCESSES, PROCESS = "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"
"""Variables of the environment by which processes find each other: the address of the first one, as 10.0.0.1:1234, how
many there are, and which this is. JAX finds the last two by itself under Slurm and Open MPI."""


def mesh_of(devices: int | None) -> Mesh | None:
    """A mesh of so many devices; None is one device, or in several processes all of them."""
    if COORDINATOR in os.environ and not jax.distributed.is_initialized():
        jax.distributed.initialize(num_processes=_number(PROCESSES), process_id=_number(PROCESS))
    if devices is None and jax.process_count() == 1:
        return None
    return first_devices(jax.device_count() if devices is None else devices)


def _number(name: str) -> int | None:
    return int(os.environ[name]) if name in os.environ else None
