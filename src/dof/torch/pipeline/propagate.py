"""Sends operators to the way of their order, two or any, after a probe of f."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from torch import Tensor

from dof.frameworks import expecting_torch
from dof.operators.higher_order import HigherOrder
from dof.torch import row_probe
from dof.torch.function_arguments import require_points
from dof.torch.jets.symbol_at import of_order_two
from dof.torch.pipeline.any_order import propagate_any_order
from dof.torch.pipeline.order_two import propagate_order_two
from dof.torch.pipeline.propagated import Nested, Propagated
from dof.torch.triple import Triple


def propagate_operators(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None = None
) -> Propagated | Nested:
    """One pass through f for all operators at the points x."""
    require_points(x)
    operators = [of_order_two(o, x) if isinstance(o, HigherOrder) else o for o in operators]
    is_higher = any(isinstance(operator, HigherOrder) for operator in operators)
    propagate = propagate_any_order if is_higher else propagate_order_two
    with expecting_torch():
        row_probe.require_function_of_rows(f, x, lambda points: propagate(f, operators, points, None))
        with nullcontext() if isinstance(x, Triple) else row_probe.without_random_numbers():
            return propagate(f, operators, x, log)
