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

from importlib.util import find_spec

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
