"""Sends operators to the way of their order: two, or any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dof.jaxpr.trace_log import Log
from dof.operators.higher_order import HigherOrder
from dof.options import DEFAULT, Options
from dof.pipeline.any_order import propagate_any_order
from dof.pipeline.function_of_x import Call
from dof.pipeline.order_two import propagate_order_two
from dof.pipeline.prepare import HasCoefficients
from dof.pipeline.propagated import Propagated


def propagate_operators(
    call: Call,
    operators: Sequence[HasCoefficients | HigherOrder],
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Prepare and propagate: one pass through a function for all operators.

    Args:
        call: the function with its arguments.
        operators: the operators.
        options: how the work is done.
        wants_tangents: whether the tangents of the results are asked for.
        log: where to write down what was done, if that is asked for.
    """
    if any(isinstance(operator, HigherOrder) for operator in operators):
        return propagate_any_order(call, operators, options, log)
    order_two: Sequence[Any] = operators
    return propagate_order_two(call, order_two, options, wants_tangents, log)
