"""One file per family of primitives, with its rule and the records of its primitives.

Importing this package fills the registry.
"""

from dof.jaxpr.rules import (  # noqa: F401
    calls,
    constant,
    elementwise,
    elementwise_by_hand,
    elementwise_products,
    general,
    indexing,
    linear,
    linear_solves,
    loops_and_branches,
    matrix_products,
    piecewise_linear,
    products_and_scans,
    shards,
)
