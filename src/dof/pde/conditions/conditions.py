"""Conditions: Dirichlet, Neumann, Robin, periodic, initial value and velocity.

Each becomes a term of the loss. With `hard=True` it holds by construction instead (`trial.py`), and costs no term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.argument_checks import require_value
from dof.pde.conditions.loss_terms import LAWS, Term
from dof.pde.conditions.places import BOUNDARY, START, Setting, both_ends, place_of


@dataclass(frozen=True)
class Condition:
    """kind: what it says. value: g. on: where. field: of which unknown function; all of them by default."""

    kind: str
    value: Any = 0.0
    on: str = BOUNDARY
    field: str | None = None
    hard: bool = False
    factors: tuple[Any, Any] = (1.0, 0.0)
    """α and β of α u + β ∂u/∂n."""

    def term(self, setting: Setting) -> Term:
        """Here it meets the names and the domain that it is for, and is checked against them."""
        setting.require_field(self.field)
        for argument, value in {"g": self.value, "alpha": self.factors[0], "beta": self.factors[1]}.items():
            require_value(argument, value, setting, self.field, f"of `{self.name}` ")
        is_periodic, wants_normal = self.kind == "periodic", self.kind in ("neumann", "robin")
        place = both_ends(self.on, setting) if is_periodic else place_of(self.on, setting, wants_normal)
        return Term(self.name, *place, LAWS[self.kind](self, setting))

    @property
    def name(self) -> str:
        return " ".join(filter(None, [self.kind, self.field, "" if self.on in (BOUNDARY, START) else f"at {self.on}"]))


def dirichlet(g: Any = 0.0, *, on: str = BOUNDARY, field: str | None = None, hard: bool = False) -> Condition:
    """u = g, a number or a function of the coordinates. Hard: g is to be defined inside as well. on: "boundary", or
    where a coordinate has a value, as "x=0". field: one of several; by default all of them.

    >>> import jax.numpy as jnp
    >>> from dof import pde
    >>> flat, ends = pde.residual("x")(lambda u, x: u.xx), pde.dirichlet(lambda x: 1 + x, hard=True)
    >>> u = pde.Problem(flat, pde.Interval(0, 1), [ends]).trial(lambda features: features[0])  # of any network
    >>> print(u(jnp.array([1.0])))
    2.0
    """
    if hard and on != BOUNDARY:
        raise ArgumentError(describe("hard", f"is asked for on {on!r}", "the whole boundary", 'on="boundary"'))
    return Condition("dirichlet", g, on, field, hard)


def neumann(g: Any = 0.0, *, on: str = BOUNDARY, field: str | None = None) -> Condition:
    """∂u/∂n = g along the normal that points outwards.

    >>> from dof import pde
    >>> flat, ends = pde.residual("x")(lambda u, x: u.xx), [pde.dirichlet(0.0, on="x=0"), pde.neumann(1.0, on="x=1")]
    >>> [term.name for term in pde.Problem(flat, pde.Interval(0, 1), ends).terms()]
    ['equation', 'dirichlet at x=0', 'neumann at x=1']
    """
    return Condition("neumann", g, on, field, factors=(0.0, 1.0))


def robin(alpha: Any, beta: Any, g: Any = 0.0, *, on: str = BOUNDARY, field: str | None = None) -> Condition:
    """α u + β ∂u/∂n = g, each a number or a function of the coordinates.

    >>> from dof import pde
    >>> pde.robin(1.0, lambda x, t: 1 + t, on="x=1").name
    'robin at x=1'
    """
    if not any(callable(factor) or np.any(factor) for factor in (alpha, beta)):
        found, fix = f"is {beta!r}, as `alpha` is", "pde.robin(1.0, 1.0, g)"
        raise ArgumentError(describe("beta", found, "one of them that is not zero", fix))
    return Condition("robin", g, on, field, factors=(alpha, beta))


def periodic(coordinate: str, *, field: str | None = None, hard: bool = False) -> Condition:
    """u and its derivative are the same at both ends. Hard: the network is given the cosine and sine.

    >>> from dof import pde
    >>> drift = pde.residual("x t")(lambda u, x, t: u.t + u.x)
    >>> pde.Problem(drift, pde.Interval(0, 1) * pde.Time(0, 1), [pde.periodic("x", hard=True)]).feature_count
    3
    """
    return Condition("periodic", on=coordinate, field=field, hard=hard)


def initial(g: Any = 0.0, *, field: str | None = None, hard: bool = False) -> Condition:
    """u = g at the start of time.

    >>> from dof import pde
    >>> heat, start = pde.residual("x t")(lambda u, x, t: u.t - u.xx), pde.initial(lambda x, t: x * (1 - x))
    >>> [term.name for term in pde.Problem(heat, pde.Interval(0, 1) * pde.Time(0, 1), [start]).terms()]
    ['equation', 'initial']
    """
    return Condition("initial", g, START, field, hard)


def initial_velocity(g: Any = 0.0, *, field: str | None = None, hard: bool = False) -> Condition:
    """∂u/∂t = g at the start of time. Hard: together with a hard `initial`.

    >>> import jax, jax.numpy as jnp
    >>> from dof import pde
    >>> wave, g = pde.residual("x t")(lambda u, x, t: u.tt - u.xx), lambda x, t: x**2
    >>> start = [pde.initial(g, hard=True), pde.initial_velocity(3.0, hard=True)]
    >>> u = pde.Problem(wave, pde.Interval(0, 1) * pde.Time(0, 1), start).trial(lambda features: features[0])
    >>> print(jax.grad(u)(jnp.array([0.5, 0.0])))
    [1. 3.]
    """
    return Condition("initial velocity", g, START, field, hard)
