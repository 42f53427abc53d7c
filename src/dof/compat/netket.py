"""The kinetic energy of NetKet's continuous systems, by dof.

    from dof.compat.netket import KineticEnergy          # instead of: from netket.operator import KineticEnergy

It is an operator of NetKet: it can be added to others, and `MCState.expect`, `expect_and_grad`, `local_estimators`,
`VMC` and `chunk_size` work as before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from dof.api.kinetic_energy import local_kinetic_energy
from dof.batching.batched import batched

try:
    from netket import operator  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError:
    raise ImportError("`dof.compat.netket` needs netket.\n  Fix: pip install netket") from None

__all__ = ["KineticEnergy"]


class KineticEnergy(operator.KineticEnergy):
    """`netket.operator.KineticEnergy`, −½ Σ_i ((∂_i log ψ)² + ∂_i² log ψ) / m_i, from one propagation of log ψ.

    NetKet builds the Hessian of every sample. Here samples go through the network in blocks, by `dof.batched`.

    Args:
        hilbert: the continuous Hilbert space, of n particles in d dimensions.
        mass: one for all, one for each particle, (n,), or one for each coordinate, (n d,).
        dtype: the dtype of the masses.
    """

    def _expect_kernel(self, logpsi: Callable[[Any, Any], Any], params: Any, x: Any) -> Any:
        """The local energies (samples,) at samples x (samples, n d)."""
        if jnp.iscomplexobj(self.mass):  # 1 / √m steps along x, which has to stay real
            return super()._expect_kernel(logpsi, params, x)

        def log_psi(params: Any, x: Any) -> Any:
            return jnp.reshape(logpsi(params, x), ())  # models may return (1,) for one sample

        energy = local_kinetic_energy(log_psi, argnums=1, masses=self.mass)
        return batched(energy, in_axes=(None, 0))(params, x)
