"""The quadratic forms by which operators sum over directions: Σ_kl q_kl g_k h_l, one for each operator (channel)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.directions.shared import SharedDirections
from dof.directions.weight_runs import Run, runs_of
from dof.triples.couplings import Coupling, exact_einsum
from dof.triples.short_sums import total_in_front
from dof.triples.stack_arithmetic import settled
from dof.typing import Array, Float, Inexact

DisjointPairs = frozenset[tuple[int, int]]
"""Pairs i < j of operands of an equation that share no direction and are not coupled: they have no cross term."""
NO_PAIRS: DisjointPairs = frozenset()


MOST_RUNS = 4
"""Runs of equal weights up to which each is a plain sum. u_tt − u_xx of a network of 4 × 32, with two runs, takes 0.7
of the time that it takes with a matrix product, and the paper's general operator, with 64 directions in two runs, 0.94
of it. More than two are not measured."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class QuadraticForm:
    """q = diag(weights[c]) + couplings, for each channel c.

    Attributes:
        weights: (c, r).
        couplings: blocks of q_kl, which are added to the diagonal.
        disjoint: for one equation, the pairs of its operands without a cross term.
    """

    weights: Float[Array, "c r"]
    couplings: tuple[Coupling, ...] = ()
    disjoint: DisjointPairs = field(default=NO_PAIRS, metadata={"static": True})

    @classmethod
    def of(cls, shared: SharedDirections) -> QuadraticForm:
        """The form by which several operators sum over their shared directions."""
        couplings = tuple(Coupling(c.blocks, c.channel, c.start) for c in shared.couplings)
        return cls(shared.weights, couplings)

    @property
    def channels(self) -> int:
        """The number of operators."""
        return self.weights.shape[0]

    @property
    def directions(self) -> int:
        """The number of directions, r."""
        return self.weights.shape[1]

    def within(self, frame: np.ndarray, disjoint: DisjointPairs = NO_PAIRS) -> QuadraticForm:
        """The form restricted to the directions of a frame, for an equation with these pairs of disjoint operands."""
        # A frame is increasing and has no direction twice, so one of this length has all of them in order.
        if len(frame) == self.directions:
            return QuadraticForm(self.weights, self.couplings, disjoint)
        couplings = tuple(part for c in self.couplings for part in c.within(frame))
        return QuadraticForm(self.weights[:, frame], couplings, disjoint)

    def meets(self, i: int, j: int) -> bool:
        """Whether operands i and j of an equation share directions; otherwise they have no cross term."""
        return (i, j) not in self.disjoint

    @property
    def only_couplings(self) -> bool:
        """Whether all weights are known to be zero, as after a cut."""
        return is_known(self.weights) and not self.weights.any()

    def zeros(self, g: Inexact[Array, " r *#s"], h: Inexact[Array, " r *#s"]) -> Array:
        """The result of `contract` for q = 0."""
        shape = (self.channels, *np.broadcast_shapes(g.shape[1:], h.shape[1:]))
        return jnp.zeros(shape, jnp.result_type(g, h))

    def contract(self, g: Inexact[Array, " r *#s"], h: Inexact[Array, " r *#s"]) -> Inexact[Array, " c *s"]:
        """Σ_kl q_kl g_k h_l for each channel: stacks (r, *s) and (r, *s) to (c, *s), elementwise in s."""
        total = jnp.asarray(self.zeros(g, h) if self.only_couplings else self.weighted_sum(g * h))
        for coupling in self.couplings:
            for start, part in coupling.sums(h):
                total = total.at[coupling.channel].add(jnp.sum(g[start : start + len(part)] * part, axis=0))
        return settled(total)

    def pair(self, g: Inexact[Array, "r m"], h: Inexact[Array, "r n"]) -> Inexact[Array, "c m n"]:
        """Σ_kl q_kl g_ki h_lj for each channel: (r, m) and (r, n) to (c, m, n)."""
        if self.is_plain_sum:
            return exact_einsum("ri,rj->ij", g, h)[None]
        return exact_einsum("ri,crj->cij", g, self.weigh(h))

    @property
    def is_known(self) -> bool:
        """Whether q is diagonal and known while tracing, and so the same for all points of a batch."""
        return is_known(self.weights) and not self.couplings

    @property
    def is_plain_sum(self) -> bool:
        """Whether q is the identity, for one operator."""
        return self.channels == 1 and self.is_known and bool((self.weights == 1).all())

    def weighted_sum(self, products: Inexact[Array, " r *s"]) -> Inexact[Array, " c *s"]:
        """Σ_k weights_k p_k: the part of the form on its diagonal."""
        # A plain sum fuses with what follows; a product with the weights before the sum would be materialised, so
        # many different weights go through one small matrix product.
        runs = self._few_runs()
        if not runs:
            return exact_einsum("cr,r...->c...", jnp.asarray(self.weights, products.dtype), products)
        return reduce(jnp.add, [_sum_of_run(products, run) for run in runs])[None]

    def _few_runs(self) -> list[Run]:
        """The runs of the weights that are not zero, for one channel whose weights are known; none if they are many."""
        if self.channels > 1 or not is_known(self.weights):
            return []
        runs = [run for run in runs_of(np.asarray(self.weights)) if run.weights[0]]
        return runs if len(runs) <= MOST_RUNS else []

    def weigh(self, h: Inexact[Array, " r *s"]) -> Inexact[Array, " c r *s"]:
        """Σ_l q_kl h_l for each channel: (r, *s) to (c, r, *s).

        For bilinear maps B: their own contraction then does the sum over k in Σ_kl q_kl B(g_k, h_l).
        """
        weighted = exact_einsum("cr,r...->cr...", jnp.asarray(self.weights, h.dtype), h)
        for coupling in self.couplings:
            for start, part in coupling.sums(h):
                weighted = weighted.at[coupling.channel, start : start + len(part)].add(part)
        return weighted


def _sum_of_run(products: Array, run: Run) -> Array:
    # Indexing takes longer to trace than the sum, and most forms are one run.
    is_whole = run.stop - run.start == len(products)
    total = total_in_front(products if is_whole else products[run.start : run.stop])
    (weight,) = run.weights
    return total if weight == 1 else weight * total
