"""Products of matrices and vectors with sums around them, written out in those that have rules."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.registry import aten, written_out
from dof.torch.rules.matrix_products import dense_layer
from dof.torch.triple import Triple


@written_out("addmm.default")
def addmm(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta bias + alpha x y."""
    if beta == 1 and alpha == 1 and not isinstance(y, Triple) and not isinstance(bias, Triple):
        return dense_layer(Call(aten.addmm.default, (bias, x, y), {}), y.mT, bias)
    return _scaled(beta, bias) + _scaled(alpha, torch.mm(x, y))


@written_out("baddbmm.default")
def baddbmm(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta bias + alpha x y, for batches of matrices."""
    return _scaled(beta, bias) + _scaled(alpha, torch.bmm(x, y))


@written_out("addbmm.default")
def addbmm(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta bias + alpha Σ x y over a batch of matrices."""
    return _scaled(beta, bias) + _scaled(alpha, torch.bmm(x, y).sum(0))


@written_out("addmv.default")
def addmv(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta bias + alpha x y, for a vector y."""
    return _scaled(beta, bias) + _scaled(alpha, torch.mv(x, y))


@written_out("addr.default")
def addr(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta bias + alpha x yᵀ."""
    return _scaled(beta, bias) + _scaled(alpha, x[:, None] * y)


@written_out("mv.default")
def mv(x: Any, y: Any) -> Any:
    """A matrix times a vector."""
    return torch.mm(x, y[:, None])[:, 0]


@written_out("dot.default")
def dot(x: Any, y: Any) -> Any:
    """Σ x y."""
    return torch.mm(x[None], y[:, None])[0, 0]


@written_out("vdot.default")
def vdot(x: Any, y: Any) -> Any:
    """Σ x̄ y."""
    return dot(x.conj(), y)


@written_out("linalg_cross.default")
def cross(x: Any, y: Any, *, dim: int = -1) -> Any:
    """x × y along an axis of three elements."""
    roll = lambda v, n: torch.roll(v, n, dim)  # noqa: E731
    x, y = torch.broadcast_tensors(x, y)
    return roll(x, -1) * roll(y, 1) - roll(x, 1) * roll(y, -1)


def _scaled(factor: Any, x: Any) -> Any:
    return x if factor == 1 else factor * x
