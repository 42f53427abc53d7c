"""Linear systems, inverses, pseudoinverses and least squares.

A X = B gives A g_X = g_B − g_A X and A s_X = s_B − s_A X − 2 Σ q g_A g_X: the same system with other right sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import aten, written_out
from dof.torch.rules.factorisations import of_lower_triangle
from dof.torch.rules.general import general
from dof.torch.rules.matrix_products import summed_product
from dof.torch.rules.norms_and_variances import squares
from dof.torch.rules.shapes import lifted


def linear_system(call: Call, A: Any, B: Any, X: Tensor, solve: Callable[[Tensor], Tensor]) -> Any:
    """The triple of X with A X = B, for matrices; `solve` takes right sides, also stacks of them."""
    # Lifted: an operand may have fewer axes of matrices than X.
    full = lambda operand, name: lifted(getattr(operand, name)(), operand.value, X)  # noqa: E731
    has = lambda operand, name: call.is_operand(operand) and getattr(operand, name) is not None  # noqa: E731
    gA = full(A, "full_tangents") if has(A, "tangents") else None
    gB = full(B, "full_tangents") if has(B, "tangents") else None
    sA = full(A, "full_applied") if has(A, "applied") else None
    sB = full(B, "full_applied") if has(B, "applied") else None
    g = map_part(solve, add_parts([gB, map_part(lambda m: -(m @ X), gA)]))
    cross = None if gA is None else -2 * summed_product(call.form.weigh(gA), _matrices(g, X))
    return call.triple(X, g, map_part(solve, add_parts([sB, map_part(lambda m: -(m @ X), sA), cross])))


def _matrices(g: Tensor, X: Tensor) -> Tensor:
    return g.expand(len(g), *X.shape)


@written_out("_linalg_solve_ex.default")
def solve(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """A X = B, or X A = B."""
    is_vector = left and (B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1]))
    if is_vector:
        X, *rest = solve(A, B[..., None], check_errors=check_errors)
        return X[..., 0], *rest
    if not left:
        X, *rest = solve(A.mT, B.mT, check_errors=check_errors)
        return X.mT, *rest
    call = Call(aten._linalg_solve_ex.default, (A, B), {})
    a, b = (t.value if call.is_operand(t) else t for t in (A, B))
    X, *rest = aten._linalg_solve_ex(a, b, check_errors=check_errors)
    return linear_system(call, A, B, X, lambda right: torch.linalg.solve(a, right)), *rest


@written_out("linalg_inv_ex.default")
def inverse(A: Any, *, check_errors: bool = False) -> Any:
    """A X = 1."""
    call = Call(aten.linalg_inv_ex.default, (A,), {})
    X, info = torch.linalg.inv_ex(A.value, check_errors=check_errors)
    return linear_system(call, A, None, X, lambda right: X @ right), info


@written_out("linalg_solve_triangular.default")
def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """A X = B, or X A = B, with a triangle of A; the other triangle is not read."""
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    A = A.triu(int(unitriangular)) if upper else A.tril(-int(unitriangular))
    call = Call(aten.linalg_solve_triangular.default, (A, B), {})
    a, b = (t.value if call.is_operand(t) else t for t in (A, B))
    into = lambda right: torch.linalg.solve_triangular(a, right, upper=upper, unitriangular=unitriangular)  # noqa: E731
    return linear_system(call, A, B, into(b), into)


@written_out("triangular_solve.default")
def triangular_solve(B: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """The older form of `solve_triangular`."""
    A, upper = (A.mT, not upper) if transpose else (A, upper)
    return solve_triangular(A, B, upper=upper, unitriangular=unitriangular), A


@written_out("cholesky_solve.default", "_cholesky_solve_helper.default")
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """L Lᵀ X = B."""
    L = L.mH if upper else L
    return solve_triangular(L.mH, solve_triangular(L, B, upper=False), upper=True)


@written_out("cholesky_inverse.default")
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """(L Lᵀ)⁻¹."""
    if L.is_complex():
        refuse("cholesky_inverse", "of complex matrices, which has no rule", "torch.linalg.inv(L @ L.mH)")
    return cholesky_solve(torch.eye(L.shape[-1], dtype=L.dtype, device=L.device).expand(L.shape), L, upper)


@written_out("linalg_lu_solve.default")
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """A X = B with the factors of A."""
    value = LU.value if hasattr(LU, "value") else LU
    P = torch.lu_unpack(value.detach(), pivots, unpack_data=False)[0].to(value.dtype)
    A = P @ (LU.tril(-1) @ LU.triu() + LU.triu())
    return torch.linalg.solve(A.mH if adjoint else A, B, left=left)


@written_out("linalg_pinv.atol_rtol_tensor")
def pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudoinverse by the general rule; of a Hermitian matrix PyTorch reads one triangle."""
    A = of_lower_triangle(A) if hermitian else A
    options = {"atol": atol, "rtol": rtol, "hermitian": hermitian}
    return general(Call(aten.linalg_pinv.atol_rtol_tensor, (A,), options))


@written_out("linalg_lstsq.default")
def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """(X, residuals, rank, singular values): PyTorch differentiates X alone, and calls the others constants."""
    X, residuals, rank, values = general(Call(aten.linalg_lstsq.default, (A, B, rcond), {"driver": driver}))
    if residuals.numel():
        is_vector = B.dim() == A.dim() - 1
        error = A @ (X[..., None] if is_vector else X) - (B[..., None] if is_vector else B)
        residuals = squares(error).sum(-2).reshape(residuals.shape)
    return X, residuals, rank, torch.linalg.svdvals(A) if values.numel() else values
