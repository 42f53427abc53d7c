"""Eigenvalues and eigenvectors, by differentiating A V = V Λ twice.

With M_k = V⁻¹ g_A V, F_ij = 1 / (λ_j − λ_i) off the diagonal and P_k = F ∘ M_k:

    g_λ = diag M,    g_V = V C,    C_k = P_k + D_k
    R   = V⁻¹ s_A V + 2 Σ_kl q_kl (M_k C_l − C_k g_Λl)
    s_λ = diag R,    s_V = V (F ∘ R + E)

with real diagonal matrices D and E that keep the columns of V at length one; their phases are left as they are. Where
eigenvalues are equal F is not finite, and neither are the results: single eigenvalues have no derivatives there.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts
from dof.torch.registry import aten, written_out
from dof.torch.rules.factorisations import of_lower_triangle
from dof.torch.rules.matrix_products import summed_product

ROUNDING = 100
"""Gaps below so many units of rounding of the largest eigenvalue are taken for equal. LAPACK's error is some units
times a slowly growing factor of the size; second derivatives at such gaps have no correct digit."""


@written_out("_linalg_eigh.default")
def eigh(A: Any, UPLO: str = "L", compute_v: bool = True) -> Any:
    """Real eigenvalues and eigenvectors of the Hermitian matrix of which one triangle is read."""
    A = of_lower_triangle(A if UPLO.upper() == "L" else A.mH)
    call = Call(aten._linalg_eigh.default, (A,), {})
    eigenvalues, V = torch.linalg.eigh(A.value)
    parts, parts_of_V = _derivatives(call, A, eigenvalues, V, V.mH)
    found = call.triple(eigenvalues, *(None if part is None else part.real for part in parts))
    return found, call.triple(V, *parts_of_V) if compute_v else V.new_empty(0)


@written_out("linalg_eig.default")
def eig(A: Any) -> Any:
    """Complex eigenvalues and eigenvectors of any matrix."""
    call = Call(aten.linalg_eig.default, (A,), {})
    eigenvalues, V = torch.linalg.eig(A.value)
    parts, parts_of_V = _derivatives(call, A, eigenvalues, V, torch.linalg.inv(V))
    return call.triple(eigenvalues, *parts), call.triple(V, *parts_of_V)


@written_out("linalg_eigvals.default")
def eigvals(A: Any) -> Any:
    """The eigenvalues alone."""
    return eig(A)[0]


def _derivatives(call: Call, A: Any, eigenvalues: Tensor, V: Tensor, inverse: Tensor) -> tuple[Any, Any]:
    """((g_λ, s_λ), (g_V, s_V))."""
    gap = gaps(eigenvalues)
    F = (1 - torch.eye(V.shape[-1], dtype=V.dtype, device=V.device)) / _with_unit_diagonal(gap)
    inner = lambda part: inverse @ part.to(V.dtype) @ V  # noqa: E731
    g_values = C = g_V = lengths = None
    R = None if A.applied is None else inner(A.full_applied())
    if A.tangents is not None:
        M = inner(A.full_tangents())
        g_values = _diagonal(M)
        C = _with_lengths_kept(F * M, V, None)
        g_V = V @ C
        turned = summed_product(call.form.weigh(M), C) - summed_product(call.form.weigh(C), g_values.diag_embed())
        R = add_parts([R, 2 * turned])
        lengths = call.form.contract(g_V.conj(), g_V).sum(-2).real
    s_V = None if R is None else V @ _with_lengths_kept(F * R, V, lengths)
    return (g_values, None if R is None else _diagonal(R)), (g_V, s_V)


def gaps(values: Tensor) -> Tensor:
    """λ_j − λ_i, (…, n, n); zero where they are equal up to rounding, so that what is divided by them is not finite.

    Equal eigenvalues are split by the rounding of the decomposition: the quotients would be huge numbers of no meaning.
    """
    gap = values[..., None, :] - values[..., :, None]
    rounding = ROUNDING * torch.finfo(values.dtype).eps * values.abs().amax(-1)[..., None, None]
    return torch.where(gap.abs() <= rounding, torch.zeros_like(gap), gap)


def _with_unit_diagonal(gap: Tensor) -> Tensor:
    """Ones on the diagonal, where the numerator is zero."""
    return gap + torch.eye(gap.shape[-1], dtype=gap.dtype, device=gap.device)


def _with_lengths_kept(off: Tensor, V: Tensor, lengths: Tensor | None) -> Tensor:
    """`off` plus the real diagonal c with Re(Vᴴ V (off + c))_ii = −lengths_i."""
    change = _diagonal(V.mH @ V @ off).real
    return off - torch.diag_embed(change if lengths is None else change + lengths).to(off.dtype)


def _diagonal(matrices: Tensor) -> Tensor:
    return matrices.diagonal(dim1=-2, dim2=-1)
