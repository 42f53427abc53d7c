"""Says that a loss gets one point where it was written for a batch of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax

from dof.batching.blocks import Batch
from dof.errors import ArgumentError, describe

_FIX = "point_loss = lambda params, x: residual(params, x) ** 2, without a mean over points, vmap or dof.batched"


@contextmanager
def telling_losses_of_batches(of_point: Callable[..., Any], batch: Batch, params: Any) -> Iterator[None]:
    """Name the cause of an error in tracing a loss of one point, if it is a loss of the whole batch.

    Args:
        of_point: the loss, of (params, args, kwargs).
        batch: the arguments for all points.
        params: what the gradient is taken in.
    """
    try:
        yield
    except (TypeError, ValueError, IndexError) as error:
        point = ", ".join(str(leaf.shape[1:]) for leaf in batch.mapped)
        if _takes_whole_batch(of_point, batch, params):
            found = f"is a loss of the whole batch, and fails for one point, of shape {point}"
            expected = f"a loss of one point, of which dof takes the mean over the {batch.size} points"
            raise ArgumentError(describe("point_loss", found, expected, _FIX)) from error
        error.add_note(
            f"`point_loss` gets one point here, of shape {point}; dof takes the mean over {batch.size} points."
        )
        raise


def _takes_whole_batch(of_point: Callable[..., Any], batch: Batch, params: Any) -> bool:
    args, kwargs = jax.tree.unflatten(batch.tree, batch.leaves)
    try:
        jax.eval_shape(lambda: of_point(params, args, kwargs))
    except Exception:
        return False
    return True
