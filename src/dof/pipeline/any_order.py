"""Propagations of any order: the columns of symbols, or the factors of an operator one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from dof.jaxpr.trace_log import Log
from dof.jets import seed as jets
from dof.jets.interpreter import JetInterpreter
from dof.jets.nested import NestedReading, apply_nested, outputs_of
from dof.jets.readout import JetReading, common_span
from dof.operators.coordinates import Coordinates
from dof.operators.symbol_at import Symbol
from dof.options import Options
from dof.pipeline.columns_or_nesting import cheaper_way
from dof.pipeline.function_of_x import Call
from dof.pipeline.order_two import propagate_order_two
from dof.pipeline.propagated import Propagated
from dof.promotion import own_promotion

NESTED = ("by nesting",)
"""What stands for the columns of operators that are applied factor by factor."""


def propagate_any_order(call: Call, operators: Sequence[Any], options: Options, log: Log | None) -> Propagated:
    """One pass for operators of which at least one is of an order above two; arguments as of `propagate_operators`."""
    way = cheaper_way(call, operators, options)
    if way.symbols is None:
        return _propagate_nested(call, operators, options)._replace(why=way.why)
    return propagate_symbols(way.symbols, call, log)._replace(why=way.why)


def propagate_symbols(symbols: Sequence[Symbol], call: Call, log: Log | None = None) -> Propagated:
    """Propagate the columns of symbols through a function.

    Args:
        symbols: operators at the same x, of any order.
        call: the function with its arguments.
        log: where to write down what was done, if that is asked for.
    """
    x, span = call.x, common_span(symbols)
    readings = [JetReading(span, symbol) for symbol in symbols]
    read = frozenset[int]().union(*(reading.columns for reading in readings))
    jaxpr, tree = call.traced()
    with own_promotion():
        # Equations of f itself are at depth 0, as those of triples are.
        interpreter = JetInterpreter(span, log, depth=-1, of_results=read)
        outputs = interpreter(jaxpr, jets.seed(x, Coordinates.of(x), span))
    return Propagated(outputs, tree, len(span) - 1, readings, span.meanings())


def _propagate_nested(call: Call, operators: Sequence[Any], options: Options) -> Propagated:
    def apply(operator: Any, g: Callable[..., Any]) -> Callable[..., Any]:
        def applied(*args: Any, **kwargs: Any) -> Any:
            done = propagate_order_two(Call(g, args, kwargs, call.argnums), [operator], options)
            return done.each(done.readings[0].of)

        return applied

    value = call.f(*call.args, **call.kwargs)
    results = [apply_nested(apply, operator, call.f)(*call.args, **call.kwargs) for operator in operators]
    readings = [NestedReading(n) for n in range(len(operators))]
    return Propagated(outputs_of(value, results), jax.tree.structure(value), 0, readings, NESTED)
