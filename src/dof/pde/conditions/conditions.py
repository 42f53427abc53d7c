"""Conditions: Dirichlet, Neumann, Robin, periodic, initial value and velocity.

Each becomes a term of the loss. With `hard=True` it holds by construction instead (`hard_conditions.py`), and costs
no term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.argument_checks import require_value
from dof.pde.conditions.boundary_parts import BOUNDARY, text_of
from dof.pde.conditions.condition_residuals import CONDITION_RESIDUALS, flux_parts
from dof.pde.conditions.loss_term import LossTerm, positive_weight
from dof.pde.conditions.places import START, both_ends, place_of, require_boundary
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.names import space_axes


@dataclass(frozen=True)
class Condition:
    """One condition, before it meets the domain that it is for.

    Attributes:
        kind: What it says, as "dirichlet"; a key of `CONDITION_RESIDUALS`.
        value: g, a number or a function of the coordinates.
        on: Where it holds; of a periodic condition, the coordinate.
        field: The unknown function that it is about; all of them by default.
        hard: Whether it holds by construction.
        factors: α and β of α u + β ∂u/∂n = g.
        weight: A factor of its loss.
    """

    kind: str
    value: Any = 0.0
    on: Any = BOUNDARY
    field: str | None = None
    hard: bool = False
    factors: tuple[Any, Any] = (1.0, 0.0)
    weight: float = 1.0

    def loss_term(self, named: NamedDomain) -> LossTerm:
        """The term of the loss on a domain; refuses fields, shapes and places that the domain does not have."""
        named.require_field(self.field)
        has_slope = self.kind in ("neumann", "robin")
        normal = np.zeros(len(space_axes(named.coordinates))) if has_slope else None
        for argument, value in {"g": self.value, "alpha": self.factors[0], "beta": self.factors[1]}.items():
            require_value(argument, value, named, self.field, f"of `{self.name}` ", normal)
        if self.kind in ("dirichlet", "neumann", "robin"):
            require_boundary(self.on, named)
        # Only these two read the normal, and refuse places that have none.
        place = both_ends(self.on, named) if self.kind == "periodic" else place_of(self.on, named, has_slope)
        residual = CONDITION_RESIDUALS[self.kind](self, named)
        parts = flux_parts(self, named) if self.kind == "robin" else None
        return LossTerm(self.name, *place, residual, parts=parts, weight=positive_weight(self.weight))

    @property
    def name(self) -> str:
        """Kind, field and place, as "dirichlet u at x=0"."""
        place = "" if isinstance(self.on, str) and self.on in (BOUNDARY, START) else f"at {text_of(self.on)}"
        return " ".join(filter(None, [self.kind, self.field, place]))


def dirichlet(
    g: Any = 0.0, *, on: Any = BOUNDARY, field: str | None = None, hard: bool = False, weight: float = 1.0
) -> Condition:
    """The condition u = g on the boundary.

    Args:
        g: A number, or a function of the coordinates. If `hard`, it is evaluated inside of the domain as well.
        on: "boundary", an end of a coordinate, as "x=0", the name of a part of the boundary, a predicate of the
            coordinates, as `lambda x, y: y > 0`, or a list of these.
        field: One of several unknown functions; by default all of them.
        hard: Whether the condition holds by construction, on the whole boundary or on whole pieces of it.
        weight: A factor of its loss, where it is no hard condition.

    Examples:
        >>> import jax.numpy as jnp
        >>> from dof import pde
        >>> flat, ends = pde.residual("x")(lambda u, x: u.xx), pde.dirichlet(lambda x: 1 + x, hard=True)
        >>> u = pde.Problem(flat, pde.Interval(0, 1), [ends]).trial(lambda features: features[0])  # of any network
        >>> print(u(jnp.array([1.0])))
        2.0
    """
    return Condition("dirichlet", g, on, field, hard, weight=weight)


def neumann(
    g: Any = 0.0, *, on: Any = BOUNDARY, field: str | None = None, hard: bool = False, weight: float = 1.0
) -> Condition:
    """The condition ∂u/∂n = g along the outward normal.

    Args:
        g: A number, or a function of the coordinates, which may take the outward normal as keyword `n`, as
            `lambda x, y, *, n: n @ flux(x, y)`.
        on: "boundary", an end of a coordinate, as "x=0", the name of a part of the boundary, a predicate of the
            coordinates, as `lambda x, y: y > 0`, or a list of these.
        field: One of several unknown functions; by default all of them.
        hard: Not possible: what holds by construction are values, not slopes.
        weight: A factor of its loss.

    Examples:
        >>> from dof import pde
        >>> flat = pde.residual("x")(lambda u, x: u.xx)
        >>> ends = [pde.dirichlet(0.0, on="x=0"), pde.neumann(1.0, on="x=1")]
        >>> [term.name for term in pde.Problem(flat, pde.Interval(0, 1), ends).terms()]
        ['equation', 'dirichlet at x=0', 'neumann at x=1']
    """
    _require_soft(hard, "neumann", "pde.neumann(g)")
    return Condition("neumann", g, on, field, factors=(0.0, 1.0), weight=weight)


def robin(
    alpha: Any,
    beta: Any,
    g: Any = 0.0,
    *,
    on: Any = BOUNDARY,
    field: str | None = None,
    hard: bool = False,
    weight: float = 1.0,
) -> Condition:
    """The condition α u + β ∂u/∂n = g along the outward normal.

    Args:
        alpha: The factor of u; this, `beta` and `g` are numbers or functions of the coordinates.
        beta: The factor of ∂u/∂n.
        g: The right-hand side.
        on: "boundary", an end of a coordinate, as "x=0", the name of a part of the boundary, a predicate of the
            coordinates, as `lambda x, y: y > 0`, or a list of these.
        field: One of several unknown functions; by default all of them.
        hard: Not possible: what holds by construction are values, not slopes.
        weight: A factor of its loss.

    Examples:
        >>> from dof import pde
        >>> pde.robin(1.0, lambda x, t: 1 + t, on="x=1").name
        'robin at x=1'
    """
    _require_soft(hard, "robin", "pde.robin(alpha, beta, g)")
    if not any(callable(factor) or np.any(factor) for factor in (alpha, beta)):
        found, fix = f"is {shown(beta)}, as `alpha` is", "pde.robin(1.0, 1.0, g)"
        raise ArgumentError(describe("beta", found, "one of them that is not zero", fix))
    return Condition("robin", g, on, field, factors=(alpha, beta), weight=weight)


def _require_soft(hard: bool, kind: str, fix: str) -> None:
    if hard:
        found = f"is asked for of `{kind}`, a condition on a slope"
        expected = "a Dirichlet, periodic or initial condition, which can hold by construction"
        raise ArgumentError(describe("hard", found, expected, f"{fix}, which is a term of the loss"))


def periodic(coordinate: str, *, field: str | None = None, hard: bool = False, weight: float = 1.0) -> Condition:
    """The condition that u and its derivative in a coordinate are the same at both ends of it.

    Args:
        coordinate: A single coordinate, as "x" or "x[0]".
        field: One of several unknown functions; by default all of them.
        hard: Whether it holds by construction: the network gets the cosine and the sine of the coordinate.
        weight: A factor of its loss, where it is no hard condition.

    Examples:
        >>> from dof import pde
        >>> drift = pde.residual("x t")(lambda u, x, t: u.t + u.x)
        >>> pde.Problem(drift, pde.Interval(0, 1) * pde.Time(0, 1), [pde.periodic("x", hard=True)]).feature_count
        3
    """
    return Condition("periodic", on=coordinate, field=field, hard=hard, weight=weight)


def initial(g: Any = 0.0, *, field: str | None = None, hard: bool = False, weight: float = 1.0) -> Condition:
    """The condition u = g at the start of time.

    Args:
        g: A number, or a function of the coordinates.
        field: One of several unknown functions; by default all of them.
        hard: Whether it holds by construction.
        weight: A factor of its loss, where it is no hard condition.

    Examples:
        >>> from dof import pde
        >>> heat, start = pde.residual("x t")(lambda u, x, t: u.t - u.xx), pde.initial(lambda x, t: x * (1 - x))
        >>> [term.name for term in pde.Problem(heat, pde.Interval(0, 1) * pde.Time(0, 1), [start]).terms()]
        ['equation', 'initial']
    """
    return Condition("initial", g, START, field, hard, weight=weight)


def initial_velocity(g: Any = 0.0, *, field: str | None = None, hard: bool = False, weight: float = 1.0) -> Condition:
    """The condition ∂u/∂t = g at the start of time.

    Args:
        g: A number, or a function of the coordinates.
        field: One of several unknown functions; by default all of them.
        hard: Whether it holds by construction, together with a hard `initial`.
        weight: A factor of its loss, where it is no hard condition.

    Examples:
        >>> import jax, jax.numpy as jnp
        >>> from dof import pde
        >>> wave, g = pde.residual("x t")(lambda u, x, t: u.tt - u.xx), lambda x, t: x**2
        >>> start = [pde.initial(g, hard=True), pde.initial_velocity(3.0, hard=True)]
        >>> u = pde.Problem(wave, pde.Interval(0, 1) * pde.Time(0, 1), start).trial(lambda features: features[0])
        >>> print(jax.grad(u)(jnp.array([0.5, 0.0])))
        [1. 3.]
    """
    return Condition("initial velocity", g, START, field, hard, weight=weight)
