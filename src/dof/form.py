"""The quadratic forms by which the operators sum over directions: (g, h) ↦ Σ_kl q_kl g_k h_l, one for each operator."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from dof.array_types import Array, Float, Inexact

# Accelerators round the factors of a matrix product by default; these sums are small, and are to be exact.
exact_einsum = partial(jnp.einsum, precision=jax.lax.Precision.HIGHEST)


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

    def rows(self, g: Inexact[Array, " r *s"]) -> Inexact[Array, " k *s"]:
        """The directions that this block is about."""
        m, b, _ = self.blocks.shape
        return g[self.start : self.start + m * b]

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

    @property
    def channels(self) -> int:
        return self.weights.shape[0]

    @property
    def directions(self) -> int:
        return self.weights.shape[1]

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
