"""One run of f on triples: the form that sums its directions, the log, and what is refused while it lasts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import torch

from dof.torch import torch_compat

_numbers = itertools.count()


class NeedsGraph(BaseException):  # so that `except Exception` in f lets it pass
    """f takes gradients of triples, of which rules that are called before autograd keep no graph."""


class NeedsNesting(BaseException):  # likewise
    """An operator of an order above two cannot be applied by one propagation; the argument says why."""


@dataclass
class Propagation:
    """What all triples of one run of f have in common.

    Attributes:
        form: how operators sum over directions; for an order above two, the span of their columns.
        log: steps for `dof.torch.explain`; None if nobody asks for them.
        keeps_graph: whether f takes gradients of triples itself, so that all operations must pass through autograd.
        number: later runs have larger numbers, so that a run inside of another is told apart from it.
    """

    form: Any
    log: list[Any] | None = None
    number: int = field(default_factory=lambda: next(_numbers))
    needs_gradients: bool = field(default_factory=torch.is_grad_enabled)
    has_forward_mode: bool = field(default_factory=torch_compat.forward_mode_is_enabled)
    keeps_graph: bool = False

    def lost_gradients(self) -> str | None:
        """Why gradients or derivatives would be lost at this place of f; None if they are not."""
        if self.has_forward_mode and not torch_compat.forward_mode_is_enabled():
            return "inside of a torch.autograd.Function, whose own derivative dof does not know, or in inference mode"
        if self.needs_gradients and not torch.is_grad_enabled():
            return "under torch.no_grad, where its gradients are lost"
        return None
