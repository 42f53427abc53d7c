"""Training over eight devices gives the same numbers as on one, in one process and in two."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from jax.sharding import Mesh

import dof
from dof.errors import ArgumentError, ArgumentTypeError
from dof.solving.devices import Devices, first_devices
from dof.solving.shares_of_points import shares

SCRIPT = Path(__file__).parent / "run_on_devices.py"
SOURCE = Path(__file__).parents[2] / "src"


def start(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_eight_devices():
    output, _ = start().communicate(timeout=300)
    assert output.endswith("same\n"), output


def test_two_processes_train_a_run_that_the_first_writes(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    processes = [start(tmp_path / "run", number, address) for number in range(2)]
    first, second = (process.communicate(timeout=300)[0] for process in processes)
    assert "same\n" in first and "relative error" in first, first
    assert "same\n" in second and "relative error" not in second, second


@pytest.mark.parametrize(
    ("mesh", "kind", "said"),
    [
        (jax.devices(), ArgumentTypeError, "expected a jax.sharding.Mesh"),
        (Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("x", "y")), ArgumentError, "has the axes"),
    ],
)
def test_a_mesh_has_one_axis(mesh, kind, said):
    with pytest.raises(kind, match=said):
        dof.solve("heat", mesh=mesh)


@pytest.mark.parametrize("count", [0, -1, 1000])
def test_no_more_devices_than_there_are(count):
    with pytest.raises(ArgumentError, match=f"`devices` is {count}"):
        first_devices(count)


def test_what_fills_up_has_no_weight():
    devices = Devices(Mesh(np.array(jax.devices()[:1]), ("points",)))
    devices.count = 4
    ((points, factor),) = shares(((np.arange(6.0)[:, None],),), devices)
    assert points.shape == (8, 1) and (factor[6:] == 0).all()
    np.testing.assert_allclose(np.mean((factor * points[:, 0]) ** 2), np.mean(np.arange(6.0) ** 2))
