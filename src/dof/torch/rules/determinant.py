"""Determinants and their logarithms, by Jacobi's formula."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import register


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
