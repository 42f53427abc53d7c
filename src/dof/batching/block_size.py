"""How many points go into a block: as many as their values fit into the cache, or into a share of the memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import jax
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown

Chunk = int | Literal["auto"] | None

CACHE = 8 * 2**20
"""Bytes that the values of a block may take on a CPU. Of 0.5 to 64 MB this was fastest, or within 4 % of it, on a
transformer block (2 MB: 3.9 times slower, 64 MB: 1.3 times), the paper's MLP (64 MB: 1.25 times slower), a Slater
determinant and a PINN, on two cores of an AMD EPYC.

Training steps in blocks of half as many points take up to 1.14 of the time (KdV 4 × 64; KS: 1.13, heat 5 × 256: 1.08,
biharmonic 2-D: 1.07, KdV 4 × 128: 1.05), of a quarter as many 1.2 to 1.5: XLA leaves matrix products of less than 16 to
33 million operations on one core, and blocks side by side, as two loops or two in one turn, run one after the other all
the same (jaxlib 0.10.2)."""
MEMORY_SHARE = 0.25
"""Share of the free memory of an accelerator that a block may take, since XLA needs room for what it keeps besides.
Not tried on an accelerator."""
WEIGHTS_RATIO = 3.5
"""Every block reads what all points share, weights above all: its own values are at least that many times larger.
Factors from 0 to 14 change the times of the paper's networks and of 10,000 inputs by 4 % at most."""

LEAST_POINTS = 2
"""Points of a block whose values do not fit the cache anyway. In blocks of one point, of two, and of four, 8 walkers of
32 electrons take 245, 156 and 202 ms with a Psiformer, 258, 156 and 179 ms with LapNet, 95, 56 and 69 ms with FermiNet
(two cores of an AMD EPYC)."""
ROOM = 2**30
"""Bytes that so many points may take; above it, memory counts more than time."""
SIZE_RANGE = (2 / 3, 3 / 2)
"""Between which multiples of what fits the size of a block is chosen, so that it is even and needs few copies.
A Psiformer of 16 electrons, 32 walkers, takes 112 ms in blocks of 3 (33 walkers computed), 104 in blocks of 2, 97 in
blocks of 4; a periodic FermiNet of 16 electrons 52, 48 and 41 ms (two cores of an AMD EPYC)."""
MANY_BLOCKS = 64
"""With more blocks than this, the copies that fill the last one are under 2 % of the points: any even size will do."""


def require_chunk(chunk: Any) -> None:
    """Refuse a `chunk` that is not a positive integer, "auto" or None."""
    if chunk is None or (isinstance(chunk, str) and chunk == "auto"):
        return
    fix = 'dof.batched(g, chunk="auto"), chunk=32, or chunk=None for all at once'
    # `True` is an integer in Python, and surely not meant as one point.
    if isinstance(chunk, bool) or not isinstance(chunk, (int, np.integer)):
        raise ArgumentTypeError(describe("chunk", f"is {shown(chunk)}", 'a positive integer, "auto" or None', fix))
    if chunk < 1:
        raise ArgumentError(describe("chunk", f"is {chunk}", 'a positive integer, "auto" or None', fix))


def points_per_block(chunk: Chunk, bytes_per_point: Callable[[], int], n: int, shared: int) -> int:
    """How many points a block has, at the most.

    Args:
        chunk: what the user asked for.
        bytes_per_point: computes how much a point takes; called for "auto" only.
        n: number of points.
        shared: bytes that every block reads besides its own.
    """
    if chunk is None:
        return max(n, 1)
    if chunk != "auto":
        return int(chunk)
    each = max(bytes_per_point(), 1)
    least = LEAST_POINTS if LEAST_POINTS * each <= ROOM else 1
    return even_size(max(least, int(max(_budget(), WEIGHTS_RATIO * shared)) // each), n)


def even_size(fits: int, n: int) -> int:
    """The size of blocks near `fits` with which n points, and the fewest copies of points, are computed.

    Sizes are even, because XLA divides the points of a block among cores; of equally good ones the nearest is taken.
    """
    if fits == 1 or fits >= n:
        return fits
    if n > MANY_BLOCKS * fits:
        return 2 * round(fits / 2)
    fewest, most = math.ceil(n / (SIZE_RANGE[1] * fits)), math.ceil(n / (SIZE_RANGE[0] * fits))
    sizes = [2 * -(-n // (2 * blocks)) for blocks in range(fewest, most + 1)]
    return min(sizes, key=lambda size: (-(-n // size) * size, abs(math.log(size / fits))))


def _budget() -> int:
    device = jax.local_devices()[0]
    stats = None if device.platform == "cpu" else device.memory_stats()
    if not stats or "bytes_limit" not in stats:
        return CACHE
    return int(MEMORY_SHARE * (stats["bytes_limit"] - stats.get("bytes_in_use", 0)))
