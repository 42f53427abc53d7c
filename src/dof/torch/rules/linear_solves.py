"""Linear systems, inverses and factorisations, by differentiating the equation that defines them.

A X = B gives A g_X = g_B − g_A X and A s_X = s_B − s_A X − 2 Σ q g_A g_X: the same system with other right sides. A
factorisation A = F G gives its derivatives as a linear function of ∂A, and what is applied as the same function of
s_A − 2 Σ q g_F g_G.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import aten, register, written_out
from dof.torch.rules.general import general
from dof.torch.rules.matrix_products import summed_product
from dof.torch.rules.reductions import squares
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


def determinant_logarithm(call: Call, A: Any) -> tuple[Tensor, Tensor, Any]:
    """(sign, log |det A|, triple of log det A): tr(A⁻¹ g) and tr(A⁻¹ s) − Σ q tr(A⁻¹ g A⁻¹ g)."""
    sign, value = torch.linalg.slogdet(A.value)
    inverse, info = torch.linalg.inv_ex(A.value)
    if info.any():
        fix = "A + eps * torch.eye(n), or the determinant written out in products"
        refuse(call.func, "to a singular matrix, whose inverse its rule needs", fix)
    trace = lambda m: m.diagonal(dim1=-2, dim2=-1).sum(-1)  # noqa: E731
    m = None if A.tangents is None else inverse @ A.full_tangents()
    s = None if A.applied is None else trace(inverse @ A.full_applied())
    # tr(m_k m_l) for all k and l that q couples: elementwise products of m and mᵀ, summed over the matrix.
    cross = None if m is None else -call.form.contract(m, m.mT).sum((-2, -1))
    return sign, value, (map_part(trace, m), add_parts([s, cross]))


def slogdet(call: Call) -> Any:
    """(sign, log |det A|) and what PyTorch keeps for its backward pass; the sign of a complex matrix turns with x."""
    (A,) = call.triples
    sign, value, (g, s) = determinant_logarithm(call, A)
    rest = call(A.value.detach())[2:]
    if not A.value.is_complex():
        return sign.detach(), call.triple(value, g, s), *rest
    real, imaginary = (tuple(map_part(take, p) for p in (g, s)) for take in (torch.real, torch.imag))
    angle = call.triple(torch.angle(sign), *imaginary)
    return torch.polar(torch.ones_like(value), angle), call.triple(value, *real), *rest


def determinant(call: Call) -> Any:
    """Det A = exp(log det A)."""
    (A,) = call.triples
    sign, value, (g, s) = determinant_logarithm(call, A)
    logarithm = call.triple(value.to(sign.dtype), g, s)
    return sign * torch.exp(logarithm), *call(A.value.detach())[1:]


register("linear algebra", "_linalg_slogdet.default", slogdet)
register("linear algebra", "_linalg_det.default", determinant)
