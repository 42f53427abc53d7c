"""What an equation costs for each direction, roughly, from its shapes alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dof.jax_compat import JaxprEqn, parts, program_of, shape_of
from dof.jaxpr.registry import WITHOUT_CURVATURE, family_of

MATRIX_PRODUCTS = ("dot_general", "conv_general_dilated")
TURNS = 10
"""What a loop whose length is not known is taken to run."""


class Work(NamedTuple):
    """Operations to push one direction through, and elements at which directions are summed in pairs."""

    pushing: float = 0
    curved: float = 0

    def __add__(self, other: Any) -> Work:
        return Work(self.pushing + other.pushing, self.curved + other.curved)

    def times(self, turns: int) -> Work:
        return Work(self.pushing * turns, self.curved * turns)

    def of(self, directions: int, is_coupled: bool) -> float:
        """The whole, if directions are summed each with itself, or each with each."""
        return float(directions * (self.pushing + self.curved * (directions if is_coupled else 1)))


def size_of(variable: Any) -> int:
    return int(np.prod(shape_of(variable), dtype=int))


def work(eqn: JaxprEqn, is_linear: bool) -> Work:
    name = eqn.primitive.name
    if name in ("scan", "while", "cond") or "jaxpr" in eqn.params or "call_jaxpr" in eqn.params:
        return _of_inner(name, eqn.params)
    results = sum(map(size_of, eqn.outvars))
    return Work(_operations(eqn, results), 0 if is_linear else results)


def _operations(eqn: JaxprEqn, results: int) -> float:
    operands = [size_of(v) for v in eqn.invars]
    if eqn.primitive.name == "dot_general":
        contracted = eqn.params["dimension_numbers"][0][0]
        return 2 * results * float(np.prod([shape_of(eqn.invars[0])[a] for a in contracted]))
    if eqn.primitive.name == "conv_general_dilated":
        features = eqn.params["dimension_numbers"].rhs_spec[0]
        return 2 * results * operands[1] / max(shape_of(eqn.invars[1])[features], 1)
    return float(results + max(operands, default=0))


def _of_inner(name: str, params: dict[str, Any]) -> Work:
    if name == "scan":
        return _of_program(params["jaxpr"]).times(params["length"])
    if name == "while":
        return _of_program(params["body_jaxpr"]).times(TURNS)
    if name == "cond":
        return max(map(_of_program, params["branches"]))
    return _of_program(program_of(params))


def _of_program(jaxpr: Any) -> Work:
    """As if everything in it depended on x, but for one side of each matrix product."""
    return sum((work(eqn, _is_straight(eqn)) for eqn in parts(jaxpr)[0].eqns), Work())


def _is_straight(eqn: JaxprEqn) -> bool:
    return family_of(eqn.primitive) in WITHOUT_CURVATURE or eqn.primitive.name in MATRIX_PRODUCTS
