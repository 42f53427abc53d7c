"""The quadratic forms by which the operators sum over directions: (g, h) ↦ Σ_kl q_kl g_k h_l, one for each operator."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.array_types import Array, Float, Inexact

# Accelerators round the factors of a matrix product by default; these sums are small, and are to be exact.
exact_einsum = partial(jnp.einsum, precision=jax.lax.Precision.HIGHEST)


Apart = frozenset[tuple[int, int]]
"""Pairs i < j of operands of an equation that no direction is common to, nor couples."""
NO_PAIRS: Apart = frozenset()


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Coupling:
    """Directions start … start + m·b − 1 are summed, in one channel, with m full symmetric blocks of size b × b.

    Coefficients that are known only at run time come this way: it needs no factorisation of A, whose derivative is
    infinite where eigenvalues coincide or vanish.
    """

    blocks: Float[Array, "m b b"]
    channel: int = field(metadata={"static": True})
    start: int = field(metadata={"static": True})

    @property
    def size(self) -> int:
        return self.blocks.shape[0] * self.blocks.shape[1]

    def rows(self, g: Inexact[Array, " r *s"]) -> Inexact[Array, " k *s"]:
        """The directions that this block is about."""
        m, b, _ = self.blocks.shape
        return g[self.start : self.start + m * b]

    def matrix(self) -> Float[Array, "k k"]:
        """The blocks as one matrix."""
        m, b, _ = self.blocks.shape
        if m == 1:
            return self.blocks[0]
        spread = jnp.zeros((m, b, m, b), self.blocks.dtype).at[np.arange(m), :, np.arange(m), :].set(self.blocks)
        return spread.reshape(m * b, m * b)

    def within(self, frame: np.ndarray) -> tuple[Coupling, ...]:
        """What is left of the coupling if only the directions of `frame` are there."""
        m, b, _ = self.blocks.shape
        (kept,) = np.nonzero((frame >= self.start) & (frame < self.start + m * b))
        if not len(kept):
            return ()
        local = frame[kept] - self.start
        return (Coupling(self.matrix()[np.ix_(local, local)][None], self.channel, int(kept[0])),)

    def __call__(self, h: Inexact[Array, " r *s"]) -> Inexact[Array, " k *s"]:
        """Σ_l q_kl h_l for the directions k of `rows`."""
        m, b, _ = self.blocks.shape
        rows = self.rows(h)
        split = rows.reshape(m, b, *rows.shape[1:])
        return exact_einsum("mij,mj...->mi...", jnp.asarray(self.blocks, h.dtype), split).reshape(rows.shape)


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
    def _only_couplings(self) -> bool:
        return isinstance(self.weights, np.ndarray) and not self.weights.any()

    def contract(self, g: Inexact[Array, " r *#s"], h: Inexact[Array, " r *#s"]) -> Inexact[Array, " c *s"]:
        """Σ_kl q_kl g_k h_l, elementwise, for each channel."""
        shape = (self.channels, *np.broadcast_shapes(g.shape[1:], h.shape[1:]))
        total = (
            jnp.zeros(shape, jnp.result_type(g, h)) if self._only_couplings else jnp.asarray(self.weighted_sum(g * h))
        )
        for coupling in self.couplings:
            total = total.at[coupling.channel].add(jnp.sum(coupling.rows(g) * coupling(h), axis=0))
        return total

    def pair(self, g: Inexact[Array, "r m"], h: Inexact[Array, "r n"]) -> Inexact[Array, "c m n"]:
        """Σ_kl q_kl g_ki h_lj for each channel."""
        if self.is_plain_sum:
            return exact_einsum("ri,rj->ij", g, h)[None]
        return exact_einsum("ri,crj->cij", g, self.weigh(h))

    @property
    def is_plain_sum(self) -> bool:
        known = isinstance(self.weights, np.ndarray) and not self.couplings
        return known and self.channels == 1 and bool((self.weights == 1).all())

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
            part = coupling(h)
            weighted = weighted.at[coupling.channel, coupling.start : coupling.start + len(part)].add(part)
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
        total = self.weighted_sum(g * h)
        for coupling in self.couplings:
            total = total.at[coupling.channel].add(jnp.sum(g * self._coupled(coupling, h), axis=0))
        return total

    def weighted_sum(self, products: Inexact[Array, " k *s"]) -> Any:
        """The part of the weights."""
        weights = self.form.weights
        if self.channels == 1 and isinstance(weights, np.ndarray) and (weights == 1).all():
            return jnp.sum(products, axis=0, keepdims=True)
        return jnp.sum(self._weights(products.dtype) * products, axis=1)

    def weigh(self, h: Inexact[Array, " k *s"]) -> Any:
        """Σ_l q_kl h_l over the slots of each element, for each channel."""
        weighted = self._weights(h.dtype) * h
        for coupling in self.couplings:
            weighted = weighted.at[coupling.channel].add(self._coupled(coupling, h))
        return weighted

    def _weights(self, dtype: Any) -> Any:
        return jnp.asarray(self.form.weights, dtype)[:, self.index]  # an empty slot may have any weight: it holds zero

    def _coupled(self, coupling: Coupling, h: Any) -> Any:
        local = self.index - coupling.start
        inside = (local >= 0) & (local < coupling.size)
        pairs = jnp.asarray(coupling.matrix(), h.dtype)[local[:, None] * inside[:, None], local[None] * inside[None]]
        return jnp.sum(jnp.where(inside[:, None] & inside[None], pairs, 0) * h[None], axis=1)


AnyForm = Form | LocalForm
