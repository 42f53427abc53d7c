"""Functions of PyTorch that are written otherwise, before they become aten operations: norms and differences."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`torch.diff`: differences of neighbours along an axis, n times."""
    x = torch.cat([part for part in (prepend, x, append) if part is not None], dim) if n else x
    for _ in range(min(n, x.shape[dim])):
        size = x.shape[dim]
        x = x.narrow(dim, 1, size - 1) - x.narrow(dim, 0, size - 1)
    return x


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`torch.nn.functional.batch_norm`, refused in training."""
    if training:
        reason = "in training, which mixes rows, so that f is no function of one point"
        refuse("batch_norm", reason, "net.eval(), or LayerNorm or GroupNorm in its place")
    return torch.nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`torch.nn.functional.instance_norm`: layer norm over the axes of space, or batch norm with running statistics."""
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = [1, -1, *[1] * (x.dim() - 2)]
    y = torch.nn.functional.layer_norm(x, x.shape[2:], eps=eps)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """`torch.nn.functional.rrelu`, refused in training."""
    if training:
        refuse("rrelu", "in training, which draws random numbers, so that f is no function of x", "net.eval()")
    return torch.nn.functional.leaky_relu(x, (lower + upper) / 2, inplace)


def cosine_similarity(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """`torch.nn.functional.cosine_similarity`, which PyTorch writes out under no_grad."""
    x, y = torch.broadcast_tensors(x, y)
    lengths = [torch.linalg.vector_norm(v, dim=dim).clamp_min(eps) for v in (x, y)]
    return (x * y).sum(dim) / (lengths[0] * lengths[1])


FUNCTIONS |= dict.fromkeys((torch.diff, torch.Tensor.diff), diff)
FUNCTIONS[torch.nn.functional.batch_norm] = batch_norm
FUNCTIONS[torch.nn.functional.rrelu] = rrelu
FUNCTIONS[torch.nn.functional.instance_norm] = instance_norm
FUNCTIONS[torch.nn.functional.cosine_similarity] = cosine_similarity
