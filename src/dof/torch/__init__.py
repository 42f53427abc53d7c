"""The operators of dof for PyTorch: exact, by one forward propagation, with gradients that are right.

    import dof.torch as dof
    L = dof.Operator(a=A, b=lambda x: -x, c=2.0)
    y = L(net)(x)                  # x (…, N): points in rows
    (y**2).mean().backward()       # one backward pass

Reading order: `api` (what users call), `coefficients`, `directions` and `readout` (operators as directions, form and
channels), `pipeline` (the whole way), `triple` and `dispatch` (the tensor that meets aten operations), `rules` (a rule
for each family of operations), `jets` (operators of an order above two), `pde` (residuals as on paper). Neither JAX
nor a part of dof that needs it is imported.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if find_spec("torch") is None:
    raise ModuleNotFoundError('`dof.torch` needs torch.\n  Fix: pip install "dof[torch]"', name="torch")

from dof.errors import ArgumentError, ArgumentTypeError, DofError, NotDifferentiableError
from dof.torch.api.apply import jointly, propagate
from dof.torch.api.batched import backward, batched
from dof.torch.api.check import Check, check
from dof.torch.api.compiled import compiled
from dof.torch.api.explain import Explanation, explain
from dof.torch.api.operator import Operator, derivatives, laplacian
from dof.torch.user_matrices import BlockDiagonal, Factored

if TYPE_CHECKING:
    from dof.torch import pde as pde

_INSTEAD = {
    "value_and_grad": "loss.backward(); in the memory of one block: loss = dof.torch.backward(point_loss, x)",
}
"""What `dof` has for JAX, and what takes its place in PyTorch."""


def __getattr__(name: str) -> Any:
    """`pde`, imported when it is first used."""
    if name == "pde":
        return import_module("dof.torch.pde")
    fix = f".\n  Fix: {_INSTEAD[name]}" if name in _INSTEAD else ""
    raise AttributeError(f"module 'dof.torch' has no attribute {name!r}{fix}")


def __dir__() -> list[str]:
    """Also what is imported when first used, so that editors complete it."""
    return sorted({*globals(), "pde"})


__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BlockDiagonal",
    "Check",
    "DofError",
    "Explanation",
    "Factored",
    "NotDifferentiableError",
    "Operator",
    "backward",
    "batched",
    "check",
    "compiled",
    "derivatives",
    "explain",
    "jointly",
    "laplacian",
    "propagate",
]
