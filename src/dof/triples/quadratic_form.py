"""The quadratic forms by which the operators sum over directions: (g, h) ↦ Σ_kl q_kl g_k h_l, one for each operator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.triples.couplings import Coupling, exact_einsum
from dof.triples.slots import NONE
from dof.typing import Array, Float, Inexact

Apart = frozenset[tuple[int, int]]
"""Pairs i < j of operands of an equation that no direction is common to, nor couples."""
NO_PAIRS: Apart = frozenset()


def settled(total: Inexact[Array, " *s"]) -> Inexact[Array, " *s"]:
    """The same numbers, as a value that XLA makes on its own.

    On CPUs it takes products and sums that follow each other into one kernel. All layers of what is applied would go
    into one at the end, which needs the tangents of all layers: memory and time would grow with the depth. It stops
    at a change of precision, even if that changes nothing.
    """
    if not jnp.issubdtype(total.dtype, jnp.floating):
        return total
    format = jnp.finfo(total.dtype)
    return lax.reduce_precision(total, exponent_bits=format.nexp, mantissa_bits=format.nmant)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Form:
    """q = diag(weights[c]) + couplings, for each channel c."""

    weights: Float[Array, "c r"]
    couplings: tuple[Coupling, ...] = ()
    apart: Apart = field(default=NO_PAIRS, metadata={"static": True})

    @property
    def channels(self) -> int:
        return self.weights.shape[0]

    @property
    def directions(self) -> int:
        return self.weights.shape[1]

    def within(self, frame: np.ndarray, apart: Apart = NO_PAIRS) -> Form:
        """The form on some of the directions, in order, for an equation of which some operands are apart."""
        if len(frame) == self.directions:
            return Form(self.weights, self.couplings, apart)
        couplings = tuple(part for c in self.couplings for part in c.within(frame))
        return Form(self.weights[:, frame], couplings, apart)

    def meets(self, i: int, j: int) -> bool:
        """Whether operands i and j of an equation have directions in common; else they have no cross term."""
        return (i, j) not in self.apart

    @property
    def only_couplings(self) -> bool:
        return isinstance(self.weights, np.ndarray) and not self.weights.any()

    def zeros(self, g: Inexact[Array, " r *#s"], h: Inexact[Array, " r *#s"]) -> Array:
        shape = (self.channels, *np.broadcast_shapes(g.shape[1:], h.shape[1:]))
        return jnp.zeros(shape, jnp.result_type(g, h))

    def contract(self, g: Inexact[Array, " r *#s"], h: Inexact[Array, " r *#s"]) -> Inexact[Array, " c *s"]:
        """Σ_kl q_kl g_k h_l, elementwise, for each channel."""
        total = jnp.asarray(self.zeros(g, h) if self.only_couplings else self.weighted_sum(g * h))
        for coupling in self.couplings:
            for start, part in coupling.sums(h):
                total = total.at[coupling.channel].add(jnp.sum(g[start : start + len(part)] * part, axis=0))
        return settled(total)

    def pair(self, g: Inexact[Array, "r m"], h: Inexact[Array, "r n"]) -> Inexact[Array, "c m n"]:
        """Σ_kl q_kl g_ki h_lj for each channel."""
        if self.is_plain_sum:
            return exact_einsum("ri,rj->ij", g, h)[None]
        return exact_einsum("ri,crj->cij", g, self.weigh(h))

    @property
    def is_known(self) -> bool:
        """Whether it is known when tracing, and so the same for all points of a batch."""
        return isinstance(self.weights, np.ndarray) and not self.couplings

    @property
    def is_plain_sum(self) -> bool:
        return self.is_known and self.channels == 1 and bool((self.weights == 1).all())

    def weighted_sum(self, products: Inexact[Array, " r *s"]) -> Inexact[Array, " c *s"]:
        """Σ_k weights_k p_k: the sum over directions of a form without couplings."""
        # A plain sum fuses with what follows; a product with the weights before the sum would be materialised, so
        # other weights go through one small matrix product.
        if self.channels == 1 and isinstance(self.weights, np.ndarray) and (self.weights == 1).all():
            return jnp.sum(products, axis=0, keepdims=True)
        return exact_einsum("cr,r...->c...", jnp.asarray(self.weights, products.dtype), products)

    def weigh(self, h: Inexact[Array, " r *s"]) -> Inexact[Array, " c r *s"]:
        """Σ_l q_kl h_l for each channel: for bilinear maps, whose own contraction then takes in the sum over k."""
        weighted = exact_einsum("cr,r...->cr...", jnp.asarray(self.weights, h.dtype), h)
        for coupling in self.couplings:
            for start, part in coupling.sums(h):
                weighted = weighted.at[coupling.channel, start : start + len(part)].add(part)
        return weighted


@dataclass(frozen=True)
class LocalForm:
    """The form element by element, where each has directions of its own: index (k, *b), with −1 for an empty slot."""

    form: Form
    index: np.ndarray
    apart: Apart = NO_PAIRS

    def meets(self, i: int, j: int) -> bool:
        return (i, j) not in self.apart

    @property
    def channels(self) -> int:
        return self.form.channels

    @property
    def directions(self) -> int:
        return len(self.index)

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        return self.form.couplings

    def contract(self, g: Inexact[Array, " k *#s"], h: Inexact[Array, " k *#s"]) -> Inexact[Array, " c *s"]:
        """Σ q g h over the slots of each element."""
        total = jnp.asarray(self.form.zeros(g, h) if self.form.only_couplings else self.weighted_sum(g * h))
        for coupling in self.couplings:
            total = total.at[coupling.channel].add(jnp.sum(g * self._coupled(coupling, h), axis=0))
        return settled(total)

    def weighted_sum(self, products: Inexact[Array, " k *s"]) -> Any:
        """The part of the weights."""
        alike = self._weights_of_slots()
        if alike is not None:
            return Form(alike).weighted_sum(products)
        return jnp.sum(self._weights(products.dtype) * products, axis=1)

    def weigh(self, h: Inexact[Array, " k *s"]) -> Any:
        """Σ_l q_kl h_l over the slots of each element, for each channel."""
        weighted = self._weights(h.dtype) * h
        for coupling in self.couplings:
            weighted = weighted.at[coupling.channel].add(self._coupled(coupling, h))
        return weighted

    def _weights(self, dtype: Any) -> Any:
        return jnp.asarray(self.form.weights, dtype)[:, self.index]  # an empty slot may have any weight: it holds zero

    def _weights_of_slots(self) -> np.ndarray | None:
        """Weights that all elements have alike for each slot, if they are known."""
        if not isinstance(self.form.weights, np.ndarray):
            return None
        weights = self.form.weights[:, self.index].reshape(self.channels, self.directions, -1)
        there = np.broadcast_to(self.index != NONE, self.index.shape).reshape(self.directions, -1)
        alike = weights[:, np.arange(self.directions), there.argmax(axis=1)]
        return alike if ((weights == alike[..., None]) | ~there).all() else None

    def _coupled(self, coupling: Coupling, h: Any) -> Any:
        pairs = coupling.entries(self.index[:, None], self.index[None])
        return jnp.sum(jnp.asarray(pairs, h.dtype) * h[None], axis=1)


AnyForm = Form | LocalForm
