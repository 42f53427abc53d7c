"""A term of the loss: residuals at points that fill a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.notation.names import Names

Net = Callable[[Any], Any]
"""The unknown functions at one point, (coordinates,) → the values of all fields."""


@dataclass(frozen=True)
class LossTerm:
    """What is squared and averaged over points: of the equation, or of one condition.

    Attributes:
        name: Under which its loss is reported.
        uniforms: How many uniform numbers make a point.
        points: From uniform numbers (n, uniforms) to arrays over n points.
        residual: `residual(net, parameters, method, *arrays of one point)`, numbers that are to be zero.
        fixed: How many points there are if they are given, as those of measured data; else None.
        parts: `parts(net, parameters, *arrays of one point)`, what the residual is a sum of, (parts, components), to
            measure it by; None where the network's value or one derivative is all of it but the given g.
        weight: A factor of its loss, chosen by hand; the terms balance themselves before it.
    """

    name: str
    uniforms: int
    points: Callable[[np.ndarray], tuple[np.ndarray, ...]]
    residual: Callable[..., Any]
    fixed: int | None = None
    parts: Callable[..., Any] | None = None
    weight: float = 1.0


def with_distinct_names(terms: Iterable[LossTerm]) -> tuple[LossTerm, ...]:
    """The terms, with numbers behind names that are taken: dirichlet, dirichlet 2, … Losses are reported by name."""
    found: dict[str, LossTerm] = {}
    for term in terms:
        # Looked up one by one: a residual of the user's may be called "dirichlet 2" already.
        names = chain([term.name], (f"{term.name} {n}" for n in count(2)))
        name = next(name for name in names if name not in found)
        found[name] = replace(term, name=name)
    return tuple(found.values())


def in_real_numbers(term: LossTerm, fields: Names) -> LossTerm:
    """The term with real and imaginary parts of residuals that are complex: the loss is a sum of squares.

    Where no field is complex they are refused: a real field would have two equations where one was written.
    """

    def residual(*arguments: Any) -> Any:
        found = term.residual(*arguments)
        if not fields.complexes and any(map(jnp.iscomplexobj, jax.tree.leaves(found))):
            fix = f'fields="{fields.names[0]}: complex" in pde.residual, or return (r.real, r.imag) for two equations'
            raise ArgumentError(describe(term.name, "has complex values", "real ones, as the fields have", fix))
        both = lambda leaf: jnp.stack([leaf.real, leaf.imag]) if jnp.iscomplexobj(leaf) else leaf  # noqa: E731
        return jax.tree.map(both, found)

    return replace(term, residual=residual)


def with_point_factors(term: LossTerm, arrays: int) -> LossTerm:
    """The term, whose residual is multiplied by what is given for a point beyond its own arrays."""

    def residual(net: Net, parameters: Any, method: str, *given: Any) -> Any:
        found = term.residual(net, parameters, method, *given[:arrays])
        return found * given[arrays] if len(given) > arrays else found

    return replace(term, residual=residual)


def positive_weight(weight: Any) -> float:
    """The factor that the user gave a term; refuses what is no positive number."""
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < float("inf"):
        raise ArgumentError(
            describe("weight", f"is {shown(weight)}", "a positive number", "pde.dirichlet(0.0, weight=10.0)")
        )
    return float(weight)
