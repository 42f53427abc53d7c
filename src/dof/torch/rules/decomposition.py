"""Operations that PyTorch itself can write out in simpler ones, which have rules."""

from __future__ import annotations

from typing import Any

from dof.torch import torch_compat
from dof.torch.operation_call import Call
from dof.torch.refusal import NoRuleError
from dof.torch.rules.general import general


def decomposed(call: Call) -> Any:
    """PyTorch's own way to write an operation out; the general rule where it has none, or uses what has no rule."""
    decomposition = torch_compat.decomposition_of(call.func)
    try:
        return general(call) if decomposition is None else decomposition(*call.args, **call.kwargs)
    except NoRuleError:
        if decomposition is None:
            raise
        return general(call)
