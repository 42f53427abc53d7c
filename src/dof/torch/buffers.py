"""Memory for large results, used again as soon as nothing refers to it.

The C library gives large pieces of memory back to the system when they are freed, so that each new one is made of fresh
pages, which the system fills with zeros first. On a Linux machine with pages of 4 KB this took a third of the time of a
propagation (64 directions, 1024 points, layers of 256) and an eighth of a training step.
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
from collections.abc import Sequence

import torch
from torch import Tensor, UntypedStorage

from dof.torch import torch_compat

LEAST = 2**18
"""Bytes below which memory comes from PyTorch: the C library keeps small pieces itself."""
MOST = 2**28
"""Bytes that a thread keeps at most: what `batched` lets a block take for its backward pass."""


class _Kept(threading.local):
    """The memory that a thread keeps."""

    def __init__(self) -> None:
        self.of_size: dict[int, list[UntypedStorage]] = {}

    def take(self, size: int) -> UntypedStorage:
        for storage in self.of_size.get(size, ()):
            if _is_unused(storage):
                return storage
        new = UntypedStorage(size)
        if self._has_room(size):
            self.of_size.setdefault(size, []).append(new)
        return new

    def _has_room(self, size: int) -> bool:
        """Whether so many bytes may be kept; what is not in use, as memory for earlier shapes, makes room."""
        if self.bytes() + size > MOST:
            used = {n: [s for s in storages if torch_compat.uses_of(s) > 1] for n, storages in self.of_size.items()}
            self.of_size = {n: storages for n, storages in used.items() if storages}
        return self.bytes() + size <= MOST

    def bytes(self) -> int:
        return sum(size * len(storages) for size, storages in self.of_size.items())


def _is_unused(storage: UntypedStorage) -> bool:
    """Whether no tensor uses the memory, nor another process, nor an object besides a list and the callers here."""
    return torch_compat.uses_of(storage) == 1 and sys.getrefcount(storage) <= 4 and not storage.is_shared()


_kept = _Kept()


def empty_like(x: Tensor) -> Tensor:
    """A tensor with the shape, order in memory, dtype and device of x, and with any entries."""
    if x.is_contiguous():
        return empty(x, x.shape)
    if not _is_kept(x, x.numel()):
        return torch.empty_like(x)
    return _at(_kept.take(x.numel() * x.element_size()), x, 0, x.shape, torch.empty_like(x, device="meta").stride())


def empty(like: Tensor, shape: Sequence[int]) -> Tensor:
    """A contiguous tensor of a shape, with the dtype and device of another, and with any entries."""
    count = math.prod(shape)
    if not _is_kept(like, count):
        return like.new_empty(shape)
    return _at(_kept.take(count * like.element_size()), like, 0, shape, _strides(shape))


def neighbours(like: Tensor, shapes: Sequence[Sequence[int]]) -> list[Tensor]:
    """Contiguous tensors of these shapes, one after the other in one piece of memory, with any entries.

    None is a view of another, for autograd.
    """
    sizes = [math.prod(shape) for shape in shapes]
    memory = empty(like, (sum(sizes),)).untyped_storage()
    starts = itertools.accumulate(sizes, initial=0)
    return [_at(memory, like, n, shape, _strides(shape)) for n, shape in zip(starts, shapes, strict=False)]


def as_rows(tensors: Sequence[Tensor]) -> Tensor | None:
    """The rows (m, n) of tensors (…, n) as one matrix, without a copy; None if they are no neighbours in memory."""
    first, count = tensors[0], 0
    place, start, size, n = first.data_ptr(), first.storage_offset(), first.element_size(), first.shape[-1]
    for x in tensors:
        # Separate pieces of memory may lie side by side as well: their offsets do not fit.
        is_next = x.data_ptr() == place + size * count and x.storage_offset() == start + count
        if not is_next or not x.is_contiguous() or x.shape[-1] != n:
            return None
        count += x.numel()
    is_whole = first.untyped_storage().nbytes() >= size * (start + count)
    return first.as_strided((count // max(n, 1), n), (n, 1)) if is_whole else None


def _is_kept(like: Tensor, count: int) -> bool:
    return like.device.type == "cpu" and LEAST <= count * like.element_size() <= MOST


def _at(memory: UntypedStorage, like: Tensor, start: int, shape: Sequence[int], strides: Sequence[int]) -> Tensor:
    return like.new_empty(0).set_(memory, start, shape, strides)  # pyright: ignore[reportArgumentType]


def _strides(shape: Sequence[int]) -> list[int]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]
