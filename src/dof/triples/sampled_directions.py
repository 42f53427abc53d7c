"""Random directions in place of all: Σ_kl q_kl ∂_k ∂_l as the mean of second derivatives along a few of them.

With a random vector ε of mean E[ε εᵀ] = 1 and ∂_ε = Σ_k ε_k ∂_k, the mean of ∂_ε² is Σ_k ∂_k², and that of ∂_ε ∂_h with
h = Q ε is Σ_kl q_kl ∂_k ∂_l.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.factor import SecondOrderPart
from dof.directions.known_while_tracing import is_known
from dof.directions.sparse_rows import RowBlock, SparseRows
from dof.typing import Array

Draw = Callable[[int], Array]
"""From the number r of directions to random vectors ε, (samples, r)."""


def random_signs(key: Any, samples: int) -> Draw:
    """Entries ±1 (Rademacher), which of all distributions of independent entries have the smallest variance."""
    return lambda r: jax.random.rademacher(key, (samples, r), dtype=float)


def random_choice(key: Any, samples: int) -> Draw:
    """√r e_k for directions k that differ from each other, drawn at random."""

    def draw(r: int) -> Array:
        chosen = jax.random.choice(key, r, (samples,), replace=False)
        return jax.nn.one_hot(chosen, r) * np.sqrt(r)

    return draw


def sampled_part(part: SecondOrderPart, draw: Draw, samples: int) -> SecondOrderPart:
    """A second-order part that has the given one as its mean.

    Directions of positive weight are sampled apart from those of negative weight, so that each sample of either is one
    direction. Where weights are known at run time only, or directions are coupled, a sample is two:
    ∂_ε ∂_h = (∂_ε + ∂_h)² / 4 − (∂_ε − ∂_h)² / 4. Where this takes no fewer directions than there are, all are kept.

    Args:
        part: the directions, and the form that sums them.
        draw: the random vectors.
        samples: how many of them.
    """
    if part.couplings or not is_known(part.weights):
        return part if part.size <= 2 * samples else _with_partners(part, draw(part.size))
    if part.size <= samples:
        return part
    found = [_of_one_sign(part, sign, draw, samples) for sign in (1, -1)]
    return SecondOrderPart(tuple(r for rows, _ in found for r in rows), np.concatenate([w for _, w in found]))


def _of_one_sign(part: SecondOrderPart, sign: int, draw: Draw, samples: int) -> tuple[tuple[RowBlock, ...], np.ndarray]:
    """(rows, weights) in place of the directions whose weights have this sign."""
    (kept,) = np.nonzero(np.sign(part.weights) == sign)
    scales = np.sqrt(np.abs(part.weights[kept]))
    if not len(kept):
        return (), np.zeros(0)
    # All of them where they are few: the unit vectors, which need no mean.
    chosen = np.eye(len(kept)) if len(kept) <= samples else draw(len(kept)) / np.sqrt(samples)
    vectors = jnp.zeros((len(chosen), part.size)).at[:, kept].set(chosen * scales)
    return (_combined(vectors, part.rows),), np.full(len(chosen), float(sign))


def _with_partners(part: SecondOrderPart, vectors: Array) -> SecondOrderPart:
    """Squares of (ε + Q ε) / 2 and (ε − Q ε) / 2 for random vectors ε, (samples, r)."""
    partners = jnp.asarray(vectors * part.weights)
    for start, blocks in part.couplings:
        count, size, _ = blocks.shape
        place = slice(start, start + count * size)
        parts = vectors[:, place].reshape(len(vectors), count, size)
        partners = partners.at[:, place].add(jnp.einsum("snk,nkl->snl", parts, blocks).reshape(len(vectors), -1))
    own, other = (_combined(v, part.rows) / 2 for v in (vectors, partners))
    weights = np.full(len(vectors), 1 / len(vectors))
    return SecondOrderPart((own + other, own - other), np.concatenate([weights, -weights]))


def _combined(vectors: Array, rows: Sequence[RowBlock]) -> Array:
    """Linear combinations (samples, N) of the rows of L, with coefficients (samples, r)."""
    total, first = 0.0, 0
    for block in rows:
        own = vectors[:, first : first + len(block)]
        first += len(block)
        if isinstance(block, SparseRows):
            # By the nonzero entries: 100,000 coordinate directions are no matrix.
            zeros = jnp.zeros((len(own), block.n), own.dtype)
            total = total + zeros.at[:, block.column].add(own[:, block.row] * block.entry)
        else:
            total = total + own @ block
    return jnp.asarray(total)
