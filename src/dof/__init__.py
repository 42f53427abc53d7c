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

import importlib.util
from typing import Any

from dof.api.apply import jointly, propagate
from dof.api.check import check
from dof.api.explain import Explanation, explain
from dof.api.register_rule import register_rule
from dof.batching.batched import batched
from dof.batching.value_and_grad import value_and_grad
from dof.errors import ArgumentError, ArgumentTypeError, DofError, NotDifferentiableError
from dof.operators.matrices import BlockDiagonal, Factored
from dof.operators.operator import Operator, laplacian
from dof.triples.triple import Triple

__version__ = "0.1.0"

_LATER = {"pde": "scipy", "zoo": "scipy", "solving": "optax", "solve": "optax"}
"""What is imported when it is asked for, and a package that it needs."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'dof' has no attribute {name!r}")
    try:
        module = importlib.import_module("dof.solving" if name == "solve" else f"dof.{name}")
    except ModuleNotFoundError as error:
        raise ImportError(f'`dof.{name}` needs {error.name}.\n  Fix: pip install "dof[solve]"') from None
    return module.solve if name == "solve" else module


def __dir__() -> list[str]:
    """With what can be asked for: so it is completed."""
    return sorted({*globals(), *(name for name, package in _LATER.items() if importlib.util.find_spec(package))})


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
