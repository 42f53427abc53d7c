"""A method as a program that can be run: compiled, its memory and flops counted, its first run observed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.bench.cases.case import Case, Task
from dof.bench.timing.compiler_counts import flops_if_exact, temporary_bytes
from dof.bench.timing.warm_up import warm_up
from dof.resident_memory import with_peak

SHORTEST_SAMPLE = 5e-2
"""Seconds of one sample of a time: shorter runs are repeated, or the clock and the scheduler would be measured."""
LONG_RUN = 1.0
"""Seconds from which a run is not repeated for warming up, since a pause before it costs little."""
MATMUL_SHAPE = (2048, 256, 256)
"""(rows, inner, columns) of the product that is the yardstick: 32 points × 64 tangents through a layer of 256 units."""


@dataclass
class TimedProgram:
    """Something to run.

    Attributes:
        call: runs it once and waits for the result.
        arrays: the result as NumPy arrays.
        costs: seconds of `tracing` and `compiling`, bytes `temporary` (by the compiler) and `peak` (added to the
            resident memory by the first run), `flops`, and seconds of the `first` timed run; None where not known.
        repeats: runs in one sample.
    """

    call: Callable[[], Any]
    arrays: Callable[[Any], list[np.ndarray]]
    costs: dict[str, Any]
    repeats: int = 1

    def seconds(self) -> float:
        """The time of one run, as the mean of `repeats` runs."""
        # Before the first sample there was no pause: the run for the memory came just before.
        if self.costs.get("first", LONG_RUN) < LONG_RUN:
            warm_up(self.call)
        start = time.perf_counter()
        for _ in range(self.repeats):
            self.call()
        return (time.perf_counter() - start) / self.repeats

    def set_repeats(self) -> None:
        """Take as many runs as a sample needs to be long enough."""
        self.repeats = max(1, math.ceil(SHORTEST_SAMPLE / self.costs["first"]))


def program_in_jax(case: Case, task: Task, weights: Any, x: Any, memory: int) -> TimedProgram:
    """Compile a task and run it once.

    Raises:
        MemoryError: if the program needs more than `memory` bytes.
    """
    # Arguments, not constants, which XLA would fold into the program; moved before the clock starts.
    args = jax.device_put((weights, x))
    jax.block_until_ready(jax.jit(jnp.sum)(args[1]))  # what JAX loads at its first program is not the method's time
    jax.clear_caches()  # nor may what JAX keeps of an earlier trace save time
    start = time.perf_counter()
    # Ahead of time, so that tracing and compiling are timed apart and a program that is too large is never run.
    lowered = jax.jit(task).lower(*args)
    traced = time.perf_counter()
    compiled = lowered.compile()
    done = time.perf_counter()
    temporary = temporary_bytes(compiled)
    _require_memory(temporary, memory)
    flops = flops_if_exact(compiled)
    costs = {"tracing": traced - start, "compiling": done - traced, "temporary": temporary, "flops": flops}
    call = lambda: jax.block_until_ready(compiled(*args))  # noqa: E731
    return _observe_first_run(TimedProgram(call, lambda out: [np.asarray(a) for a in jax.tree.leaves(out)], costs))


def program_in_torch(case: Case, task: Task, weights: Any, x: Any, memory: int) -> TimedProgram:
    """A task of PyTorch, which is not compiled, so that only its peak memory is known."""
    from dof.bench.methods.torch_hessian import as_arrays, as_tensors

    args = as_tensors(case, weights, x)
    costs: dict[str, Any] = {"tracing": None, "compiling": None, "temporary": None, "flops": None}
    return _observe_first_run(TimedProgram(lambda: task(*args), as_arrays, costs))


def matmul_program() -> TimedProgram:
    """The matrix product whose rate is the yardstick of the machine."""
    rows, inner, columns = MATMUL_SHAPE
    x, w = jnp.ones((rows, inner), jnp.float32), jnp.ones((inner, columns), jnp.float32)
    product = jax.jit(jnp.matmul).lower(x, w).compile()
    program = _observe_first_run(TimedProgram(lambda: jax.block_until_ready(product(x, w)), lambda _: [], {}))
    program.set_repeats()
    return program


def _observe_first_run(program: TimedProgram) -> TimedProgram:
    """Run once for the memory, since pages are resident afterwards, and once more for a first idea of the time."""
    _, program.costs["peak"] = with_peak(program.call)
    program.costs["first"] = program.seconds()
    return program


def _require_memory(needed: int, limit: int) -> None:
    if jax.default_backend() == "cpu" and needed > limit:
        raise MemoryError(f"needs {needed / 1e9:.3g} GB")
