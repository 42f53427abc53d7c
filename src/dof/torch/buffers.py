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

from dof.torch import compat

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
            used = {n: [s for s in storages if compat.uses_of(s) > 1] for n, storages in self.of_size.items()}
            self.of_size = {n: storages for n, storages in used.items() if storages}
        return self.bytes() + size <= MOST

    def bytes(self) -> int:
        return sum(size * len(storages) for size, storages in self.of_size.items())


def _is_unused(storage: UntypedStorage) -> bool:
    """Whether no tensor uses the memory, nor another process, nor an object besides a list and the callers here."""
    return compat.uses_of(storage) == 1 and sys.getrefcount(storage) <= 4 and not storage.is_shared()


_kept = _Kept()


def empty_like(x: Tensor) -> Tensor:
    """A tensor with the shape, order in memory, dtype and device of x, and with any entries."""
    size = x.numel() * x.element_size()
    if x.device.type != "cpu" or not LEAST <= size <= MOST:
        return torch.empty_like(x)
    strides = x.stride() if x.is_contiguous() else torch.empty_like(x, device="meta").stride()
    return x.new_empty(0).set_(_kept.take(size), 0, x.shape, strides)  # pyright: ignore[reportArgumentType]


def neighbours(like: Tensor, shapes: Sequence[Sequence[int]]) -> list[Tensor]:
    """Tensors of these shapes, one after the other in one piece of memory, with any entries.

    None is a view of another, for autograd.
    """
    sizes = [math.prod(shape) for shape in shapes]
    whole = empty_like(like.new_empty(()).expand(sum(sizes)))
    starts, memory = itertools.accumulate(sizes, initial=0), whole.untyped_storage()
    return [
        whole.new_empty(0).set_(memory, start, shape, _strides(shape))  # pyright: ignore[reportArgumentType]
        for start, shape in zip(starts, shapes, strict=False)
    ]


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[n + 1 :]) for n in range(len(shape))]


def as_rows(tensors: Sequence[Tensor]) -> Tensor | None:
    """The rows (m, n) of tensors (…, n) as one matrix, without a copy; None if they are no neighbours in memory."""
    first = tensors[0]
    place, memory = first.data_ptr(), first.untyped_storage().data_ptr()
    for x in tensors:
        is_next = x.data_ptr() == place and x.untyped_storage().data_ptr() == memory
        if not is_next or not x.is_contiguous() or x.shape[-1] != first.shape[-1]:
            return None
        place += x.numel() * x.element_size()
    n = first.shape[-1]
    return first.as_strided((sum(x.numel() for x in tensors) // max(n, 1), n), (n, 1))
