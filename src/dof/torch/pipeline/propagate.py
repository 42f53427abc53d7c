"""One pass through f for all operators at the points x, by the way of their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.frameworks import expecting_torch, refuse_jax
from dof.operators.higher_order import HigherOrder
from dof.torch import row_probe, torch_compat
from dof.torch.jets.symbol_at import of_order_two
from dof.torch.pipeline.any_order import propagate_any_order
from dof.torch.pipeline.order_two import propagate_order_two
from dof.torch.pipeline.propagated import Nested, Propagated
from dof.torch.triple import Triple


def propagate_operators(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None = None
) -> Propagated | Nested:
    """One pass through f for all operators at the points x."""
    _require_points(x)
    operators = [of_order_two(o, x) if isinstance(o, HigherOrder) else o for o in operators]
    is_higher = any(isinstance(operator, HigherOrder) for operator in operators)
    propagate = propagate_any_order if is_higher else propagate_order_two
    with expecting_torch():
        row_probe.require_function_of_rows(f, x, lambda points: propagate(f, operators, points, None))
        with nullcontext() if isinstance(x, Triple) else row_probe.without_random_numbers():
            return propagate(f, operators, x, log)


def require_tensor(argument: str, x: Any) -> None:
    """Refuse points that are no tensor of PyTorch."""
    refuse_jax(argument, x)
    if not isinstance(x, torch.Tensor):
        fix = f"torch.as_tensor({argument}, dtype=torch.float32), with N coordinates on the last axis"
        raise ArgumentTypeError(describe(argument, f"is of type {type(x).__name__}", "a tensor (…, N)", fix))


def _require_points(x: Any) -> None:
    if torch_compat.functorch_is_active():
        found = "is given to an operator inside of torch.func.grad, vmap, jvp or another transformation"
        fix = "L(f)(x) with all points in the rows of x, and torch.autograd.grad or .backward() for gradients"
        raise ArgumentError(describe("x", found, "plain points in rows, since gradients would be lost", fix))
    require_tensor("x", x)
    if not (x.is_floating_point() or x.is_complex()) or x.dim() == 0:
        found, fix = f"has dtype {x.dtype} and shape {tuple(x.shape)}", "x.float(), with N coordinates on the last axis"
        raise ArgumentTypeError(describe("x", found, "a floating or complex tensor (…, N)", fix))
