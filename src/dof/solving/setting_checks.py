"""Checks of settings: the type of each value, and its range."""

from __future__ import annotations

from dataclasses import fields
from types import NoneType
from typing import Any

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.notation.residual import METHODS as RESIDUAL_METHODS
from dof.solving.networks import ACTIVATIONS

SECOND = ("auto", "gauss-newton", "stochastic-gauss-newton", "lbfgs")
"""Optimisers that can follow Adam; "auto" is one of the next two, by what a step takes."""
METHODS = tuple(RESIDUAL_METHODS)
"""How derivatives of equations are computed: "dof" or "hessian"."""
POSITIVE = ("width", "windows", "points", "edge_points", "report", "error_points", "rate")
NOT_NEGATIVE = ("adam", "newton", "seed", "depth", "tolerance", "patience", "causal", "residual_gradient")

MOST = {"depth": 1000, "windows": 100_000, "seed": 2**63 - 1}
"""The largest layers and windows, more than anybody waits for, and the largest seed that JAX takes."""
MOST_OF_OTHERS = 10**12
"""Any other number is at most that: larger ones have no room in memory, nor in the numbers that it is counted by."""


def require_types(settings: Any) -> None:
    """Refuse a value that is not of the type in the annotation of its field; True and False are no numbers here."""
    types = {"str": str, "int": int, "int | None": (int, NoneType), "float": (int, float)}
    types |= {"bool": bool, "bool | str": (bool, str)}
    for f in fields(settings):
        # `f.type` is text, as annotations are postponed where settings are defined.
        kind, value = str(f.type), getattr(settings, f.name)
        if not isinstance(value, types[kind]) or (isinstance(value, bool) and "bool" not in kind):
            raise ArgumentTypeError(
                describe(f.name, f"is {shown(value)}", f"of type {kind}", f"{f.name}={f.default!r}")
            )


def require_in_range(settings: Any) -> None:
    """Refuse numbers that are too small and names that there are not."""
    for name in POSITIVE:
        value = getattr(settings, name)
        _require(value is None or value > 0, name, value, "a positive number", f"{name}=100")
    for name in NOT_NEGATIVE:
        _require(getattr(settings, name) >= 0, name, getattr(settings, name), "zero or more", f"{name}=0")
    for name in (*POSITIVE, *NOT_NEGATIVE):
        value, most = getattr(settings, name), MOST.get(name, MOST_OF_OTHERS)
        _require(value is None or value <= most, name, value, f"at most {most:,}", f"{name}={most:_}")
    _require(settings.adam + settings.newton > 0, "newton", 0, "some steps of it or of `adam`", "newton=100")
    adaptive = settings.adaptive
    _require(adaptive in (True, False, "auto"), "adaptive", adaptive, 'True, False or "auto"', "adaptive=True")
    known = {"optimiser": SECOND, "activation": tuple(ACTIVATIONS), "method": METHODS}
    for name, names in known.items():
        value = getattr(settings, name)
        _require(value in names, name, value, f"one of {names}", f"{name}={names[-1]!r}")


def _require(holds: bool, name: str, value: Any, expected: str, fix: str) -> None:
    if not holds:
        raise ArgumentError(describe(name, f"is {shown(value)}", expected, fix))
