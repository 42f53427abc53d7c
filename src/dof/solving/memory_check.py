"""Whether training fits into the memory that is free, checked before it starts: else the system ends the process."""

from __future__ import annotations

from typing import Any

from dof.errors import NotEnoughMemoryError
from dof.machine_info import free_bytes
from dof.pde.problem import Problem

GIGA = 1e9
HESSIANS_AT_ONCE = 4
"""A Hessian by nested differentiation is alive together with intermediate values of its size; how many is a guess."""


def require_memory(compiled: Any) -> None:
    """Refuse a compiled step that takes more memory than is free.

    Raises:
        NotEnoughMemoryError: With what it takes and what is free.
    """
    found = compiled.memory_analysis()
    # JAX does not know it for every backend.
    if found is None:
        return
    # Arguments are not counted: θ, the optimiser's state and the points are in memory already.
    needed, free = found.temp_size_in_bytes + found.output_size_in_bytes, free_bytes()
    if needed > free:
        raise NotEnoughMemoryError(
            f"A step takes {needed / GIGA:.1f} GB of memory, and {free / GIGA:.1f} GB are free.\n"
            "  Fix: fewer `points`, a smaller `width`, or optimiser='lbfgs', which keeps no Jacobian"
        )


def require_room_for_hessians(problem: Problem) -> None:
    """Refuse full Hessians of so many coordinates that those of a few points do not fit into memory.

    This is checked before compilation, since XLA works on such arrays for minutes before it fails.

    Raises:
        NotEnoughMemoryError: With what the Hessian of one point takes and what is free.
    """
    size, free = problem.domain.size, free_bytes()
    needed = 8 * size**2 * problem.equation.fields.count
    if HESSIANS_AT_ONCE * needed > free:
        raise NotEnoughMemoryError(
            f"The Hessian of one point takes {needed / GIGA:.1f} GB, {size:,}² numbers; {free / GIGA:.1f} are free.\n"
            "  Fix: method='dof', which needs no Hessian"
        )
