"""Coefficients that are functions of x, at points in rows; those of one point, or that mix points, are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import Tensor

from dof.errors import ArgumentError, DofError, describe
from dof.torch.triple import Triple

_FOR_ROWS = {
    "a": "a=lambda x: x[..., :, None] * x[..., None, :] for the outer product, and x[..., 0] for x[0]",
    "b": "b=lambda x: torch.stack([-x[..., 1], x[..., 0]], -1), with x[..., 0] for x[0]",
}


def at_points(argument: str, function: Callable[[Any], Any], x: Tensor) -> Any:
    """function(x); an error says so if the function is one of a single point."""
    try:
        return function(x)
    except Exception as error:
        if not isinstance(error, DofError) and _is_of_one_point(function, x):
            reason = (str(error).splitlines() or [""])[0]
            _refuse_function_of_one_point(
                argument, f"fails for points in rows ({type(error).__name__}: {reason})", error
            )
        raise


def require_rows(argument: str, function: Callable[[Any], Any], x: Tensor) -> None:
    """Refuse a function of a single point where that shows in no shape: for as many points as coordinates."""
    if x.dim() > 1 and x.shape[0] == x.shape[-1] > 1:
        alone = at_points(argument, function, x[:1])
        if isinstance(alone, torch.Tensor) and alone.dim() and len(alone) != 1:
            _refuse_function_of_one_point(argument, f"returns {len(alone)} rows for one of x", None)


def require_constant(argument: str, function: Callable[[Any], Any], x: Tensor, expected: str, fix: str) -> None:
    """Refuse a coefficient that is the same for all points and depends on them, as `x.sum()` instead of `x.sum(-1)`."""
    with torch.enable_grad():
        points = x.detach().requires_grad_()
        found = function(points)
        is_differentiable = isinstance(found, torch.Tensor) and found.requires_grad
        slope = torch.autograd.grad(found.abs().sum(), points, allow_unused=True)[0] if is_differentiable else None
    if slope is not None:
        raise ArgumentError(describe(argument, "is the same for all points, and depends on them", expected, fix))


def _is_of_one_point(function: Callable[[Any], Any], x: Tensor) -> bool:
    """Whether a function that failed at x takes a point and no row, so that the failure is not one of memory."""
    if x.dim() < 2:
        return False
    while isinstance(x, Triple):
        x = x.value
    row = x.detach().reshape(-1, x.shape[-1])[:1]
    return not _runs(function, row) and _runs(function, row[0])


def _runs(function: Callable[[Any], Any], x: Tensor) -> bool:
    try:
        with torch.no_grad():
            function(x)
    except Exception:
        return False
    return True


def _refuse_function_of_one_point(argument: str, what: str, cause: Exception | None) -> NoReturn:
    expected = "a function of all points in the rows of x, with coordinates on the last axis"
    fix = _FOR_ROWS.get(argument, f"{argument} = lambda x: x[..., 0]")
    raise ArgumentError(describe(argument, f"is a function of one point, which {what}", expected, fix)) from cause
