"""Operators as every method can take them: Σ_k sign_k (row_k · ∇)² + first · ∇."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from dof.bench.cases.architectures import Rng


@dataclass(frozen=True)
class Coefficients:
    """Rows of shape (blocks, directions, inputs of a block), the same signs in each block; None is the identity."""

    inputs: int
    rows: np.ndarray | None = None
    signs: tuple[int, ...] = ()
    first: np.ndarray | None = None

    @property
    def is_laplacian(self) -> bool:
        return self.rows is None

    @property
    def directions(self) -> np.ndarray:
        """All rows, (directions, inputs)."""
        return np.eye(self.inputs) if self.rows is None else np.asarray(block_diag(*self.rows))

    @property
    def all_signs(self) -> np.ndarray:
        return np.ones(self.inputs) if self.rows is None else np.tile(self.signs, len(self.rows))

    @property
    def matrix(self) -> np.ndarray:
        return self.directions.T @ (self.all_signs[:, None] * self.directions)

    def of_sign(self, sign: int) -> Any:
        """The rows of one sign, for a block as for all; None where there are none."""
        chosen = np.asarray(self.signs) == sign
        return self.rows[:, chosen] if self.rows is not None and chosen.any() else None


def laplacian(inputs: int) -> Coefficients:
    return Coefficients(inputs)


def elliptic(rng: Rng, blocks: int, size: int, rank: int) -> Coefficients:
    """a_ij = Σ_k α_ik α_jk in each block, with `rank` summands: as the paper has it, 64 or 32, and 4 or 2."""
    alpha = rng.normal(size=(blocks, size, size))
    return Coefficients(blocks * size, np.swapaxes(alpha[:, :, :rank], 1, 2), (1,) * rank)


def general(blocks: int, size: int) -> Coefficients:
    """a_ij = δ_ij s_i with s_0 = −1 in each block and all others 1."""
    order = [*range(1, size), 0]  # equal signs side by side
    return Coefficients(blocks * size, np.tile(np.eye(size)[order], (blocks, 1, 1)), (1,) * (size - 1) + (-1,))


def diagonal(second: list[float], first: list[float] | None = None) -> Coefficients:
    """Σ second_i ∂_i² + Σ first_i ∂_i."""
    kept = sorted((i for i, s in enumerate(second) if s), key=lambda i: -second[i])
    rows = np.eye(len(second))[kept] * np.sqrt(np.abs([second[i] for i in kept]))[:, None]
    signs = tuple(int(np.sign(second[i])) for i in kept)
    return Coefficients(len(second), rows[None], signs, None if first is None else np.asarray(first, float))
