"""One file per family of primitives. Importing this package fills the registry."""

from dof.jaxpr.registry import RULES
from dof.jaxpr.rules import (  # noqa: F401
    bilinear,
    by_hand,
    calls,
    constant,
    elementwise,
    general,
    indexing,
    linear,
    loops,
    reductions,
)

__all__ = ["RULES"]
