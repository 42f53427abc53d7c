"""What runs inside of a worker process: it answers the commands of `worker_process` for one method on one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import jax
import numpy as np

from dof import machine_info
from dof.bench.cases.case import Case, vectorised_task
from dof.bench.cases.case_table import CASES
from dof.bench.methods.any_order_at_a_point import nested_jvp
from dof.bench.methods.at_a_point import by_hessian
from dof.bench.methods.method_table import METHODS, Method, residual_at_a_point
from dof.bench.methods.pde_at_a_point import hessian, residual_from
from dof.bench.methods.reference import points_compared, reference_result
from dof.bench.timing.compiler_counts import flops, flops_if_exact
from dof.bench.timing.timed_program import TimedProgram, matmul_program, program_in_jax, program_in_torch


@dataclass(frozen=True)
class Job:
    """One method on one case, with the bytes of memory that the process may take."""

    case: str
    method: str
    points: int
    seed: int
    memory: int


def serve(connection: Connection, job: Job) -> None:
    """Answer commands until the other side is gone, each by (True, answer) or (False, reason of the failure)."""
    machine_info.limit_memory(job.memory)
    programs: dict[str, TimedProgram] = {}
    commands = {
        "build": lambda: _build(job, programs),
        "run": lambda: programs["current"].seconds(),
        "reference": lambda: _reference(job),
        "device": lambda: jax.devices()[0].device_kind,
        "matmul": lambda: programs.update(current=matmul_program()),
        "flops": lambda name: _flops_of_a_point(CASES[name]),
    }
    while True:
        try:
            command, *args = connection.recv()
        # The other side closes its end of the pipe to say that it is done.
        except EOFError:
            return
        connection.send(_attempt(commands[command], *args))


def _attempt(action: Callable[..., Any], *args: Any) -> tuple[bool, Any]:
    try:
        return True, action(*args)
    except MemoryError as error:
        return False, f"out of memory: {error}".rstrip(": ")
    except (Exception, SystemExit) as error:  # folx calls exit() where it cannot evaluate a constant
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        return False, f"out of memory: {text}" if "RESOURCE_EXHAUSTED" in text else text


def _build(job: Job, programs: dict[str, TimedProgram]) -> dict[str, Any]:
    """Build the job's method with each of its options, keep the fastest, and return its costs and result."""
    case, method = CASES[job.case], METHODS[job.method]
    operator, weights, x = case.draw(job.seed, job.points, np.float32)
    make = program_in_torch if method.package == "torch" else program_in_jax
    if make is program_in_jax:
        _load_modules(method, case)
    candidates = []
    for option in method.options(case):
        candidates.append(make(case, method.build(case, operator, option), weights, x, job.memory))
        candidates[-1].costs["option"] = option
    program = programs["current"] = min(candidates, key=lambda candidate: candidate.costs["first"])
    if program.costs["flops"] is None and method.counted:
        lowered = jax.jit(method.counted(case, operator, None)).lower(weights, x)
        program.costs["flops"] = flops_if_exact(lowered.compile())
    program.set_repeats()
    arrays = program.arrays(program.call())
    return {**program.costs, "result": arrays if case.task == "step" else arrays[:1]}


SMALL = {"two": "heat-1d", "higher": "kdv-4x64", "pde": "pinn-burgers-4x64-4096"}
"""A case of each kind that is traced quickly."""


def _load_modules(method: Method, case: Case) -> None:
    """Trace the method once on a small case: modules that it imports at first use do not count as tracing."""
    small = CASES[SMALL[case.kind]]
    operator, weights, x = small.draw(0, 2, np.float32)
    jax.jit(method.build(small, operator, next(iter(method.options(small))))).lower(weights, x)


def _reference(job: Job) -> list[np.ndarray]:
    """In float64, at the weights and points in float32 that the methods get."""
    machine_info.use_one_core()
    # For this process only: the methods, in processes of their own, stay in float32.
    jax.config.update("jax_enable_x64", True)
    case = CASES[job.case]
    # Rounded to float32 first: otherwise the deviation would be that of the inputs and not of the method.
    operator, weights, x = case.draw(job.seed, points_compared(case, job.points), np.float32)
    in_double = jax.tree.map(lambda array: np.asarray(array, np.float64), (weights, x))
    return [np.asarray(leaf) for leaf in jax.tree.leaves(reference_result(case, operator, *in_double))]


def _flops_of_a_point(case: Case) -> float:
    """Flops of the Hessian, or of nested jvp, at one point, not simplified by the compiler: how much work a case is."""
    operator, weights, x = case.draw(0, 1, np.float32)
    method = {"two": by_hessian, "higher": nested_jvp, "pde": residual_from(hessian)}[case.kind]
    task = vectorised_task(case, residual_at_a_point(case, operator, method))
    return flops(jax.jit(task).lower(weights, x))
