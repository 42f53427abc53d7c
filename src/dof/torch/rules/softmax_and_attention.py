"""Softmax, its logarithm, and attention, written out in products, exponentials and sums."""

from __future__ import annotations

import math
from typing import Any

import torch

from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS, written_out

DROPOUT_FIX = "net.eval(), or dropout_p=0"


@written_out("_softmax.default")
def softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    """Exp x / Σ exp x."""
    e = torch.exp(_below_largest(x, dim))
    return e / e.sum(dim, keepdim=True)


def _below_largest(x: Any, dim: int) -> Any:
    """x − max x, with its derivatives: those of a constant maximum would cancel in the quotient, with rounding."""
    return x - x.max(dim, keepdim=True)[0] if x.dim() else x - x


@written_out("_safe_softmax.default")
def safe_softmax(x: Any, dim: int, dtype: Any = None) -> Any:
    """Softmax, with zeros where all elements are −∞."""
    x = x if dtype is None else x.to(dtype)
    is_empty = (x == -math.inf).all(dim, keepdim=True)
    # Rows of −∞ are replaced before as well as after: a NaN in a branch not taken would still be in its gradient.
    return torch.masked_fill(softmax(torch.masked_fill(x, is_empty, 0.0), dim), is_empty, 0.0)


@written_out("_log_softmax.default")
def log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    """X − log Σ exp x."""
    z = _below_largest(x, dim)
    return z - torch.log(torch.exp(z).sum(dim, keepdim=True))


def attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(q kᵀ · scale + mask) v, with the arguments of `scaled_dot_product_attention`."""
    if dropout_p:
        refuse("scaled_dot_product_attention", "with dropout, so that it is no function of x", DROPOUT_FIX)
    if enable_gqa:
        repeats = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(repeats, -3), value.repeat_interleave(repeats, -3)
    scores = torch.matmul(query, key.transpose(-2, -1)) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return torch.matmul(safe_softmax(scores, -1) if attn_mask is not None else torch.softmax(scores, -1), value)


FUNCTIONS[torch.nn.functional.scaled_dot_product_attention] = attention
