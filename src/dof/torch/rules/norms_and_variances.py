"""Norms, variances and standard deviations, written out in operations with rules."""

from __future__ import annotations

import math
from typing import Any

import torch

from dof.torch.registry import written_out
from dof.torch.rules.reductions import axes_of


@written_out("var.correction")
def var(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """Σ |x − mean|² / (n − correction)."""
    dims = axes_of(x, dim)
    centred = x - x.mean(dims, keepdim=True)
    count = math.prod(x.shape[d] for d in dims)
    total = squares(centred).sum(dims, keepdim=keepdim)
    return total / max(count - (1 if correction is None else correction), 0)


@written_out("std.correction")
def std(x: Any, dim: Any = None, **options: Any) -> Any:
    """√var."""
    return torch.sqrt(var(x, dim, **options))


@written_out("var_mean.correction")
def var_mean(x: Any, dim: Any = None, *, keepdim: bool = False, **options: Any) -> Any:
    """(var, mean)."""
    return var(x, dim, keepdim=keepdim, **options), x.mean(axes_of(x, dim), keepdim=keepdim)


@written_out("std_mean.correction")
def std_mean(x: Any, dim: Any = None, *, keepdim: bool = False, **options: Any) -> Any:
    """(√var, mean)."""
    return std(x, dim, keepdim=keepdim, **options), x.mean(axes_of(x, dim), keepdim=keepdim)


def squares(x: Any) -> Any:
    """|x|², real."""
    return x.real * x.real + x.imag * x.imag if x.is_complex() else x * x


@written_out("linalg_vector_norm.default")
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """(Σ |x|^ord)^(1/ord), the largest or the smallest |x|, or the number of nonzero elements."""
    x, dims = x if dtype is None else x.to(dtype), axes_of(x, dim)
    if ord == 0:
        return (x.value != 0).sum(dims, keepdim=keepdim).to(x.real.dtype)
    if ord == 2:
        return torch.sqrt(squares(x).sum(dims, keepdim=keepdim))
    if ord == 1:
        return x.abs().sum(dims, keepdim=keepdim)
    if math.isinf(ord):
        return x.abs().amax(dims, keepdim) if ord > 0 else x.abs().amin(dims, keepdim)
    # Even powers need no |x|, whose derivative jumps at zero.
    powers = x**ord if ord % 2 == 0 and not x.is_complex() else x.abs() ** ord
    return powers.sum(dims, keepdim=keepdim) ** (1 / ord)


@written_out("norm.Scalar", "norm.ScalarOpt_dim", "norm.ScalarOpt_dim_dtype", "norm.ScalarOpt_dtype")
def norm(x: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The vector norm under its older name."""
    return vector_norm(x, 2 if p is None else p, dim, keepdim, dtype=dtype)
