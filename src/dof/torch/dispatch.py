"""From an aten operation on triples to the triple of its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dof.errors import DofError
from dof.torch import torch_compat
from dof.torch.in_place import NeedsFunctionalization, is_stale, run_again_functionalized, write
from dof.torch.operation_call import Call
from dof.torch.refusal import NoRuleError, refuse
from dof.torch.registry import RECORDS, Record
from dof.torch.rules.decomposition import decomposed
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.linear import results
from dof.torch.slot_flow import with_slots
from dof.torch.trace_log import Step
from dof.torch.triple import Triple, is_smooth

LOST_FIX = (
    "take it out of f, or write f with operations of PyTorch alone (the module itself, not its script; "
    "checkpoint(…, use_reentrant=False))"
)
NO_RULE_FIX = "write it out in other operations of PyTorch"


def apply_rule(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The result of an operation, by the rule of its family."""
    if func._schema.is_mutable:
        return write(func, args, kwargs, apply_rule)
    call = Call(func, args, kwargs)
    if any(map(is_stale, call.triples)):
        run_again_functionalized(func)
    reason = None if func is torch.ops.aten.detach.default else call.lost_gradients()
    if reason and func.namespace == "prims":  # what PyTorch writes an operation out in, inside of a function of its own
        refuse(func, "which has no derivatives that dof can rely on", NO_RULE_FIX, NoRuleError)
    if reason:
        refuse(func, reason, LOST_FIX)
    record = RECORDS.get(func) or _record_of(call)
    if record.family != "refused" and (call.is_constant or not any(v.numel() for v in call.values)):
        record = _CONSTANT
    if any(t.slots for t in call.triples):
        call, record = with_slots(call, record)
    result = _by_rule(record, call)
    if call.run.log is not None:
        call.run.log.append(Step.of(func, record.family, result))
    return _kept_apart(call, result)


def _kept_apart(call: Call, result: Any) -> Any:
    """The result, or several, with plain tensors in triples without derivatives where autograd records the call.

    It would make a plain result part of the graph of the tensors that triples are for it, and backward passes through
    what rules have computed would come into that graph.
    """
    if isinstance(result, (list, tuple)):
        return [_kept_apart(call, entry) for entry in result]
    is_plain = call.is_recorded and is_smooth(result) and not isinstance(result, Triple)
    return Triple(result, None, None, call.run) if is_plain else result


_CONSTANT = Record("constant", lambda call: _constant_results(call, call(*map(torch.resolve_conj, call.values))))
"""The record of operations on triples without derivatives, and on tensors without elements, which have none."""


def _constant_results(call: Call, found: Any) -> Any:
    return results(call, found, None, None) if isinstance(found, (torch.Tensor, list, tuple)) else found


def _by_rule(record: Record, call: Call) -> Any:
    """The result of a rule. An error of PyTorch that the operation on plain tensors does not raise is a refusal."""
    try:
        return record.rule(call) if record.takes_call else record.rule(*call.args, **call.kwargs)
    except (DofError, NeedsFunctionalization):
        raise
    except (RuntimeError, TypeError) as error:
        with torch.no_grad():
            call(*call.values)  # raises the error that the user would see without dof, if there is one
        reason = f"which has no rule for these arguments ({str(error).splitlines()[0][:120]})"
        refuse(call.func, reason, NO_RULE_FIX, NoRuleError)


def _record_of(call: Call) -> Record:
    """The record of an operation without one of its own."""
    func = call.func
    if func.namespace == "prims":  # PyTorch's own derivatives are written in these where triples are nested
        return Record("written out", torch_compat.aten_of(func), takes_call=False)
    if torch.Tag.pointwise in func.tags:
        return Record("elementwise", elementwise)
    if torch_compat.is_composite(func):
        return Record("written out", func.decompose, takes_call=False)
    return Record("general" if torch_compat.decomposition_of(func) is None else "written out", decomposed)
