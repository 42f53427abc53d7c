"""The order of the two factors of a matrix product, which decides what XLA copies.

XLA computes products as (batch, free, contracted) · (batch, contracted, free) and copies operands whose axes stand
otherwise. `jnp.einsum` chooses the order without regard to that: Σ_j p_hij v_jhd, the last step of attention, becomes
v · p, where p and its tangents, the largest arrays of a Psiformer, must be transposed. And W · v, as many write a layer
of a network, transposes all tangents of all points, while v · Wᵀ transposes W.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from dof.jax_compat import Primitive, bind


def ordered_product(primitive: Primitive, params: dict[str, Any], is_constant: bool, a: Any, b: Any) -> Any:
    """`dot_general` of a and b, with the factor on the left whose contracted axes are its last ones.

    Args:
        primitive: `dot_general`.
        params: its parameters.
        is_constant: whether a is the same for all points, so that b goes to the left if both could.
        a: the first factor.
        b: the second factor.
    """
    swaps = _ends_in_contracted(params, 1, b) and (is_constant or not _ends_in_contracted(params, 0, a))
    # A sharding that is asked for names the axes of the result in the old order.
    if not swaps or params.get("out_sharding") is not None:
        return bind(primitive, [a, b], params)[0]
    (contracted, _), (batch, _) = params["dimension_numbers"]
    result = bind(primitive, [b, a], with_factors_swapped(params))[0]
    free_of_b = b.ndim - len(contracted) - len(batch)
    moved = range(len(batch), len(batch) + free_of_b)
    return jnp.moveaxis(result, moved, range(result.ndim - free_of_b, result.ndim))


def with_factors_swapped(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of `dot_general` for its two factors in the other order."""
    swapped = {**params, "dimension_numbers": tuple(pair[::-1] for pair in params["dimension_numbers"])}
    # One precision for each factor.
    if isinstance(params["precision"], tuple):
        swapped["precision"] = params["precision"][::-1]
    return swapped


def _ends_in_contracted(params: dict[str, Any], n: int, factor: Any) -> bool:
    contracted = params["dimension_numbers"][0][n]
    return sorted(contracted) == list(range(factor.ndim - len(contracted), factor.ndim))
