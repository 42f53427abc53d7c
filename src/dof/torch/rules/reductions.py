"""Reductions that are not sums: extrema, products, scans, logsumexp. Written out in operations with rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.registry import register, written_out
from dof.torch.triple import Triple


def selected(call: Call) -> Any:
    """(values, indices) of max, min, sort, topk, …: the values are elements of x, chosen by the indices."""
    (x,) = call.triples
    _, indices = call(*call.values)
    dim = call.argument("dim", -1)
    if x.value.dim() == 0:
        return x, indices
    at = indices if indices.dim() == x.value.dim() else indices.unsqueeze(dim)
    found = torch.gather(x, dim, at)
    return found if indices.dim() == x.value.dim() else found.squeeze(dim), indices


@written_out("amax.default")
def amax(x: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest element; of several equal ones the mean, which is how PyTorch shares the gradient."""
    return _extreme(x, x.value.amax, dim, keepdim)


@written_out("amin.default")
def amin(x: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest element."""
    return _extreme(x, x.value.amin, dim, keepdim)


@written_out("max.default")
def largest(x: Any) -> Any:
    """The largest of all elements."""
    return amax(x)


@written_out("min.default")
def smallest(x: Any) -> Any:
    """The smallest of all elements."""
    return amin(x)


def _extreme(x: Triple, of: Callable[..., Any], dim: Any, keepdim: bool) -> Any:
    dims = axes_of(x, dim)
    chosen = (x.value == of(dims, keepdim=True)).to(x.dtype)
    return (x * (chosen / chosen.sum(dims, keepdim=True))).sum(dims, keepdim=keepdim)


@written_out("nansum.default")
def nansum(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of the elements that are not NaN; the derivatives of the others do not count either."""
    return torch.where(torch.isnan(x), 0.0, x).sum(axes_of(x, dim), keepdim=keepdim, dtype=dtype)


@written_out("median.default", "nanmedian.default")
def median(x: Any) -> Any:
    """The element in the middle."""
    return torch.median(x.reshape(-1), 0)[0]


def axes_of(x: Any, dim: Any) -> list[int]:
    """The axes that an argument `dim` means; all of them for None or an empty list."""
    if dim is None or (isinstance(dim, Sequence) and not len(dim)):
        return list(range(x.dim()))
    return list(dim) if isinstance(dim, Sequence) else [dim]


@written_out("prod.dim_int")
def product(x: Any, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product along an axis, pair by pair: ⌈log₂ n⌉ elementwise products, right also where factors are zero."""
    x = x if dtype is None else x.to(dtype)
    if x.dim() == 0:
        return x
    while x.shape[dim] > 1:
        half = x.shape[dim] // 2
        paired = x.narrow(dim, 0, half) * x.narrow(dim, half, half)
        x = torch.cat([paired, x.narrow(dim, 2 * half, x.shape[dim] - 2 * half)], dim)
    return x if keepdim else x.squeeze(dim)


@written_out("prod.default")
def product_of_all(x: Any, *, dtype: Any = None) -> Any:
    """The product of all elements."""
    return product(x.reshape(-1), 0, dtype=dtype)


def _scan(x: Any, dim: int, combine: Callable[[Any, Any], Any]) -> Any:
    """x₁, x₁∘x₂, x₁∘x₂∘x₃, … in ⌈log₂ n⌉ steps: in each, an element takes in the one `shift` places before."""
    shift, n = 1, x.shape[dim] if x.dim() else 1
    while shift < n:
        head, tail = x.narrow(dim, 0, shift), x.narrow(dim, shift, n - shift)
        x = torch.cat([head, combine(x.narrow(dim, 0, n - shift), tail)], dim)
        shift *= 2
    return x


@written_out("cumprod.default")
def cumprod(x: Any, dim: int, *, dtype: Any = None) -> Any:
    """Products of all elements up to each."""
    return _scan(x if dtype is None else x.to(dtype), dim, torch.mul)


@written_out("logcumsumexp.default")
def logcumsumexp(x: Any, dim: int) -> Any:
    """Log Σ exp of all elements up to each."""
    return _scan(x, dim, torch.logaddexp)


@written_out("logsumexp.default")
def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    """Log Σ exp x, with the largest element taken out first."""
    dims = axes_of(x, dim)
    top = finite(x.value.real.amax(dims, keepdim=True).detach())
    y = torch.log(torch.exp(x - top).sum(dims, keepdim=True)) + top
    return y if keepdim else y.squeeze(dims)


def finite(top: Any) -> Any:
    """Zero in place of ±∞, which would make ∞ − ∞ of what is subtracted."""
    return torch.where(torch.isfinite(top), top, torch.zeros_like(top))


register("selection", "max.dim min.dim sort.default sort.stable topk kthvalue median.dim nanmedian.dim mode", selected)
register("selection", "cummax.default cummin.default", selected)
