"""The coefficients of an operator at the points x (…, N): what is known, what is learned, and what depends on x."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, Matrix, is_known_matrix
from dof.errors import ArgumentError, describe
from dof.torch.coefficient_functions import at_points, require_constant, require_rows
from dof.torch.user_matrices import BlockDiagonal, Factored, as_coefficient


@dataclass(frozen=True)
class PointMatrix:
    """A that differs from point to point, as its columns A e_k for each coordinate k: (N, …, N)."""

    columns: Tensor


@dataclass(frozen=True)
class PointRows:
    """A = Σ_k weights_k rows_k rows_kᵀ with rows (r, …, N) that differ from point to point."""

    rows: Tensor
    weights: np.ndarray


@dataclass
class Channel:
    """One real second-order and first-order part: Σ of its matrices, and b."""

    matrices: list[Matrix | PointMatrix | PointRows] = field(default_factory=list)
    b: Any = None


def is_known(matrix: Matrix | PointMatrix | PointRows) -> bool:
    """Whether A is the same for all points, and consists of numbers that are not learned."""
    return isinstance(matrix, (Diagonal, Blocks, LowRank)) and is_known_matrix(matrix)


def scalar_at(argument: str, value: Any, x: Tensor) -> Any:
    """A number, or one for each point: (…)."""
    array = _array_at(argument, value, x)
    expected = "a number, or a function of x that returns one for each point, in the shape x.shape[:-1]"
    fix = f"{argument}=lambda x: (x**2).sum(-1)"
    if tuple(array.shape) not in ((), tuple(x.shape[:-1])):
        raise ArgumentError(describe(argument, _found_shape(argument, array, value, x), expected, fix))
    if callable(value) and x.dim() > 1:
        require_rows(argument, value, x) if array.ndim else require_constant(argument, value, x, expected, fix)
    return array if isinstance(array, torch.Tensor) else array.item()


def vector_at(value: Any, x: Tensor) -> Any:
    """b as a vector (N,), or one for each point (…, N)."""
    array, n = _array_at("b", value, x), x.shape[-1]
    expected = f"({n},), or a function of x that returns a vector for each point, in the shape of x"
    if tuple(array.shape) not in ((n,), tuple(x.shape)) and not (n == 1 and array.ndim == 0):
        raise ArgumentError(
            describe("b", _found_shape("b", array, value, x), expected, f"b=torch.ones({n}), or b=lambda x: -x")
        )
    if callable(value):
        is_same = array.ndim < x.dim()
        require_constant("b", value, x, expected, "b=lambda x: -x") if is_same else require_rows("b", value, x)
    return array


def _array_at(argument: str, value: Any, x: Tensor) -> Any:
    found = at_points(argument, value, x) if callable(value) else value
    return found if isinstance(found, torch.Tensor) else as_coefficient(argument, found)


def _found_shape(argument: str, array: Any, value: Any, x: Tensor) -> str:
    if not callable(value):
        return f"has shape {tuple(array.shape)}"
    if x.dim() > 1:
        at_points(argument, value, x[:1])  # one row is where a function of one point fails most often
    # With that of x: functions are called with a single row as well, which the user's line does not show.
    return f"has shape {tuple(array.shape)} for x of shape {tuple(x.shape)}"


def matrix_at(value: Any, x: Tensor) -> tuple[Any, Any]:
    """(scale, matrix): a scale, None or a number for each point, times A in one of its forms."""
    if callable(value):
        return _of_points(at_points("a", value, x), value, x)
    if isinstance(value, Factored):
        _require_columns(value.L.shape[-1], "Factored", x)
        return None, LowRank(value.L, value.signs)
    if isinstance(value, BlockDiagonal):
        _require_columns(sum(s.shape[-3] * s.shape[-1] for s in value.stacks), "blocks", x)
        return None, Blocks(tuple(_symmetric(s) for s in value.stacks), _rounding(x))
    return _constant(value, x)


def _constant(value: Any, x: Tensor) -> tuple[Any, Any]:
    array, n = as_coefficient("a", value), x.shape[-1]
    if array.ndim == 0:
        # A learned number is a factor of the result: directions are known, as they are for A = 1.
        is_learned = isinstance(array, torch.Tensor)
        return (array, Diagonal(np.ones(n))) if is_learned else (None, Diagonal(np.full(n, array)))
    if tuple(array.shape) == (n,):
        return None, Diagonal(array)
    if tuple(array.shape) == (n, n):
        return None, Blocks((_symmetric(array)[None],), _rounding(x))
    expected = f"(), ({n},) for a diagonal or ({n}, {n}), because points have {n} coordinates, the last axis of x"
    raise ArgumentError(describe("a", f"has shape {tuple(array.shape)}", expected, f"a=torch.eye({n})"))


def _of_points(found: Any, function: Any, x: Tensor) -> tuple[Any, Any]:
    """What a function of x returned; the axes of points come first."""
    batch, n = tuple(x.shape[:-1]), x.shape[-1]
    if isinstance(found, Factored):
        rows = _as_tensor(found.L, x)
        rows = rows.expand(*batch, *rows.shape[-2:]).movedim(-2, 0)
        return None, PointRows(rows, found.signs)
    if isinstance(found, BlockDiagonal):
        dense = block_matrix([_as_tensor(s, x).expand(*batch, *s.shape[-3:]) for s in found.stacks])
        return None, PointMatrix(_symmetric(dense).movedim(-1, 0))
    array = _as_tensor(found, x)
    _require_points(array, function, x)
    if array.shape == batch:
        return array, Diagonal(np.ones(n))
    if array.shape == (*batch, n):
        return None, PointMatrix(torch.diag_embed(array).movedim(-1, 0))
    if array.shape == (*batch, n, n):
        return None, PointMatrix(_symmetric(array).movedim(-1, 0))
    expected = f"{batch}, {(*batch, n)} for diagonals or {(*batch, n, n)}: the axes of points come first"
    found = _found_shape("a", array, function, x)
    raise ArgumentError(describe("a(x)", found, expected, "a=lambda x: 1 + x**2 for diagonals"))


def _require_points(array: Tensor, function: Any, x: Tensor) -> None:
    """Refuse a constant (N,) or (N, N) that a function returns: for N points it would look like one row for each."""
    if x.dim() > 1 and x.shape[0] > 1 and array.dim() and at_points("a", function, x[:1]).shape[:1] != (1,):
        expected = f"the axes of points {tuple(x.shape[:-1])} in front"
        fix = "a=A instead of a=lambda x: A, or a=lambda x: A.expand(*x.shape[:-1], *A.shape)"
        raise ArgumentError(describe("a(x)", f"has shape {tuple(array.shape)} for any number of points", expected, fix))


def _as_tensor(value: Any, x: Tensor) -> Tensor:
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value, dtype=x.dtype, device=x.device)


def block_matrix(stacks: list[Tensor]) -> Tensor:
    """(…, N, N) with the blocks (…, m, b, b) along its diagonal."""
    blocks = [block for stack in stacks for block in stack.unbind(-3)]
    n, start, columns = sum(b.shape[-1] for b in blocks), 0, []
    for block in blocks:
        after = n - start - block.shape[-1]
        columns.append(torch.nn.functional.pad(block, (0, 0, start, after)))
        start += block.shape[-1]
    return torch.cat(columns, -1)


def _symmetric(array: Any) -> Any:
    return (array + array.swapaxes(-1, -2)) / 2


def _rounding(x: Tensor) -> float:
    """Eigenvalues below the rounding of the precision of x count as zero, but no more than in float32."""
    return float(np.finfo(np.float64 if x.dtype in (torch.float64, torch.complex128) else np.float32).eps)


def _require_columns(found: int, argument: str, x: Tensor) -> None:
    if found != x.shape[-1]:
        expected = f"{x.shape[-1]} coordinates, the last axis of x"
        raise ArgumentError(describe(argument, f"is over {found} coordinates", expected, f"a=torch.eye({x.shape[-1]})"))
