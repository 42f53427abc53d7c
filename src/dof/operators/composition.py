"""L₁ L₂ for operators of first order: an operator of second order.

a = b₁ b₂ᵀ (symmetric part),   b = (b₁·∇) b₂ + c₂ b₁ + c₁ b₂,   c = b₁·∇c₂ + c₁ c₂
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.operators.coordinates import Coordinates
from dof.operators.terms import Term, times, total
from dof.operators.user_matrices import Factored
from dof.promotion import own_promotion

Terms = tuple[Term, ...]


def composed_terms(first: Any, second: Any) -> tuple[Terms, Terms, Terms]:
    """The terms of a, b and c of the composition of two operators without a second-order part, as functions of x."""
    a = (Term(ComposedCoefficient(first, second, _second_order)),) if first.b and second.b else ()
    b = (Term(ComposedCoefficient(first, second, _first_order)),) if first.b or second.b else ()
    c = (Term(ComposedCoefficient(first, second, _zeroth_order)),) if second.c else ()
    return a, b, c


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class ComposedCoefficient:
    """A coefficient of the composition as a function of x; as a pytree, the two operators are data."""

    first: Any
    second: Any
    part: Callable[..., Any] = field(metadata={"static": True})

    def __call__(self, x: Any) -> Any:
        """The coefficient at x."""
        return self.part(self.first, self.second, x)


def _second_order(first: Any, second: Any, x: Any) -> Any:
    """A = ½ (b₁ b₂ᵀ + b₂ b₁ᵀ) = p pᵀ − m mᵀ with p = (b₁ + b₂) / 2 and m = (b₁ − b₂) / 2."""
    one, two = _b_at(first, x), _b_at(second, x)
    if jnp.iscomplexobj(one) or jnp.iscomplexobj(two):
        return one[:, None] * two  # directions are real, so this A has no such factor
    if is_known(one, two):
        # The square of one derivative has m = 0, and one direction instead of two.
        return Factored(one[None]) if (one == two).all() else Factored(np.stack([one + two, one - two]) / 2, (1, -1))
    with own_promotion():
        return Factored(jnp.stack([one + two, one - two]) / 2, (1, -1))


def _first_order(first: Any, second: Any, x: Any) -> Any:
    terms = [_derivative_along_b(first, x, lambda x: _b_at(second, x))] if any(t.varies for t in second.b) else []
    terms += [times(_c_at(second, x), _b_at(first, x))] if first.b and second.c else []
    terms += [times(_c_at(first, x), _b_at(second, x))] if second.b and first.c else []
    found = total(terms)
    return np.zeros(Coordinates.of(x).size) if found is None else found


def _zeroth_order(first: Any, second: Any, x: Any) -> Any:
    terms = [_derivative_along_b(first, x, lambda x: _c_at(second, x))] if any(t.varies for t in second.c) else []
    terms += [times(_c_at(first, x), _c_at(second, x))] if first.c and second.c else []
    found = total(terms)
    return np.zeros(()) if found is None else found


def _b_at(operator: Any, x: Any) -> Any:
    return operator.at(x, Coordinates.of(x)).b


def _c_at(operator: Any, x: Any) -> Any:
    return operator.at(x, Coordinates.of(x)).c


def _derivative_along_b(operator: Any, x: Any, g: Callable[[Any], Any]) -> Any:
    """(b·∇) g at x, with the b of an operator."""

    def along(b: Any) -> Any:
        return jax.jvp(lambda x: jnp.asarray(g(x)), (x,), (Coordinates.of(x).point(b),))[1]

    if not operator.b:
        return np.zeros(np.shape(g(x)))
    b = _b_at(operator, x)
    # A tangent has the dtype of x: a complex b would lose its imaginary part.
    return along(b.real) + 1j * along(b.imag) if jnp.iscomplexobj(b) else along(b)
