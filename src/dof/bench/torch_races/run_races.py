"""Runs the races: each way in a process of its own, by turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from multiprocessing import get_context
from typing import Any

import torch  # pyright: ignore[reportMissingImports]

from dof.bench.timing.warm_up import warm_up
from dof.bench.torch_races.races import RACES, Run
from dof.resident_memory import with_peak
from dof.text_table import TextTable

SMALL = 32
"""The scale of the runs before the first measured one, in which PyTorch loads what it needs."""
TURN = 0.3
"""Seconds of a turn, if a run takes less: single runs of 50 ms differ by half."""


def run_races(names: Iterable[str], rounds: int, scale: int = 1) -> TextTable:
    """Medians of all ways of each race, and the memory that each took."""
    table = TextTable("dof.torch", ["case", "way", "median ms", "times dof", "MB"])
    for name in names:
        table.rows += _rows(name, rounds, scale)
    return table


def _rows(name: str, rounds: int, scale: int) -> list[list[str]]:
    """One for each way.

    Each has a process of its own: the C library keeps memory that one way has freed, so that the next is faster.
    The heat equation by nested gradients took 59 ms after the paper's networks, and 80 ms alone.
    """
    with ExitStack() as stack:
        ways = {way: _process(stack, name, way) for way in RACES[name](SMALL)}
        observed = {way: ask(_observe, scale) for way, ask in ways.items()}
        require_equal([result for result, _ in observed.values()])
        taken = [{way: ask(_seconds, scale) for way, ask in ways.items()} for _ in range(rounds)]
    found = []
    for way, (_, peak) in observed.items():
        # The median of ratios of neighbours: both see the same load of the machine.
        ratio = statistics.median(turn[way] / turn["dof"] for turn in taken)
        milliseconds = 1000 * statistics.median(turn[way] for turn in taken)
        found.append([name, way, f"{milliseconds:.1f}", f"{ratio:.2f}", f"{peak / 1e6:.0f}"])
    return found


def require_equal(results: list[Any]) -> None:
    """Raise an error where ways have other results than the first, to what float32 allows."""
    for other in results[1:]:
        torch.testing.assert_close(results[0], other, rtol=1e-2, atol=1e-2 * float(other.abs().max()))


def _process(stack: ExitStack, name: str, way: str) -> Callable[..., Any]:
    """What asks a process of its own, which ends with the stack, for something of this way."""
    pool = stack.enter_context(ProcessPoolExecutor(1, get_context("spawn")))
    return lambda action, *args: pool.submit(action, name, way, *args).result()


@cache
def _program(name: str, way: str, scale: int) -> Run:
    """Built once in each process, with the same weights and points in all."""
    torch.manual_seed(0)
    return RACES[name](scale)[way]()


def _observe(name: str, way: str, scale: int) -> tuple[Any, int]:
    """The result of the first run, and the most memory that it took."""
    _program(name, way, SMALL)()
    result, peak = with_peak(_program(name, way, scale))
    return torch.as_tensor(result), peak


def _seconds(name: str, way: str, scale: int) -> float:
    """The time of one run, over as many as fit into `TURN`."""
    run, runs = _program(name, way, scale), 0
    warm_up(run)
    start = time.perf_counter()
    while not runs or time.perf_counter() - start < TURN:
        run()
        runs += 1
    return (time.perf_counter() - start) / runs
