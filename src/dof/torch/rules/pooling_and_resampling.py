"""Pooling, upsampling, windows as columns (im2col) and shuffled pixels.

Maxima over windows are elements of x, chosen by indices into its last axes, and put back to these places.
"""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.registry import register
from dof.torch.rules.linear import by_vmap


def pooled(call: Call) -> Any:
    """(values, indices) of max pooling over the last two or three axes."""
    (x,) = call.triples
    _, indices = call(*call.values)
    axes = 3 if "3d" in call.func.name() else 2
    found = torch.gather(x.flatten(-axes), -1, indices.flatten(-axes))
    return found.reshape(indices.shape), indices


def unpooled(call: Call) -> Any:
    """Elements of x at the places that indices name. Where several name one place, only one is there in the end."""
    (x,) = call.triples
    numbers = torch.arange(1, x.numel() + 1, dtype=torch.float64, device=x.device).reshape(x.shape)
    sources = call(numbers).long()  # zero where nothing is put
    return torch.cat([x.new_zeros(1), x.reshape(-1)])[sources]


register("selection", "max_unpool2d.default max_unpool3d.default", unpooled)
register(
    "selection",
    "max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool2d.default adaptive_max_pool3d.default",
    pooled,
)
register("linear", "avg_pool1d avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d", by_vmap)
register("linear", "im2col col2im pixel_shuffle pixel_unshuffle channel_shuffle", by_vmap)
register(
    "linear",
    """upsample_nearest1d.default upsample_nearest2d.default upsample_nearest3d.default upsample_linear1d.default
    upsample_bilinear2d.default upsample_trilinear3d.default upsample_bicubic2d.default
    _upsample_nearest_exact1d.default _upsample_nearest_exact2d.default _upsample_nearest_exact3d.default
    _upsample_bilinear2d_aa.default _upsample_bicubic2d_aa.default""",
    by_vmap,
)
