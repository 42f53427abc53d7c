"""Whether training fits into the memory that is free: better said before than found out by the system."""

from __future__ import annotations

from typing import Any

from dof.errors import NotEnoughMemoryError
from dof.pde.problem import Problem
from dof.system import free_bytes

GIGA = 1e9


def require_memory(compiled: Any) -> None:
    """A compiled step knows how much it takes."""
    found = compiled.memory_analysis()
    if found is None:
        return
    needed, free = found.temp_size_in_bytes + found.output_size_in_bytes, free_bytes()
    if needed > free:
        raise NotEnoughMemoryError(
            f"A step takes {needed / GIGA:.1f} GB of memory, and {free / GIGA:.1f} GB are free.\n"
            "  Fix: fewer `points`, a smaller `width`, or optimiser='lbfgs', which keeps no Jacobian"
        )


def require_room_for_hessians(problem: Problem) -> None:
    """XLA would be at work on such an array for long before it fails."""
    size, free = problem.domain.size, free_bytes()
    needed = 8 * size**2 * problem.equation.fields.count
    if needed > free / 4:
        raise NotEnoughMemoryError(
            f"The Hessian of one point takes {needed / GIGA:.1f} GB, {size:,}² numbers; {free / GIGA:.1f} are free.\n"
            "  Fix: method='dof', which needs no Hessian"
        )
