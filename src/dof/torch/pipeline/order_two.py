"""Operators of order two: coefficients at x → directions and form → triple of x → f → readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from dof.torch.directions import seed_parts
from dof.torch.pipeline.propagated import Propagated
from dof.torch.pipeline.run_function import run_function
from dof.torch.propagation import Propagation
from dof.torch.readout import channels_of


def propagate_order_two(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None = None
) -> Propagated:
    """One pass for operators of order two, one or zero."""
    channels, readings = channels_of(operators, x)
    tangents, form, applied = seed_parts(channels, x)
    run = Propagation(form, log)
    return Propagated(run_function(f, x, tangents, applied, run), form.directions, readings, run)
