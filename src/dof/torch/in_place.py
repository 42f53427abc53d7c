"""Operations that write into their arguments.

A write to a triple gives it the parts of the result. Views of a triple share a counter of the writes to their memory: a
view taken before a write is stale, and so is what it was taken from. Where a stale triple is used, or a triple is
written into a plain tensor, f is run again through `torch.func.functionalize`, which turns writes into new tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import torch

from dof.torch import torch_compat
from dof.torch.refusal import refuse, users_line
from dof.torch.registry import aten
from dof.torch.triple import Triple


class NeedsFunctionalization(BaseException):  # so that `except Exception` in f lets it pass
    """f writes into memory in a way that only a functionalized run keeps track of."""


def run_again_functionalized(func: Any) -> NoReturn:
    """Leave this run of f."""
    raise NeedsFunctionalization(func, users_line())


def is_stale(triple: Triple) -> bool:
    """Whether the memory of a triple was written to through another view of it."""
    return triple.seen != triple.writes[0]


def write(func: Any, args: Sequence[Any], kwargs: dict[str, Any], apply_rule: Callable[..., Any]) -> Any:
    """The result of `name_(target, …)` by the rule of `name`, put into the target."""
    target, name = args[0], func.__name__.partition(".")[0]
    if not name.endswith("_") or name.endswith("__") or "out" in kwargs:
        run_again_functionalized(func)
    if not isinstance(target, Triple) or is_stale(target):
        run_again_functionalized(func)
    plain = _without_write(func, name[:-1])
    if plain is None:
        refuse(func, "which has no form that does not write in place", f"h = h.{name[:-1]}(…) instead of h.{name}(…)")
    # One overload may have a default where the other has none, as those of bernoulli.
    defaults = {a.name: a.default_value for a in func._schema.arguments[len(args) :] if a.has_default_value()}
    new = plain(*args, **(defaults | kwargs))
    if torch.Tag.inplace_view in func.tags:  # squeeze_, transpose_, …: the shape changes as well
        torch_compat.change_shape_in_place(func, target, args[1:], kwargs)
    _put(target, new)
    return target


@cache
def _without_write(func: Any, name: str) -> Any:
    """The overload of an operation that takes the same arguments as one that writes; None if there is none.

    Names of overloads may differ, as those of pow_.Scalar and pow.Tensor_Scalar.
    """
    packet, arguments = getattr(aten, name, None), _arguments(func)
    each = [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]
    return next((one for one in each if _arguments(one) == arguments and not one._schema.is_mutable), None)


def _arguments(func: Any) -> list[tuple[str, str]]:
    return [(a.name, str(a.type)) for a in func._schema.arguments]


def _put(target: Triple, new: Any) -> None:
    target.put(new)
    target.writes[0] += 1
    target.seen = target.writes[0]
