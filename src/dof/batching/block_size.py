"""How many points go into a block: as many as their values fit into the cache, or into a share of the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import jax
import numpy as np

from dof.cut.cost_model import size_of
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.jax_compat import Closed, inner_programs, parts
from dof.jax_compat import Literal as LiteralAtom
from dof.jaxpr.program import varying_reads

Chunk = int | Literal["auto"] | None

CACHE = 8 * 2**20
"""Bytes that the values of a block may take on a CPU."""
SHARE = 0.25
"""Of the free memory of an accelerator."""
WEIGHTS = 3.5
"""Every block reads what all points share, weights above all: its values are at least that much larger."""


def require_chunk(chunk: Any) -> None:
    if chunk is None or (isinstance(chunk, str) and chunk == "auto"):
        return
    fix = 'dof.batched(g, chunk="auto"), chunk=32, or chunk=None for all at once'
    if isinstance(chunk, bool) or not isinstance(chunk, (int, np.integer)):
        raise ArgumentTypeError(describe("chunk", f"is {chunk!r}", 'a positive integer, "auto" or None', fix))
    if chunk < 1:
        raise ArgumentError(describe("chunk", f"is {chunk}", 'a positive integer, "auto" or None', fix))


def chunk_size(chunk: Chunk, bytes_per_point: Callable[[], int], n: int, shared: int) -> int:
    """At most how many points to take at once, where every block goes through `shared` bytes besides its own."""
    if chunk is None:
        return max(n, 1)
    if chunk != "auto":
        return int(chunk)
    return max(1, int(max(budget(), WEIGHTS * shared)) // max(bytes_per_point(), 1))


def budget() -> int:
    device = jax.local_devices()[0]
    stats = None if device.platform == "cpu" else device.memory_stats()
    if not stats or "bytes_limit" not in stats:
        return CACHE
    return int(SHARE * (stats["bytes_limit"] - stats.get("bytes_in_use", 0)))


def peak_bytes(jaxpr: Closed, varies: list[bool]) -> int:
    """The most that is alive at once of the values of one point; what is the same for all points does not count."""
    program, _ = parts(jaxpr)
    depends = {v for v, flag in zip(program.invars, varies, strict=True) if flag}
    eqns = _needed(program)
    last_use = {v: n for n, eqn in enumerate(eqns) for v in eqn.invars if not isinstance(v, LiteralAtom)}
    last_use |= {v: len(eqns) for v in program.outvars if not isinstance(v, LiteralAtom)}
    alive, most = {v: _bytes(v) for v in depends}, 0
    for n, eqn in enumerate(eqns):
        flags = varying_reads(eqn.invars, depends)
        if any(flags):
            depends.update(eqn.outvars)
            alive.update((v, _bytes(v)) for v in eqn.outvars)
            inside = max((_peak_inside(p, flags) for p in inner_programs(eqn.params)), default=0)
            most = max(most, sum(alive.values()) + inside)
        for v in [v for v in alive if last_use.get(v, n) <= n]:
            del alive[v]
    return most


def stored_bytes(jaxpr: Closed, varies: list[bool], trained: int) -> int:
    """What a gradient in the first `trained` arguments keeps of one point, and computes besides, takes no more: all
    values that depend on both, and the values that these are computed from."""
    program, _ = parts(jaxpr)
    depends = {v for v, flag in zip(program.invars, varies, strict=True) if flag}
    learned = set(program.invars[:trained])
    stored: dict[Any, int] = {}
    for eqn in _needed(program):
        own, from_learned = varying_reads(eqn.invars, depends), varying_reads(eqn.invars, learned)
        if any(own) and any(from_learned):
            stored.update((v, _bytes(v)) for v, flag in zip(eqn.invars, own, strict=True) if flag)
            stored.update((v, _bytes(v)) for v in eqn.outvars)
        depends.update(eqn.outvars if any(own) else ())
        learned.update(eqn.outvars if any(from_learned) else ())
    return sum(stored.values())


def shared_bytes(jaxpr: Closed, varies: list[bool]) -> int:
    """What is the same for all points: arguments and constants."""
    program, _ = parts(jaxpr)
    arguments = [v for v, flag in zip(program.invars, varies, strict=True) if not flag]
    return sum(map(_bytes, [*arguments, *program.constvars]))


def _needed(program: Any) -> list[Any]:
    """The equations that results depend on: XLA computes no others, as tangents that nobody reads."""
    wanted = {v for v in program.outvars if not isinstance(v, LiteralAtom)}
    kept = []
    for eqn in reversed(program.eqns):
        if eqn.effects or any(v in wanted for v in eqn.outvars):
            kept.append(eqn)
            wanted.update(v for v in eqn.invars if not isinstance(v, LiteralAtom))
    return kept[::-1]


def _peak_inside(jaxpr: Closed, flags: list[bool]) -> int:
    """Of an inner program; if its arguments are not those of the equation, all count as of this point."""
    count = len(parts(jaxpr)[0].invars)
    return peak_bytes(jaxpr, flags if len(flags) == count else [True] * count)


def _bytes(variable: Any) -> int:
    return size_of(variable) * getattr(variable.aval.dtype, "itemsize", 0)
