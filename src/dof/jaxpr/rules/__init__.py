"""One file per family of primitives, with its rule and the records of its primitives.

Importing this package fills the registry.
"""

from dof.jaxpr.rules import (  # noqa: F401
    calls,
    constant,
    elementwise,
    elementwise_products,
    general,
    handwritten_derivatives,
    indexing,
    linear,
    linear_solves,
    loops_and_branches,
    matrix_products,
    piecewise_linear,
    reductions,
    shards,
)
