"""Whether training fits into the memory that is free, checked before it starts: else the system ends the process."""

from __future__ import annotations

import math
from typing import Any

import jax

from dof.errors import NotEnoughMemoryError
from dof.machine_info import free_bytes
from dof.pde.problem import Problem
from dof.solving.choices_by_parameter_count import STEP_RESIDUALS, optimiser_for
from dof.solving.networks import Network
from dof.solving.settings import Settings

GIGA = 1e9
PARAMETERS_AT_ONCE = 4
"""θ, its gradient, and the two moments of Adam."""
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


def require_room_for_network(network: Network, settings: Settings) -> None:
    """Refuse a network whose parameters, or whose Jacobian for Gauss–Newton, do not fit into memory.

    This is checked before the network is made and the step compiled, both of which fail without a word of its size.

    Raises:
        NotEnoughMemoryError: With what it takes and what is free.
    """
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    count, free = sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(shapes)), free_bytes()
    # The smaller one of Jᵀ J and J Jᵀ is square; J is at least as large.
    all_points = settings.points or count
    most = {"gauss-newton": all_points, "stochastic-gauss-newton": STEP_RESIDUALS}
    rows = min(count, most.get(optimiser_for(settings.optimiser, count, all_points), 1)) if settings.newton else 1
    needed = 8 * count * max(PARAMETERS_AT_ONCE, rows)
    if needed > free:
        what = "the Jacobian of all residuals takes" if rows > PARAMETERS_AT_ONCE else "training them takes"
        fits_without = rows > PARAMETERS_AT_ONCE and 8 * count * PARAMETERS_AT_ONCE <= free
        raise NotEnoughMemoryError(
            f"The network has {count:,} parameters; {what} {needed / GIGA:,.1f} GB of memory, and "
            f"{free / GIGA:.1f} GB are free.\n"
            "  Fix: a smaller `width`" + (", fewer `points`, or optimiser='lbfgs'" if fits_without else "")
        )


def require_room_for_points(points: int, coordinates: int) -> None:
    """Refuse so many points that the array of them alone does not fit into memory.

    This is checked before they are drawn: the system would end the process.

    Raises:
        NotEnoughMemoryError: With what they take and what is free.
    """
    needed, free = 8 * points * coordinates, free_bytes()
    if needed > free:
        raise NotEnoughMemoryError(
            f"{points:,} points take {needed / GIGA:,.1f} GB of memory, and {free / GIGA:.1f} GB are free.\n"
            "  Fix: fewer `points`, `edge_points` or `error_points`"
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
