"""Which rule an operation has, and the family it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

aten: Any = torch.ops.aten


class Record(NamedTuple):
    """All that dof knows of an operation.

    Attributes:
        family: the name of its family, for `explain` and the page docs/reference/pytorch-operations.md.
        rule: from a `Call` to its result, if `takes_call`; else from the arguments, with triples among them.
        takes_call: False for operations that are written out in others that have rules.
    """

    family: str
    rule: Callable[..., Any]
    takes_call: bool = True


RECORDS: dict[Any, Record] = {}
"""By overload of an aten operation."""
MISSING: list[str] = []
"""Names of operations that this PyTorch does not have; none in the release that the tests are run with."""
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Functions of PyTorch that are caught before it writes them out in aten operations."""


def register(family: str, names: str, rule: Callable[..., Any]) -> None:
    """Give operations a rule, by their names in `torch.ops.aten`: all overloads, or one as in "sum.dim_IntList"."""
    for func in overloads(names):
        RECORDS[func] = Record(family, rule)


def written_out(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of the arguments of an operation that computes it by operations that have rules."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        for func in overloads(" ".join(names)):
            RECORDS[func] = Record("written out", rule, takes_call=False)
        return rule

    return decorate


def overloads(names: str) -> Iterator[Any]:
    """The overloads with these names that do not write into their arguments.

    Names that this PyTorch does not have are passed over: releases drop operations for others.
    """
    for word in names.split():
        name, _, chosen = word.partition(".")
        packet = getattr(aten, name, None)
        if packet is None:
            MISSING.append(word)
            continue
        for overload in [chosen] if chosen else packet.overloads():
            func = getattr(packet, overload, None)
            if func is None:
                MISSING.append(word)
            elif not func._schema.is_mutable:
                yield func
