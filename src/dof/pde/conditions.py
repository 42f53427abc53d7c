"""Conditions: Dirichlet, Neumann, Robin, periodic, initial value and velocity, data, and whatever a residual says.

Each becomes a term of the loss. With `hard=True` it holds by construction instead (`trial.py`), and costs no term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.places import BOUNDARY, START, Setting, points_on, uniforms
from dof.pde.residual import Residual
from dof.pde.term import LAWS, Net, Term


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
        setting.require_field(self.field)
        residual = LAWS[self.kind](self, setting)
        return Term(self.name, uniforms(self.on, setting), lambda unit: self.points(setting, unit), residual)

    def points(self, setting: Setting, unit: np.ndarray) -> tuple[np.ndarray, ...]:
        if self.kind != "periodic":
            return points_on(self.on, setting, unit)
        axis, ends = setting.place(self.on, "periodic"), []
        for bound in setting.domain.bounds:
            points = setting.domain.inside(unit)
            points[:, axis] = bound[axis]
            ends.append(points)
        return tuple(ends)

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


@dataclass(frozen=True)
class Stated:
    """A residual of the user's own, on a place."""

    residual: Residual
    on: str
    hard: bool = False

    def term(self, setting: Setting) -> Term:
        wants_normal = "n" in self.residual.parameter_names

        def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
            known = {name: v for name, v in parameters.items() if name in self.residual.parameter_names}
            return self.residual.at_point(net, z, known | ({"n": n} if wants_normal else {}), method)

        name = f"{self.residual.function.__name__} at {self.on}"
        return Term(name, uniforms(self.on, setting), lambda unit: points_on(self.on, setting, unit), residual)


def on(place: str, residual: Residual) -> Stated:
    """A residual that is to vanish on a place: "boundary", "start" or "x=0". It may take the normal as keyword `n`.

    >>> from dof import pde
    >>> radiates = pde.residual("x y")(lambda u, x, y, *, n: pde.grad(u) @ n + u**4)
    >>> pde.on("boundary", radiates).on
    'boundary'
    """
    return Stated(residual, place)


@dataclass(frozen=True)
class Data:
    """Measured values at points."""

    z: Any
    values: Any
    field: str | None = None
    hard: bool = False

    def term(self, setting: Setting) -> Term:
        setting.require_field(self.field)
        arrays = np.asarray(self.z, float), np.asarray(self.values, float)
        if arrays[0].ndim != 2 or arrays[0].shape[1] != setting.coordinates.count or len(arrays[0]) != len(arrays[1]):
            found = f"has points of shape {arrays[0].shape} and values of shape {arrays[1].shape}"
            expected = f"points of shape (n, {setting.coordinates.count}) and n values"
            raise ArgumentError(describe("data", found, expected, "pde.data(points, values)"))

        def residual(net: Net, parameters: Any, method: str, z: Any, value: Any) -> Any:
            return setting.of_field(self.field, net(z)) - value

        return Term("data", 0, lambda unit: arrays, residual, fixed=len(arrays[0]))


def data(points: Any, values: Any, *, field: str | None = None) -> Data:
    """u(points) = values, as measured: points (n, coordinates) and n values.

    >>> from dof import pde
    >>> flat, measured = pde.residual("x")(lambda u, x: u.xx), pde.data([[0.2], [0.7]], [0.1, 0.4])
    >>> [(term.name, term.fixed) for term in pde.Problem(flat, pde.Interval(0, 1), [measured]).terms()]
    [('equation', None), ('data', 2)]
    """
    return Data(points, values, field)
