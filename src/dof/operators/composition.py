"""L₁ L₂ for operators of first order: one of second order.

a = b₁ b₂ᵀ (symmetric part),   b = (b₁·∇) b₂ + c₂ b₁ + c₁ b₂,   c = b₁·∇c₂ + c₁ c₂
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.operators.coordinates import Space
from dof.operators.matrices import Factored
from dof.operators.terms import Term, total

Terms = tuple[Term, ...]


def composed_terms(first: Any, second: Any) -> tuple[Terms, Terms, Terms]:
    """The terms of a, b and c of the composition; they are functions of x."""
    for operator in (first, second):
        if operator.a:
            found, fix = "has a second-order part", "L1(L2(f)) for the operator of higher order"
            raise ArgumentError(describe("@", found, "operators of first order on both sides", fix))
    a = (Term(Composed(first, second, _second_order)),) if first.b and second.b else ()
    b = (Term(Composed(first, second, _first_order)),) if first.b or second.b else ()
    c = (Term(Composed(first, second, _zeroth_order)),) if second.c else ()
    return a, b, c


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Composed:
    """A coefficient of the composition as a function of x. The operators are data, as in every other coefficient."""

    first: Any
    second: Any
    part: Callable[..., Any] = field(metadata={"static": True})

    def __call__(self, x: Any) -> Any:
        return self.part(self.first, self.second, x)


def _second_order(first: Any, second: Any, x: Any) -> Any:
    """b₁ b₂ᵀ + b₂ b₁ᵀ = ½ (b₁ + b₂)(b₁ + b₂)ᵀ − ½ (b₁ − b₂)(b₁ − b₂)ᵀ."""
    one, two = _drift(first, x), _drift(second, x)
    if jnp.iscomplexobj(one) or jnp.iscomplexobj(two):
        return one[:, None] * two  # directions are real, so this has no such factor
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return Factored(one[None]) if (one == two).all() else Factored(np.stack([one + two, one - two]) / 2, (1, -1))
    return Factored(jnp.stack([one + two, one - two]) / 2, (1, -1))


def _first_order(first: Any, second: Any, x: Any) -> Any:
    terms = [_along(first, x)(lambda x: _drift(second, x))] if any(t.varies for t in second.b) else []
    terms += [_potential(second, x) * _drift(first, x)] if first.b and second.c else []
    terms += [_potential(first, x) * _drift(second, x)] if second.b and first.c else []
    found = total(terms)
    return np.zeros(Space.of(x).size) if found is None else found


def _zeroth_order(first: Any, second: Any, x: Any) -> Any:
    terms = [_along(first, x)(lambda x: _potential(second, x))] if any(t.varies for t in second.c) else []
    terms += [_potential(first, x) * _potential(second, x)] if first.c and second.c else []
    found = total(terms)
    return np.zeros(()) if found is None else found


def _drift(operator: Any, x: Any) -> Any:
    return operator.at(x, Space.of(x)).b


def _potential(operator: Any, x: Any) -> Any:
    return operator.at(x, Space.of(x)).c


def _along(operator: Any, x: Any) -> Callable[[Callable[[Any], Any]], Any]:
    """g ↦ (b·∇) g at x."""

    def derivative(g: Callable[[Any], Any]) -> Any:
        if not operator.b:
            return np.zeros(np.shape(g(x)))
        drift = _drift(operator, x)
        if not jnp.iscomplexobj(drift):
            return along_real(g, drift)
        return along_real(g, drift.real) + 1j * along_real(g, drift.imag)

    def along_real(g: Callable[[Any], Any], drift: Any) -> Any:
        return jax.jvp(lambda x: jnp.asarray(g(x)), (x,), (Space.of(x).point(drift),))[1]

    return derivative
