"""Where every propagation starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dof.arguments import Argnums
from dof.jaxpr.trace_log import Log
from dof.operators.higher_order import HigherOrder
from dof.options import DEFAULT, Options
from dof.pipeline.any_order import propagate_any_order
from dof.pipeline.order_two import propagate_order_two
from dof.pipeline.prepare import HasCoefficients
from dof.pipeline.propagated import Propagated


def propagate_operators(
    f: Callable[..., Any],
    operators: Sequence[HasCoefficients | HigherOrder],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Prepare and propagate: one pass through f(*args, **kwargs) for all operators.

    Args:
        f: the function.
        operators: the operators.
        argnums: which argument(s) of f are x.
        args: positional arguments of f.
        kwargs: keyword arguments of f.
        options: how the work is done.
        wants_tangents: whether the tangents of the results are asked for.
        log: where to write down what was done, if that is asked for.
    """
    if any(isinstance(operator, HigherOrder) for operator in operators):
        return propagate_any_order(f, operators, argnums, args, kwargs, options, log)
    order_two: Sequence[Any] = operators
    return propagate_order_two(f, order_two, argnums, args, kwargs, options, wants_tangents, log)
