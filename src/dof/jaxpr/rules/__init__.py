"""One file per family of primitives, with its rule and the records of its primitives.

Importing this package fills the registry.
"""

from dof.jaxpr.rules import (  # noqa: F401
    calls,
    constant,
    contractions,
    elementwise,
    general,
    handwritten_derivatives,
    indexing,
    linear,
    loops,
    piecewise_linear,
    products,
    reductions,
    shards,
)
