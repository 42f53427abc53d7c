"""Couplings: blocks of a quadratic form, by which directions are summed in pairs.

They come from coefficients that are known at run time only (q = A), and from cuts (q = K).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from dof.typing import Array, Float, Inexact

# Accelerators round the factors of a matrix product by default; these sums are small and must be exact.
exact_einsum = partial(jnp.einsum, precision=jax.lax.Precision.HIGHEST)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Coupling:
    """The entries q_kl of one channel's form, as m blocks (p, q) along a diagonal that starts at (start, other).

    With `other=None` the diagonal starts at (start, start) and the blocks are symmetric. Otherwise each entry stands
    for itself and for its mirror image q_lk.
    """

    blocks: Float[Array, "m p q"]
    channel: int = field(metadata={"static": True})
    start: int = field(metadata={"static": True})
    other: int | None = field(default=None, metadata={"static": True})

    @property
    def _ranges(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """(start, length) of the directions k, and of the directions l."""
        m, p, q = self.blocks.shape
        return (self.start, m * p), (self.start if self.other is None else self.other, m * q)

    def sums(self, h: Inexact[Array, " r *s"]) -> Iterator[tuple[int, Inexact[Array, " k *s"]]]:
        """Σ_l q_kl h_l for all k that this coupling has entries for, as pairs (first k, sums for k, k + 1, …)."""
        (first, rows), (second, columns) = self._ranges
        yield first, self._times(h[second : second + columns], "mij,mj...->mi...")
        if self.other is not None:
            yield second, self._times(h[first : first + rows], "mij,mi...->mj...")

    def _times(self, h: Array, subscripts: str) -> Array:
        split = h.reshape(len(self.blocks), -1, *h.shape[1:])
        # In the dtype of the tangents: coefficients in float64 must not turn float32 tangents into float64.
        product = exact_einsum(subscripts, jnp.asarray(self.blocks, h.dtype), split)
        return product.reshape(-1, *h.shape[1:])

    def entries(self, k: np.ndarray, l: np.ndarray) -> Array:
        """q_kl for arrays of directions that broadcast against each other."""
        found = self._entries(k, l)
        # Nothing is counted twice: with `other` the two ranges of directions do not overlap.
        return found if self.other is None else found + self._entries(l, k)

    def _entries(self, k: np.ndarray, l: np.ndarray) -> Array:
        (first, rows), (second, columns) = self._ranges
        inside = (k >= first) & (k < first + rows) & (l >= second) & (l < second + columns)
        # What is outside (also an empty slot, −1, which would wrap around) reads entry 0 instead, and is masked below.
        k, l = (k - first) * inside, (l - second) * inside
        _, p, q = self.blocks.shape
        return jnp.where(inside & (k // p == l // q), self.blocks[k // p, k % p, l % q], 0)

    def within(self, frame: np.ndarray) -> tuple[Coupling, ...]:
        """The coupling restricted to the directions of `frame`, numbered by their place there; () if none is left."""
        # A frame is increasing, so the directions of a range stand side by side in it, and a start says where they are.
        kept = [np.flatnonzero((frame >= start) & (frame < start + length)) for start, length in self._ranges]
        if not all(map(len, kept)):
            return ()
        # Keeping the blocks as they are, where all directions are there, saves a gather per entry at run time.
        is_whole = all(len(places) == length for places, (_, length) in zip(kept, self._ranges, strict=True))
        blocks = self.blocks if is_whole else self._entries(frame[kept[0]][:, None], frame[kept[1]][None])[None]
        start, other = (int(places[0]) for places in kept)
        return (Coupling(blocks, self.channel, start, None if self.other is None else other),)
