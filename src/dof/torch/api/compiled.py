"""One flat graph of a propagation, for `torch.compile`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentError, describe
from dof.torch import torch_compat
from dof.torch.api.apply import require_function
from dof.torch.function_arguments import require_tensor


def compiled(g: Callable[[Tensor], Any], x: Tensor, **options: Any) -> Callable[[Tensor], Any]:
    """g for points of the shape of x, as one flat graph of aten operations, compiled by `torch.compile`.

    Parameters are found by identity: gradients go to them, and steps of an optimiser are seen. Python control flow in
    f, and numbers that it reads, stay as they are at x.

    Args:
        g: a function of points, as `L(net)`.
        x: points; later ones must have the same shape, dtype and device.
        **options: of `torch.compile`, as `backend` or `mode`.

    Returns:
        The compiled function; it refuses points of another shape.
    """
    require_function(g)
    require_tensor("x", x)
    g(x)  # what is checked at the first call of g is checked here, outside of the graph
    graph = torch.compile(torch_compat.traced_graph(g, x), **options)
    expected = (tuple(x.shape), x.dtype, x.device)

    def run(points: Tensor) -> Any:
        found = (tuple(points.shape), points.dtype, points.device)
        if found != expected:
            fix = "dof.compiled(L(net), x) for each shape, or padded points"
            raise ArgumentError(describe("x", f"is {found}", f"{expected}, as in `compiled`", fix))
        return graph(points)

    return run
