"""From an aten operation on triples to the triple of its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dof.torch import compat
from dof.torch.call import Call
from dof.torch.in_place import is_stale, run_again_functionalized, write
from dof.torch.refusal import NoRuleError, refuse
from dof.torch.registry import RECORDS, Record
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.general import general
from dof.torch.trace_log import Step
from dof.torch.triple import Triple


def apply_rule(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The result of an operation, by the rule of its family."""
    if func._schema.is_mutable:
        return write(func, args, kwargs, apply_rule)
    call = Call(func, args, kwargs)
    if any(map(is_stale, call.triples)):
        run_again_functionalized(func)
    reason = None if func is torch.ops.aten.detach.default else call.run.lost_gradients()
    if reason:
        refuse(func, reason, "move it out of f, or write it with operations of PyTorch")
    record = RECORDS.get(func) or _record_of(call)
    result = record.rule(call) if record.takes_call else record.rule(*args, **kwargs)
    if call.run.log is not None:
        call.run.log.append(Step.of(func, record.family, result))
    return result


def _record_of(call: Call) -> Record:
    """The record of an operation without one of its own."""
    func = call.func
    if torch.Tag.pointwise in func.tags:
        return Record("elementwise", elementwise)
    if compat.is_composite(func):
        return Record("written out", func.decompose, takes_call=False)
    if compat.decomposition_of(func) is not None:
        return Record("written out", _decomposed)
    return Record("general", general)


def _decomposed(call: Call) -> Any:
    """PyTorch's own way to write an operation out; the general way where that uses operations without derivatives."""
    try:
        return compat.decomposition_of(call.func)(*call.args, **call.kwargs)
    except NoRuleError:
        return general(call)


__all__ = ["Triple", "apply_rule"]
