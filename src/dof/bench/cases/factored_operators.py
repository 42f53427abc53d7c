"""The operators that are measured, Σ_k sign_k (row_k · ∇)² + first · ∇: a form that every method can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from dof.bench.cases.architectures import Rng


@dataclass(frozen=True)
class FactoredOperator:
    """The coefficients of an operator, with A = Σ_k sign_k row_k row_kᵀ.

    Attributes:
        inputs: the number N of coordinates.
        rows: shape (blocks, directions, inputs of a block); None for the Laplacian, whose rows are the identity.
        signs: one for each direction, the same in each block.
        first: the coefficients of the first derivatives, of shape (N,); None if there are none.
    """

    inputs: int
    rows: np.ndarray | None = None
    signs: tuple[int, ...] = ()
    first: np.ndarray | None = None

    @property
    def is_laplacian(self) -> bool:
        """Whether the operator is the Laplacian, for which no array of N² entries need be made."""
        return self.rows is None

    @property
    def directions(self) -> np.ndarray:
        """The rows of all blocks, of shape (directions, N)."""
        return np.eye(self.inputs) if self.rows is None else np.asarray(block_diag(*self.rows))

    @property
    def all_signs(self) -> np.ndarray:
        """The signs of the rows of all blocks."""
        return np.ones(self.inputs) if self.rows is None else np.tile(self.signs, len(self.rows))

    @property
    def matrix(self) -> np.ndarray:
        """A, of shape (N, N)."""
        return self.directions.T @ (self.all_signs[:, None] * self.directions)

    def rows_of_sign(self, sign: int) -> Any:
        """The rows with this sign, of shape (blocks, some directions, inputs of a block); None if there are none."""
        chosen = np.asarray(self.signs) == sign
        return self.rows[:, chosen] if self.rows is not None and chosen.any() else None


def laplacian(inputs: int) -> FactoredOperator:
    """Σ_i ∂_i²."""
    return FactoredOperator(inputs)


def elliptic(rng: Rng, blocks: int, size: int, rank: int) -> FactoredOperator:
    """a_ij = Σ_{k < rank} α_ik α_jk in each block with normal α, as in the DOF paper."""
    # All columns are drawn whatever the rank, so that weights and points drawn after it do not depend on the rank.
    alpha = rng.normal(size=(blocks, size, size))
    return FactoredOperator(blocks * size, np.swapaxes(alpha[:, :, :rank], 1, 2), (1,) * rank)


def general(blocks: int, size: int) -> FactoredOperator:
    """a_ij = δ_ij s_i in each block with s_0 = −1 and all others 1: the paper's indefinite operator."""
    order = [*range(1, size), 0]  # equal signs next to each other, so that each sign is a slice
    return FactoredOperator(blocks * size, np.tile(np.eye(size)[order], (blocks, 1, 1)), (1,) * (size - 1) + (-1,))


def diagonal(second: list[float], first: list[float] | None = None) -> FactoredOperator:
    """Σ second_i ∂_i² + Σ first_i ∂_i."""
    # Coordinates without second derivative are no direction; positive signs come first, so that each sign is a slice.
    kept = sorted((i for i, s in enumerate(second) if s), key=lambda i: -second[i])
    rows = np.eye(len(second))[kept] * np.sqrt(np.abs([second[i] for i in kept]))[:, None]
    signs = tuple(int(np.sign(second[i])) for i in kept)
    return FactoredOperator(len(second), rows[None], signs, None if first is None else np.asarray(first, float))
