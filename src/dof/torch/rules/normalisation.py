"""Layer, group, RMS and batch normalisation, written out: their fused kernels have wrong second derivatives."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS, written_out


@written_out("native_layer_norm.default")
def layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """(x − mean) / √(var + eps) over the last axes, times weight, plus bias."""
    dims = list(range(-len(shape), 0))
    mean = x.mean(dims, keepdim=True)
    centred = x - mean
    scale = torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)
    return _affine(centred * scale, weight, bias), mean, scale


@written_out("_fused_rms_norm.default")
def rms_norm(x: Any, shape: Any, weight: Any, eps: float | None) -> Any:
    """x / √(mean x² + eps) over the last axes, times weight."""
    dims = list(range(-len(shape), 0))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    scale = torch.rsqrt((x * x).mean(dims, keepdim=True) + eps)
    return _affine(x * scale, weight, None), scale


@written_out("native_group_norm.default")
def group_norm(x: Any, weight: Any, bias: Any, n: int, c: int, hw: int, groups: int, eps: float) -> Any:
    """Layer norm over groups of channels, with weight and bias of each channel."""
    y, mean, scale = layer_norm(x.reshape(n, groups, c // groups * hw), (c // groups * hw,), None, None, eps)
    return _affine(y.reshape(x.shape), *_per_channel(x, weight, bias)), mean.squeeze(-1), scale.squeeze(-1)


def batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, eps: float) -> Any:
    """(x − mean) / √(var + eps) with running statistics of each channel."""
    if training or mean is None:
        _refuse_training()
    mean, scale = _per_channel(x, mean, torch.rsqrt(var + eps))
    return _affine((x - mean) * scale, *_per_channel(x, weight, bias))


@written_out("native_batch_norm.default", "_native_batch_norm_legit.no_stats")
def native_batch_norm(x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    """Batch norm by its older schema: mean, var, training, momentum, eps; without mean and var for no_stats."""
    mean, var, training, _, eps = rest if len(rest) == 5 else (None, None, *rest)
    y = batch_norm(x, weight, bias, mean, var, training, eps)
    return y, x.value.new_empty(0), x.value.new_empty(0)  # statistics are saved in training only


@written_out("_native_batch_norm_legit_no_training.default")
def no_training(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    """Batch norm with running statistics."""
    return batch_norm(x, weight, bias, mean, var, False, eps), mean, var


@written_out("_batch_norm_no_update.default")
def no_update(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    """Batch norm with running statistics, and an empty reserve."""
    return batch_norm(x, weight, bias, mean, var, False, eps), mean, var, x.value.new_empty(0)


def functional_batch_norm(
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
        _refuse_training()
    return torch.nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)


def functional_instance_norm(
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
        return functional_batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = [1, -1, *[1] * (x.dim() - 2)]
    y = torch.nn.functional.layer_norm(x, x.shape[2:], eps=eps)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def _affine(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def _per_channel(x: Any, *parameters: Any) -> list[Any]:
    """Vectors over the channels, axis 1 of x."""
    shape = [1, -1, *[1] * (x.dim() - 2)]
    return [None if p is None else p.reshape(shape) for p in parameters]


def _refuse_training() -> NoReturn:
    reason = "in training, which mixes rows, so that f is no function of one point"
    refuse("batch_norm", reason, "net.eval(), or LayerNorm or GroupNorm in its place")


FUNCTIONS[torch.nn.functional.batch_norm] = functional_batch_norm
FUNCTIONS[torch.nn.functional.instance_norm] = functional_instance_norm
