"""One file per family of primitives. Importing this package fills the registry."""

from dof.rules import (  # noqa: F401
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
from dof.rules.registry import RULES

__all__ = ["RULES"]
