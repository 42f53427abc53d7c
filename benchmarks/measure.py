"""What the benchmarks share: functions are compiled ahead, checked against a truth, and timed by turns.

Flops and memory are XLA's counts; times are medians. What fails gives a text instead, and the others go on.
"""

import argparse
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np


@dataclass(frozen=True)
class Measured:
    """What a method costs (in bytes and seconds), and how far its result is from the truth."""

    deviation: float
    flops: float
    memory: float
    running: float
    tracing: float
    compiling: float


def arguments(description: str, points: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--points", type=int, default=points)
    parser.add_argument("--rounds", type=int, default=9, help="runs of every method")
    parser.add_argument("--builds", type=int, default=3, help="further builds of every method, which are timed")
    return parser


def measure_methods(methods: dict[str, Callable], exact: Callable, network: Callable, args: Any, options: Any) -> dict:
    """What the methods cost that make L φ out of φ = network(weights), at args = (weights, points)."""
    functions = {name: at_points(method, network) for name, method in methods.items()}
    return measure(functions, args, in_double(at_points(exact, network), args), options)


def at_points(method: Callable, network: Callable) -> Callable:
    """The weights are an argument, as in training: XLA cannot compute with them beforehand."""
    return lambda weights, points: jax.vmap(method(network(weights)))(points)


def in_double(f: Callable, args: Any) -> Any:
    """f in float64: the truth for results in float32."""
    with jax.enable_x64(True):
        return jax.device_get(jax.jit(f)(*jax.tree.map(_as_double, args)))


def _as_double(array: Any) -> np.ndarray:
    return np.asarray(array, np.float64) if np.issubdtype(array.dtype, np.floating) else np.asarray(array)


def measure(functions: dict[str, Callable], args: Any, truth: Any, options: Any) -> dict[str, Any]:
    """What every function costs at the arguments, as `Measured`; for one that fails, a text that says why."""
    args = jax.device_put(args)  # the way to the device is not what is measured
    found = {name: _attempt(f, args, truth) for name, f in functions.items()}
    compiled = {name: it[0] for name, it in found.items() if not isinstance(it, str)}
    build = medians({name: partial(build_seconds, functions[name], args) for name in compiled}, options.builds)
    run = medians({name: partial(run_seconds, f, args) for name, f in compiled.items()}, options.rounds)
    for name, f in compiled.items():
        found[name] = Measured(found[name][1], *_counts(f), *run[name], *build[name])
    return found


def medians(samplers: dict[str, Callable[[], tuple]], rounds: int) -> dict[str, np.ndarray]:
    """The medians of what the samplers return. They take turns, so that a slow moment of the machine meets them all."""
    samples = {name: [] for name in samplers}
    for _ in range(rounds):
        for name in random.sample(list(samplers), len(samplers)):
            samples[name].append(samplers[name]())
    return {name: np.median(values, axis=0) for name, values in samples.items()}


def trace_seconds(f: Callable, args: Any) -> tuple[float]:
    return (_trace(f, args)[1],)


def build_seconds(f: Callable, args: Any) -> tuple[float, float]:
    """(seconds of tracing and lowering, seconds of compilation)"""
    lowered, tracing = _trace(f, args)
    start = time.perf_counter()
    lowered.compile()
    return tracing, time.perf_counter() - start


def _trace(f: Callable, args: Any) -> tuple[Any, float]:
    jax.clear_caches()  # or what was traced once would be free for the methods that trace it by jit
    start = time.perf_counter()
    lowered = jax.jit(f).lower(*args)
    return lowered, time.perf_counter() - start


def run_seconds(compiled: Callable, args: Any) -> tuple[float]:
    start = time.perf_counter()
    jax.block_until_ready(compiled(*args))
    return (time.perf_counter() - start,)


def _counts(compiled: Any) -> tuple[float, int]:
    return compiled.cost_analysis()["flops"], compiled.memory_analysis().temp_size_in_bytes


def _attempt(f: Callable, args: Any, truth: Any) -> Any:
    """(compiled, deviation from the truth), or why there is none. First builds and runs are slow: they do not count."""
    try:
        compiled = _trace(f, args)[0].compile()
        _require_memory(compiled)
        return compiled, _deviation(compiled(*args), truth)
    except (Exception, SystemExit) as error:  # folx calls exit() where it cannot evaluate a constant
        return f"{type(error).__name__}: {error}".splitlines()[0][:60]


def _require_memory(compiled: Any) -> None:
    """On a CPU the system would end the whole process, where other devices raise an error."""
    needed = compiled.memory_analysis().temp_size_in_bytes
    if jax.default_backend() == "cpu" and needed > 0.8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(f"needs {needed / 1e9:.0f} GB")


def _deviation(result: Any, truth: Any) -> float:
    """The largest difference in any array, relative to the largest entry of that array (if it is not zero)."""

    def apart(found: Any, true: Any) -> float:
        return np.max(np.abs(np.asarray(found, np.float64) - true)) / (np.max(np.abs(true)) or 1)

    return float(np.max(jax.tree.leaves(jax.tree.map(apart, result, truth))))
