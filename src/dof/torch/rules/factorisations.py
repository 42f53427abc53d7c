"""Cholesky and LU, by differentiating the equation that defines them.

A factorisation A = F G gives its derivatives as a linear function of ∂A, and what is applied as the same function of
s_A − 2 Σ q g_F g_G.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.registry import aten, written_out
from dof.torch.rules.general import general
from dof.torch.rules.matrix_products import summed_product


def of_lower_triangle(A: Any) -> Any:
    """The Hermitian matrix of which PyTorch reads the lower triangle, and the real part of the diagonal."""
    lower, diagonal = A.tril(-1), A.diagonal(dim1=-2, dim2=-1)
    return lower + lower.mH + torch.diag_embed(diagonal.real if A.is_complex() else diagonal)


@written_out("linalg_cholesky_ex.default")
def cholesky(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """A = L Lᴴ: ∂L = L Φ(L⁻¹ ∂A L⁻ᴴ), Φ the lower triangle with half of the diagonal."""
    A = A.mH if upper else A
    A = of_lower_triangle(A)
    call = Call(aten.linalg_cholesky_ex.default, (A,), {})
    L, info = torch.linalg.cholesky_ex(A.value, check_errors=check_errors)
    inverse = torch.linalg.solve_triangular(L, torch.eye(L.shape[-1], dtype=L.dtype, device=L.device), upper=False)

    def first(dA: Tensor) -> Tensor:
        inner = inverse @ dA @ inverse.mH
        return L @ (inner.tril(-1) + inner.diagonal(dim1=-2, dim2=-1).diag_embed() / 2)

    g = map_part(first, None if A.tangents is None else A.full_tangents())
    cross = None if g is None else -2 * summed_product(call.form.weigh(g), g.mH)
    sA = None if A.applied is None else A.full_applied()
    factor = call.triple(L, g, map_part(first, add_parts([sA, cross])))
    return factor.mH if upper else factor, info


@written_out("cholesky.default")
def older_cholesky(A: Any, upper: bool = False) -> Any:
    """`torch.cholesky`."""
    return cholesky(A, upper=upper, check_errors=True)[0]


@written_out("linalg_lu_factor_ex.default")
def lu_factor(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Pᵀ A = L U, square: with M = L⁻¹ Pᵀ ∂A U⁻¹, ∂L = L tril(M, −1) and ∂U = triu(M) U. L and U share one matrix."""
    call = Call(aten.linalg_lu_factor_ex.default, (A,), {"pivot": pivot})
    if A.shape[-1] != A.shape[-2]:
        return general(call)
    LU, pivots, info = torch.linalg.lu_factor_ex(A.value, pivot=pivot, check_errors=check_errors)
    P, L, U = torch.lu_unpack(LU.detach(), pivots)
    L, U = LU.tril(-1) + torch.eye(LU.shape[-1], dtype=LU.dtype, device=LU.device), LU.triu()

    def first(dA: Tensor) -> tuple[Tensor, Tensor]:
        half = torch.linalg.solve_triangular(L, P.mT @ dA, upper=False, unitriangular=True)
        M = torch.linalg.solve_triangular(U, half, upper=True, left=False)
        return L @ M.tril(-1), M.triu() @ U

    gL, gU = (None, None) if A.tangents is None else first(A.full_tangents())
    cross = None if gL is None or gU is None else -2 * P @ summed_product(call.form.weigh(gL), gU)
    right = add_parts([None if A.applied is None else A.full_applied(), cross])
    joined = lambda parts: parts[0] + parts[1]  # noqa: E731 - strictly lower and upper triangles do not overlap
    return call.triple(LU, add_parts([gL, gU]), map_part(lambda r: joined(first(r)), right)), pivots, info
