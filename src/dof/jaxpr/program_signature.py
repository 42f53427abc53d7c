"""Tells whether two programs are the same, whatever their variables are called and wherever they run."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Any

from dof.jax_compat import Closed, JaxprEqn, Literal, parts

DEVICE_MARKS = ("pvary", "pcast")
"""Equations that only mark a value as different on each device of a mesh."""


def needs_devices(eqn: JaxprEqn) -> bool:
    """Whether an equation can only be evaluated where its program runs: marks of devices, collectives, side effects."""
    return bool(eqn.effects) or eqn.primitive.name in DEVICE_MARKS


def signature(jaxpr: Closed) -> Hashable:
    """Equal for programs with the same equations, wired in the same way, on values of the same types.

    Names of variables, marks of devices and meshes do not count, so that a function has the same signature inside of
    `shard_map` as outside.
    """
    program, _ = parts(jaxpr)
    counter = count()
    numbers: dict[Any, Any] = {v: next(counter) for v in (*program.constvars, *program.invars)}
    atom = lambda a: f"{a.val}:{_type(a)}" if isinstance(a, Literal) else numbers[a]  # noqa: E731
    equations = []
    for eqn in program.eqns:
        reads = tuple(map(atom, eqn.invars))
        if eqn.primitive.name in DEVICE_MARKS:
            # The marked value is the same value: whoever reads it reads what was marked.
            numbers.update(zip(eqn.outvars, reads, strict=True))
            continue
        numbers.update((v, next(counter)) for v in eqn.outvars)
        params = tuple((name, _parameter(value)) for name, value in sorted(eqn.params.items()))
        equations.append((eqn.primitive.name, reads, tuple(map(_type, eqn.outvars)), params))
    return (tuple(map(_type, program.invars)), tuple(equations), tuple(map(atom, program.outvars)))


def _type(variable: Any) -> str:
    return f"{getattr(variable.aval, 'dtype', '')}{getattr(variable.aval, 'shape', '')}"


def _parameter(value: Any) -> Hashable:
    if hasattr(parts(value)[0], "eqns"):
        return signature(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(_parameter, value))
    if value is None or hasattr(value, "axis_names") or hasattr(value, "mesh"):  # a mesh or a sharding
        return None
    # The text of a function has its address in it, which is another one at each trace.
    return type(value).__name__ if callable(value) else str(value)
