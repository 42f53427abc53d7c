"""Run by test_training_on_devices.py in processes of its own: training over devices gives the same numbers as on one.

run_on_devices.py                        one process with eight devices
run_on_devices.py FOLDER NUMBER ADDRESS  one of two processes with two devices each, which train a run in a folder
"""

import os
import sys
from pathlib import Path

PROCESSES = 2 if len(sys.argv) > 1 else 1
DEVICES = 4 if PROCESSES == 2 else 8
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES // PROCESSES}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402

import dof  # noqa: E402
from dof import pde  # noqa: E402
from dof.errors import ArgumentError  # noqa: E402
from dof.solving.devices import Devices  # noqa: E402
from dof.solving.optimisers.damped_solver import damped_solver  # noqa: E402

jax.config.update("jax_enable_x64", True)
SETTINGS = {"width": 8, "depth": 1, "points": 45, "edge_points": 10, "error_points": 50, "report": 3}


def fall():
    """A problem with three terms, of which two have numbers of points that eight does not divide."""
    equation = pde.residual("t")(lambda u, t: u.tt + jnp.exp(u))
    measured = pde.data(np.array([[0.1], [0.4], [0.9]]), np.array([0.9, 0.5, 0.1]))
    return pde.Problem(equation, pde.Time(0, 1), [pde.initial(1.0), measured], reference=lambda t: 1 - t)


def assert_same_training(**settings):
    mesh = jax.make_mesh((DEVICES,), ("anything",))
    one, many = (dof.solve(fall(), mesh=m, **SETTINGS, **settings) for m in (None, mesh))
    for own, other in zip(one.history, many.history, strict=True):
        for name in ("loss", "residual", "fitted", "error"):
            np.testing.assert_allclose(getattr(other, name), getattr(own, name), rtol=1e-6)
    np.testing.assert_allclose(many.theta, one.theta, rtol=1e-6, atol=1e-9)


def assert_same_direction(rows, columns):
    rng, devices = np.random.default_rng(0), Devices(jax.make_mesh((DEVICES,), ("points",)))
    jacobian, residuals = rng.normal(size=(rows, columns)), rng.normal(size=rows)
    # As means over points, which Jacobians of training are.
    many = devices.program(lambda shared, split: damped_solver(split[0], shared, devices)(shared)(split[1]))
    found = many(*devices.placed(np.array(0.1), (jacobian, residuals)))
    expected = damped_solver(jnp.asarray(jacobian / DEVICES**0.5), 0.1)(0.1)(residuals / DEVICES**0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def in_one_process():
    assert_same_direction(24, 7)
    assert_same_direction(16, 27)
    assert_same_training(adam=3, newton=6, adaptive=True, causal=0.5)
    assert_same_training(adam=0, newton=3, optimiser="stochastic-gauss-newton")
    with pytest.raises(ArgumentError, match="`optimiser` is 'lbfgs'"):
        assert_same_training(newton=3, optimiser="lbfgs")


def in_two_processes(folder):
    from dof.cli.app import app
    from dof.runs.training_run import resume

    options = [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()]
    app(["solve", "heat", *options, "--adam=0", "--newton=6", f"--out={folder}"], standalone_mode=False)
    whole = (folder / "weights.safetensors").read_bytes() if jax.process_index() == 0 else b""
    if jax.process_index() == 0:
        expected = dof.solve("heat", **SETTINGS, adam=0, newton=6)
        np.testing.assert_allclose(dof.load(folder).theta, expected.theta, rtol=1e-6, atol=1e-9)
        sorted((folder / "checkpoints").iterdir())[-1].unlink()
    multihost_utils.sync_global_devices("the last checkpoint is gone")
    app(["solve", f"--resume={folder}"], standalone_mode=False)
    if jax.process_index() == 0:
        assert (folder / "weights.safetensors").read_bytes() == whole
        run = resume(folder)
        assert run.state.step == 6 and [report.step for report in run.reports] == [3, 6]


if PROCESSES == 1:
    in_one_process()
else:
    os.environ |= {"JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": sys.argv[2], "JAX_COORDINATOR_ADDRESS": sys.argv[3]}
    in_two_processes(Path(sys.argv[1]))
print("same")
