"""One method on one case, in a process of its own: it is built when asked, and runs when asked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof import system
from dof.bench.cases.case_table import CASES, Case, at_points
from dof.bench.methods.at_a_point import by_hessian
from dof.bench.methods.method_table import METHODS, of_point
from dof.bench.methods.reference import points_compared, true_result
from dof.bench.timing import compiler_counts as xla

SHORTEST = 5e-2
"""Seconds that are measured at least: shorter runs are repeated."""
RULER = (2048, 256, 256)
"""The product whose rate is the ruler: 32 points with 64 tangents each through a layer of 256 units."""


@dataclass(frozen=True)
class Job:
    case: str
    method: str
    points: int
    seed: int
    memory: int


@dataclass
class Built:
    """Something to run: its result, what it cost to build (seconds, bytes, flops), and a call that runs it once."""

    call: Callable[[], Any]
    arrays: Callable[[Any], list[np.ndarray]]
    facts: dict[str, Any]
    repeats: int = 1

    def seconds(self) -> float:
        """Of one run."""
        start = time.perf_counter()
        for _ in range(self.repeats):
            self.call()
        return (time.perf_counter() - start) / self.repeats


def serve(connection: Connection, job: Job) -> None:
    """Answer commands until the other side is gone: (True, answer), or (False, why not)."""
    system.limit_memory(job.memory)
    built: dict[str, Built] = {}
    commands = {
        "build": lambda: _answer_build(job, built),
        "run": lambda: built["it"].seconds(),
        "truth": lambda: _truth(job),
        "device": lambda: jax.devices()[0].device_kind,
        "ruler": lambda: built.update(it=ruler()),
        "flops": lambda name: _flops_of_a_point(CASES[name]),
    }
    while True:
        try:
            command, *args = connection.recv()
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


def _answer_build(job: Job, built: dict[str, Built]) -> dict[str, Any]:
    case = CASES[job.case]
    coefficients, weights, x = case.draw(job.seed, job.points, np.float32)
    method = METHODS[job.method]
    candidates = []
    for option in method.options(case):
        make = _build_in_torch if method.package == "torch" else _build_in_jax
        candidates.append(make(case, method.build(case, coefficients, option), weights, x, job.memory))
        candidates[-1].facts["option"] = option
    it = built["it"] = min(candidates, key=lambda it: it.facts["first"])
    if it.facts["flops"] is None and method.counted:
        lowered = jax.jit(method.counted(case, coefficients, None)).lower(weights, x)
        it.facts["flops"] = _flops(lowered.compile())
    it.repeats = max(1, math.ceil(SHORTEST / it.facts["first"]))
    return {**it.facts, "result": it.arrays(it.call())[: None if case.task == "step" else 1]}


def _build_in_jax(case: Case, task: Callable[..., Any], weights: Any, x: Any, memory: int) -> Built:
    args = jax.device_put((weights, x))
    jax.block_until_ready(jax.jit(jnp.sum)(args[1]))  # what JAX does once only is not the method's
    start = time.perf_counter()
    lowered = jax.jit(task).lower(*args)
    traced = time.perf_counter()
    compiled = lowered.compile()
    done = time.perf_counter()
    temporary = xla.temporary_bytes(compiled)
    _require_memory(temporary, memory)
    facts = {"tracing": traced - start, "compiling": done - traced, "temporary": temporary, "flops": _flops(compiled)}
    call = lambda: jax.block_until_ready(compiled(*args))  # noqa: E731
    return _with_first_run(Built(call, lambda out: [np.asarray(a) for a in jax.tree.leaves(out)], facts))


def _build_in_torch(case: Case, task: Callable[..., Any], weights: Any, x: Any, memory: int) -> Built:
    from dof.bench.methods.torch_hessian import as_arrays, as_tensors

    args = as_tensors(case, weights, x)
    facts = {"tracing": None, "compiling": None, "temporary": None, "flops": None}
    return _with_first_run(Built(lambda: task(*args), as_arrays, facts))


def _with_first_run(built: Built) -> Built:
    """The first run shows what it adds to the memory that is resident. Its time does not count: it may load code."""
    system.restart_peak()
    before = system.resident_bytes()
    built.call()
    built.facts["peak"] = max(0, system.peak_bytes() - before)
    built.facts["first"] = built.seconds()
    return built


def _require_memory(needed: int, limit: int) -> None:
    if jax.default_backend() == "cpu" and needed > limit:
        raise MemoryError(f"needs {needed / 1e9:.3g} GB")


def _flops(compiled: Any) -> float | None:
    """Unknown where there are loops."""
    return None if xla.has_loops(compiled) else xla.flops(compiled)


def _truth(job: Job) -> list[np.ndarray]:
    jax.config.update("jax_enable_x64", True)
    case = CASES[job.case]
    coefficients, weights, x = case.draw(job.seed, points_compared(case, job.points), np.float32)
    in_double = jax.tree.map(lambda array: np.asarray(array, np.float64), (weights, x))
    return [np.asarray(leaf) for leaf in jax.tree.leaves(true_result(case, coefficients, *in_double))]


def ruler() -> Built:
    rows, inner, columns = RULER
    x, w = jnp.ones((rows, inner), jnp.float32), jnp.ones((inner, columns), jnp.float32)
    product = jax.jit(jnp.matmul).lower(x, w).compile()
    built = Built(lambda: jax.block_until_ready(product(x, w)), lambda _: [], {})
    built.repeats = max(1, math.ceil(SHORTEST / _with_first_run(built).facts["first"]))
    return built


def _flops_of_a_point(case: Case) -> float:
    """Of the Hessian's way, before XLA improves it: for an estimate of how long a case will take."""
    coefficients, weights, x = case.draw(0, 1, np.float32)
    task = at_points(case, of_point(case, coefficients, by_hessian))
    return xla.flops(jax.jit(task).lower(weights, x))
