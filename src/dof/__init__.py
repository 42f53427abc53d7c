"""Exact second-order differential operators of neural networks, by one forward propagation.

Reading order: operator (what the user says); matrices, terms, coefficients (its parts, and what they are at x); factor,
directions, share (A = Lᵀ Q L); propagate (the whole path on one screen); triple, form, coupling (what is carried, and
how it is summed); program, graph, work, network, cut, stages, exchange (the program in parts, with narrow cuts between
them); walk (over a part), rules (one file per family of primitives); tangents, rows, structure, flow, positions, spread
(only the directions a value depends on); readout, apply (the results); record, explain (what was done); blocks, chunk,
batching, value_and_grad, devices, groups (many points, many directions).

Above it: pde (residuals as on paper, domains, conditions), zoo (problems), solving (training), runs (folders and
reports), bench (measurements), cli (the command `dof`).
"""

from typing import Any

from dof.apply import jointly, propagate
from dof.batching import batched
from dof.check import check
from dof.errors import ArgumentError, ArgumentTypeError, DofError, NotDifferentiableError
from dof.explain import Explanation, explain
from dof.matrices import BlockDiagonal, Factored
from dof.operator import Operator, laplacian
from dof.register_rule import register_rule
from dof.triple import Triple
from dof.value_and_grad import value_and_grad

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`dof.solve`, which needs more packages than the rest, is imported when it is asked for."""
    if name == "solve":
        try:
            from dof.solving import solve
        except ModuleNotFoundError as error:
            raise ImportError(f'`dof.solve` needs {error.name}.\n  Fix: pip install "dof[solve]"') from error
        return solve
    raise AttributeError(f"module 'dof' has no attribute {name!r}")


__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BlockDiagonal",
    "DofError",
    "Explanation",
    "Factored",
    "NotDifferentiableError",
    "Operator",
    "Triple",
    "batched",
    "check",
    "explain",
    "jointly",
    "laplacian",
    "propagate",
    "register_rule",
    "value_and_grad",
]
