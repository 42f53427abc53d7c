"""Many points in blocks: bounded memory, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.torch.api.apply import require_function
from dof.torch.function_arguments import require_tensor
from dof.torch.pipeline.propagated import map_outputs
from dof.torch.triple import Triple

Chunk = int | Literal["auto"]

MEMORY = 256 * 2**20
"""Bytes that PyTorch may keep for the backward pass of one block; a round number, not tuned. Smaller blocks are slower,
as PyTorch gives few elements to one thread and each operation costs a call: a training step of a PINN of 4 × 64 takes
1.2, 1.6, 1.9 and 3.5 times as long in blocks of 4096, 2048, 1024 and 256 points as with 8192 at once; one of the
paper's MLP (64 directions, 8 layers of 256) 1.1 times in blocks of 16. So blocks are for memory only."""


def batched(g: Callable[[Tensor], Any], chunk: Chunk = "auto") -> Callable[[Tensor], Any]:
    """The same function of points, with few of them at a time.

    With gradients, a block is computed again on the way back, so that one block is alive at a time.

    Args:
        g: a function of points in rows, as `L(net)`; its results have the points on their first axis.
        chunk: how many rows, along the first axis of x, make a block; "auto" measures what a row takes.

    Examples:
        >>> import torch, dof.torch as dof
        >>> g = dof.batched(dof.laplacian(lambda x: (x**4).sum(-1)), chunk=2)
        >>> g(torch.tensor([[0.0], [1.0], [2.0]]))
        tensor([ 0., 12., 48.])
    """
    require_function(g)
    _require_chunk(chunk)

    def run(x: Tensor) -> Any:
        require_tensor("x", x)
        blocks = x.split(rows_per_block(g, x, chunk))
        if len(blocks) == 1:
            return g(x)
        if not torch.is_grad_enabled():
            return _joined([g(block) for block in blocks])
        return _joined([checkpoint(g, block, use_reentrant=False) for block in blocks])

    return run


def backward(point_loss: Callable[[Tensor], Tensor], x: Tensor, chunk: Chunk = "auto") -> Tensor:
    """Add the gradient of the mean loss to `.grad`, block by block; nothing is computed twice.

    Args:
        point_loss: from rows of x to a loss for each of them.
        x: the points, (n, …).
        chunk: how many rows make a block; "auto" measures what a row takes.

    Returns:
        The mean loss over all rows, without a graph.

    Examples:
        >>> import torch, dof.torch as dof
        >>> w = torch.ones((), requires_grad=True)
        >>> L = dof.laplacian(lambda x: w * (x**2).sum(-1))
        >>> dof.backward(lambda x: L(x) ** 2, torch.ones(5, 3)), w.grad
        (tensor(36.), tensor(72.))
    """
    require_function(point_loss)
    _require_chunk(chunk)
    require_tensor("x", x)
    if not x.dim() or not len(x):
        found, fix = f"has shape {tuple(x.shape)}", "dof.backward(point_loss, x) with points in the rows of x"
        raise ArgumentError(describe("x", found, "at least one row, of which the mean is taken", fix))
    blocks = x.split(rows_per_block(point_loss, x, chunk))
    return torch.stack([_backward_of_block(point_loss, block, len(x)) for block in blocks]).sum()


def _backward_of_block(point_loss: Callable[[Tensor], Tensor], block: Tensor, rows: int) -> Tensor:
    """Add the gradient of a block, and return its part of the mean; its graph is gone before the next one is made."""
    losses = point_loss(block)
    if not isinstance(losses, torch.Tensor) or losses.dim() == 0 or len(losses) != len(block):
        expected, fix = f"one loss for each of {len(block)} rows", "lambda x: L(net)(x).squeeze(-1) ** 2"
        found = f"shape {tuple(losses.shape)}" if isinstance(losses, torch.Tensor) else f"a {type(losses).__name__}"
        raise ArgumentError(describe("point_loss", f"returns {found}", expected, fix))
    part = losses.sum() / (rows * losses[0].numel())
    part.backward()
    return part.detach()


def rows_per_block(g: Callable[[Tensor], Any], x: Tensor, chunk: Chunk) -> int:
    """How many rows of x make a block."""
    if chunk != "auto":
        return min(chunk, max(len(x), 1))
    if len(x) < 3:
        return max(len(x), 1)
    return min(max(MEMORY // _bytes_per_row(g, x), 1), len(x))


_measured: WeakKeyDictionary[Any, dict[Any, int]] = WeakKeyDictionary()
"""Bytes of a row by function and kind of rows: measuring takes as long as three small blocks."""


def _bytes_per_row(g: Callable[[Tensor], Any], x: Tensor) -> int:
    """What one more row takes for the backward pass of g, measured once for each g."""
    try:
        known = _measured.setdefault(g, {})
    except TypeError:  # g has no hash, or nothing can refer to it weakly
        known = {}
    kind = (x.shape[1:], x.dtype, x.device)
    if kind not in known:
        with torch.no_grad():
            g(x[:2])  # so that the probe of a first call is not measured
        known[kind] = max(_saved_bytes(g, x[:2]) - _saved_bytes(g, x[:1]), 1)
    return known[kind]


def _saved_bytes(g: Callable[[Tensor], Any], x: Tensor) -> int:
    """Bytes of all tensors that PyTorch keeps for the backward pass of g at these rows."""
    sizes: dict[Any, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        if not isinstance(tensor, Triple):  # whose parts are saved as well
            storage = tensor.untyped_storage()
            sizes[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.enable_grad(), saved_tensors_hooks(pack, lambda tensor: tensor):
        g(x.detach().requires_grad_())
    return sum(sizes.values())


def _joined(parts: list[Any]) -> Any:
    """Results of blocks one after the other, output by output."""
    each = [_flat(part) for part in parts]
    whole = iter([torch.cat(tensors) for tensors in zip(*each, strict=True)])
    return map_outputs(lambda _: next(whole), parts[0])


def _flat(output: Any) -> list[Tensor]:
    found: list[Tensor] = []
    map_outputs(found.append, output)
    return found


def _require_chunk(chunk: Any) -> None:
    expected, fix = 'a positive integer or "auto"', 'chunk="auto", or chunk=1024'
    if isinstance(chunk, str) and chunk == "auto":
        return
    if isinstance(chunk, bool) or not isinstance(chunk, int):
        raise ArgumentTypeError(describe("chunk", f"is {shown(chunk)}", expected, fix))
    if chunk < 1:
        raise ArgumentError(describe("chunk", f"is {chunk}", expected, fix))
