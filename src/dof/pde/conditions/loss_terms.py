"""A term of a loss: residuals at points; and what each kind of condition demands there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.places import Setting
from dof.pde.notation.names import space_of

Net = Callable[[Any], Any]


@dataclass(frozen=True)
class Term:
    """Residuals at points that fill a place.

    points: arrays over points, from uniform numbers (n, uniforms); fixed: there is just this many of them.
    residual(net, parameters, method, *arrays of one point): numbers that are to be zero.
    """

    name: str
    uniforms: int
    points: Callable[[np.ndarray], tuple[np.ndarray, ...]]
    residual: Callable[..., Any]
    fixed: int | None = None


def distinct(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Names that are taken get a number: dirichlet, dirichlet 2, … Losses are reported by them."""
    found: dict[str, Term] = {}
    for term in terms:
        names = chain([term.name], (f"{term.name} {n}" for n in count(2)))
        name = next(name for name in names if name not in found)
        found[name] = replace(term, name=name)
    return tuple(found.values())


def _value(condition: Any, setting: Setting) -> Callable[..., Any]:
    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        return setting.of_field(condition.field, net(z)) - jnp.asarray(setting.given(condition.value, z))

    return residual


def _flux(condition: Any, setting: Setting) -> Callable[..., Any]:
    """α u + β ∂u/∂n − g"""
    space = np.array(space_of(setting.coordinates))

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        both = jax.jvp(net, (z,), (jnp.zeros_like(z).at[space].set(n),))
        value, slope = (setting.of_field(condition.field, part) for part in both)
        alpha, beta, g = (jnp.asarray(setting.given(part, z)) for part in (*condition.factors, condition.value))
        return alpha * value + beta * slope - g

    return residual


def _velocity(condition: Any, setting: Setting) -> Callable[..., Any]:
    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        slope = jax.jvp(net, (z,), (jnp.zeros_like(z).at[setting.time].set(1.0),))[1]
        return setting.of_field(condition.field, slope) - jnp.asarray(setting.given(condition.value, z))

    return residual


def _same_at_both_ends(condition: Any, setting: Setting) -> Callable[..., Any]:
    axis = setting.axis(condition.on)

    def residual(net: Net, parameters: Any, method: str, low: Any, high: Any) -> Any:
        along = jnp.zeros_like(low).at[axis].set(1.0)
        ends = [jnp.stack(jax.jvp(net, (z,), (along,))) for z in (low, high)]
        return setting.of_field(condition.field, ends[0] - ends[1])

    return residual


LAWS: dict[str, Callable[[Any, Setting], Callable[..., Any]]] = {
    "dirichlet": _value,
    "initial": _value,
    "neumann": _flux,
    "robin": _flux,
    "initial velocity": _velocity,
    "periodic": _same_at_both_ends,
}
