"""The Laplacian that DeepQMC wants, by dof.

    MolecularHamiltonian(mol=molecule, laplacian_factory=dof.compat.deepqmc.laplacian)
    deepqmc hamil.laplacian_factory._target_=dof.compat.deepqmc.laplacian     # on the command line

DeepQMC itself is not imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dof.api.apply import propagate
from dof.api.operator import laplacian as laplace_operator

__all__ = ["laplacian"]


def laplacian(f: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """A `deepqmc.hamil.LaplacianFactory`, in the place of `deepqmc.physics.laplacian`.

    Args:
        f: log |ψ| of the coordinates of all electrons, (3 n,).

    Returns:
        The function x ↦ (Δf, ∇f), of shapes () and (3 n,), from one propagation.

    Examples:
        >>> import jax.numpy as jnp
        >>> from dof.compat import deepqmc
        >>> of_f, gradient = deepqmc.laplacian(lambda x: jnp.sum(x**3))(jnp.array([1.0, 2.0]))
        >>> print(of_f, gradient)
        18.0 [ 3. 12.]
    """
    of_f = propagate(f, laplace_operator)

    def laplacian_and_gradient(x: Any) -> tuple[Any, Any]:
        found = of_f(x)
        return found.applied, found.tangents

    return laplacian_and_gradient
