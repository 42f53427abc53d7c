"""The quadratic forms by which operators sum over directions: Σ_kl q_kl g_k h_l, one for each operator (channel)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dof.directions.weight_runs import Run


class Coupling(NamedTuple):
    """Blocks of the form of one channel: m square blocks (m, b, b) along its diagonal, the first at `start`."""

    blocks: Tensor
    channel: int
    start: int

    def sums(self, h: Tensor) -> Tensor:
        """Σ_l q_kl h_l for the directions k of the blocks: (r, *s) to (m b, *s)."""
        m, b = self.blocks.shape[:2]
        split = h[self.start : self.start + m * b].reshape(m, b, -1)
        return (self.blocks.to(h.dtype) @ split).reshape(m * b, *h.shape[1:])


class Pairs(NamedTuple):
    """Σ_j ∂_(first + j) ∂_(second + j), j < length, for one channel."""

    channel: int
    first: int
    second: int
    length: int

    def exchanged(self, h: Tensor) -> list[tuple[int, Tensor]]:
        """Σ_l q_kl h_l as (first k, sums for k, k + 1, …): each direction of a pair takes half of its partner."""
        one, two = (h[start : start + self.length] / 2 for start in (self.first, self.second))
        return [(self.first, two), (self.second, one)]


@dataclass(frozen=True)
class QuadraticForm:
    """q = diag(weights[c]) + couplings + pairs, for each channel c.

    Attributes:
        weights: (c, r); None for one channel whose weights are all one, without couplings and pairs.
        directions: r.
        channels: c.
        couplings: blocks that are added to the diagonals.
        pairs: single entries beside the diagonals that are added to them.
        runs: for a form that is known and diagonal, (start, stop, weights of the channels) of neighbouring directions
            with the same weights; else None.
        rows: the directions as rows (r, N), if they are known and the same for all points; else None.
    """

    weights: Tensor | None
    directions: int
    channels: int = 1
    couplings: tuple[Coupling, ...] = ()
    pairs: tuple[Pairs, ...] = ()
    runs: tuple[Run, ...] | None = None
    rows: np.ndarray | None = None

    @property
    def is_known(self) -> bool:
        """Whether the form is diagonal with weights that are numbers, not tensors that may be learned."""
        return self.runs is not None

    def has_directions(self, channel: int) -> bool:
        """Whether a channel of a known form has weights that are not zero."""
        return any(run.weights[channel] for run in self.runs or ())

    def contract(self, g: Tensor, h: Tensor) -> Tensor:
        """Σ_kl q_kl g_k h_l for each channel: stacks (r, *s) and (r, *s) to (c, *s), elementwise in s."""
        if self.weights is None:
            return (g.square() if g is h else g * h).sum(0, keepdim=True)
        products = g * h  # complex if one of both is
        total = list(torch.tensordot(self.weights.to(products.dtype), products, dims=1).unbind(0))
        for channel, start, part in self._beside_diagonal(h):
            total[channel] = total[channel] + (g[start : start + len(part)] * part).sum(0)
        return torch.stack(total)

    def weigh(self, h: Tensor) -> Tensor:
        """Σ_l q_kl h_l for each channel: (r, *s) to (c, r, *s), for bilinear maps that sum over k themselves."""
        if self.weights is None:
            return h[None]
        weights = self.weights.to(h.dtype)
        total = list((weights.reshape(*weights.shape, *[1] * (h.dim() - 1)) * h).unbind(0))
        for channel, start, part in self._beside_diagonal(h):
            before, own, after = total[channel].tensor_split([start, start + len(part)])
            total[channel] = torch.cat([before, own + part, after])
        return torch.stack(total)

    def _beside_diagonal(self, h: Tensor) -> list[tuple[int, int, Tensor]]:
        """(channel, first k, Σ_l q_kl h_l for k, k + 1, …) of all entries that `weights` does not have."""
        found = [(c.channel, c.start, c.sums(h)) for c in self.couplings]
        return found + [(p.channel, start, part) for p in self.pairs for start, part in p.exchanged(h)]
