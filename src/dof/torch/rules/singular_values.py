"""Singular values and vectors, by differentiating A V = U S and Aᴴ U = V S twice.

Both orders are the same linear system: K₁ + A dV = dU S + U dS and K₂ + Aᴴ dU = dV S + V dS, with

    first:   K₁ = g_A V                                    K₂ = g_Aᴴ U
    second:  K₁ = s_A V + 2 Σ q (g_A g_V − g_U g_S)        K₂ = s_Aᴴ U + 2 Σ q (g_Aᴴ g_U − g_V g_S)

All derivatives are those of one decomposition, so that the free phases of its vectors are the same in all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts
from dof.torch.registry import aten, written_out
from dof.torch.rules.eigendecomposition import gaps
from dof.torch.rules.general import general
from dof.torch.rules.matrix_products import summed_product


class Decomposition(NamedTuple):
    """A = U diag(S) Vᴴ with k = min(m, n) columns, or a derivative of it."""

    U: Tensor
    S: Tensor
    V: Tensor


@written_out("_linalg_svd.default")
def svd(A: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> Any:
    """(U, S, Vᴴ)."""
    call = Call(aten._linalg_svd.default, (A, full_matrices), {})
    if full_matrices and A.shape[-1] != A.shape[-2]:
        return general(call)
    U, S, Vh = torch.linalg.svd(A.value, full_matrices=False, driver=driver)
    of = Decomposition(U, S, Vh.mH)
    first = None if A.tangents is None else _first(A.full_tangents(), of)
    second = _second(call, A, of, first)
    parts = lambda name: [None if d is None else getattr(d, name) for d in (first, second)]  # noqa: E731
    vectors = lambda value, name: call.triple(value, *parts(name)) if compute_uv else value.new_empty(0)  # noqa: E731
    V = vectors(of.V, "V")
    return vectors(U, "U"), call.triple(S, *parts("S")), V.mH if compute_uv else V


def _first(g: Tensor, of: Decomposition) -> Decomposition:
    return _solved(g @ of.V, g.mH @ of.U, of, None)


def _second(call: Call, A: Any, of: Decomposition, first: Decomposition | None) -> Decomposition | None:
    K1 = K2 = lengths = None
    if A.applied is not None:
        K1, K2 = A.full_applied() @ of.V, A.full_applied().mH @ of.U
    if first is not None:
        product = lambda a, b: 2 * summed_product(call.form.weigh(a), b)  # noqa: E731
        g, g_S = A.full_tangents(), first.S.to(of.U.dtype).diag_embed()
        K1 = add_parts([K1, product(g, first.V) - product(first.U, g_S)])
        K2 = add_parts([K2, product(g.mH, first.U) - product(first.V, g_S)])
        lengths = [call.form.contract(d.conj(), d).sum(-2).real for d in (first.U, first.V)]
    return None if K1 is None or K2 is None else _solved(K1, K2, of, lengths)


def _solved(K1: Tensor, K2: Tensor, of: Decomposition, lengths: list[Tensor] | None) -> Decomposition:
    """(dU, dS, dV); `lengths` are Σ q |g|² of the columns of U and V, which stay of length one."""
    U, S, V = of
    a, b = U.mH @ K1, V.mH @ K2
    row, column = S[..., None, :], S[..., :, None]
    eye = torch.eye(S.shape[-1], dtype=S.dtype, device=S.device)
    F = (1 - eye) / (gaps(S) * (row + column) + eye)
    a_ii, b_ii = (m.diagonal(dim1=-2, dim2=-1) for m in (a, b))
    of_U, of_V = (None, None) if lengths is None else (-lengths[0], -lengths[1])
    if U.is_complex():  # what is left of the phases turns U and V by the same angle, in opposite directions
        turn = 1j * (a_ii - b_ii).imag / (4 * S)
        of_U, of_V = add_parts([of_U, turn]), add_parts([of_V, -turn])
    X, Y = F * (a * row + column * b), F * (b * row + column * a)
    if of_U is not None and of_V is not None:
        X, Y = X + of_U.diag_embed(), Y + of_V.diag_embed()
    return Decomposition(_vectors(U, X, K1, a, row), (a_ii + b_ii).real / 2, _vectors(V, Y, K2, b, row))


def _vectors(U: Tensor, X: Tensor, K: Tensor, inner: Tensor, S: Tensor) -> Tensor:
    """U X, and for fewer columns than rows what is orthogonal to all columns."""
    return U @ X if U.shape[-1] == U.shape[-2] else U @ X + (K - U @ inner) / S
