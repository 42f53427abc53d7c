"""The jets of x itself, at which a propagation starts."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from dof.jax_compat import hide_constant
from dof.jets.jet import Jet
from dof.operators.coordinates import Coordinates
from dof.symbols.span import Span


def seed(x: Any, coordinates: Coordinates, span: Span) -> list[Any]:
    """The leaves of x as jets: column i of coordinate j is B_i x_j, the coefficient of ∂_j in B_i."""
    columns = np.zeros((len(span), coordinates.size))
    for i in range(1, len(span)):
        for j, entry in span.first_order(i).items():
            columns[i, j] = entry
    leaves = zip(jax.tree.leaves(x), coordinates.split(columns), strict=True)
    return [_jet_of_leaf(leaf, parts) for leaf, parts in leaves]


def _jet_of_leaf(leaf: Any, parts: Any) -> Any:
    """A leaf with the columns that are not zero for all its elements; plain if all are."""
    numbers = tuple(i for i in range(1, len(parts)) if parts[i].any())
    return Jet(leaf, hide_constant(parts[list(numbers)]), numbers) if numbers else leaf
