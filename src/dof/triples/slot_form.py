"""The quadratic form where each element has directions of its own, in its slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.couplings import Coupling
from dof.triples.quadratic_form import NO_PAIRS, DisjointPairs, QuadraticForm
from dof.triples.stack_arithmetic import settled
from dof.typing import Array, Inexact


@dataclass(frozen=True)
class SlotForm:
    """The quadratic form for stacks of slots: entry j of an element's axis is along direction index[j, element].

    Attributes:
        form: the form of all directions.
        index: of the slots, (k, *b).
        disjoint: for one equation, the pairs of its operands without a cross term.
    """

    form: QuadraticForm
    index: np.ndarray
    disjoint: DisjointPairs = NO_PAIRS

    def meets(self, i: int, j: int) -> bool:
        """Whether operands i and j of an equation share directions; otherwise they have no cross term."""
        return (i, j) not in self.disjoint

    @property
    def channels(self) -> int:
        """The number of operators."""
        return self.form.channels

    @property
    def directions(self) -> int:
        """The number of slots, which stand on the axis of directions."""
        return len(self.index)

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """The couplings of the form of all directions."""
        return self.form.couplings

    def contract(self, g: Inexact[Array, " k *#s"], h: Inexact[Array, " k *#s"]) -> Inexact[Array, " c *s"]:
        """Σ_jl q_(index j, index l) g_j h_l over the slots j, l of each element, for each channel."""
        total = jnp.asarray(self.form.zeros(g, h) if self.form.only_couplings else self.weighted_sum(g * h))
        for coupling in self.couplings:
            total = total.at[coupling.channel].add(jnp.sum(g * self._coupled(coupling, h), axis=0))
        return settled(total)

    def weighted_sum(self, products: Inexact[Array, " k *s"]) -> Any:
        """Σ_j weights_(index j) p_j over the slots j of each element, for each channel."""
        # Weights that are alike for all elements are (c, k) numbers, not an array (c, k, *s) to multiply with.
        alike = self._weights_of_slots()
        if alike is not None:
            return QuadraticForm(alike).weighted_sum(products)
        return jnp.sum(self._weights(products.dtype) * products, axis=1)

    def weigh(self, h: Inexact[Array, " k *s"]) -> Any:
        """Σ_l q_kl h_l over the slots of each element, for each channel."""
        weighted = self._weights(h.dtype) * h
        for coupling in self.couplings:
            weighted = weighted.at[coupling.channel].add(self._coupled(coupling, h))
        return weighted

    def _weights(self, dtype: Any) -> Any:
        # An empty slot gets some other direction's weight, which does not matter: it holds zero.
        return jnp.asarray(self.form.weights, dtype)[:, self.index]

    def _weights_of_slots(self) -> np.ndarray | None:
        """(c, k): weights that are known and, for each slot, the same for all elements; None if there are none."""
        known = self.form.weights
        if not isinstance(known, np.ndarray):
            return None
        weights = known[:, self.index].reshape(self.channels, self.directions, -1)
        there = np.broadcast_to(self.index != EMPTY, self.index.shape).reshape(self.directions, -1)
        # argmax of booleans is the first element whose slot is filled; its weight must hold for all others with one.
        alike = weights[:, np.arange(self.directions), there.argmax(axis=1)]
        return alike if ((weights == alike[..., None]) | ~there).all() else None

    def _coupled(self, coupling: Coupling, h: Any) -> Any:
        pairs = coupling.entries(self.index[:, None], self.index[None])
        return jnp.sum(jnp.asarray(pairs, h.dtype) * h[None], axis=1)


AnyForm = QuadraticForm | SlotForm
