"""A whole problem: an equation, where it holds, its conditions, and, if it is known, its solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dof
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.domains import Domain
from dof.pde.places import Setting
from dof.pde.plan import Plan
from dof.pde.residual import Residual
from dof.pde.term import Net, Term
from dof.pde.trial import features_of, trial


@dataclass(frozen=True)
class Problem:
    """What `dof.solve` is given.

    equation: a residual. domain: over all its coordinates, in their order. conditions: `pde.dirichlet(0.0)` and others.
    reference: the solution as a function of the coordinates, if it is known. unknowns: numbers and arrays to be found
    together with the fields, by the names of the equation's keywords, with the values to start from; `truth`: what they
    are, if it is known. given: functions of the coordinates by the names of the equation's keywords, which are computed
    once for each set of points and not in each step: sources that take long. features: what the network is given of a
    point instead of its coordinates, scaled to [−1, 1]. ansatz: a function of the network's value and of the
    coordinates, which is u in place of the value itself. recipe: settings that suit this problem (see `dof.solve`).

    >>> from dof import pde
    >>> @pde.residual("x t")
    ... def heat(u, x, t, *, k):
    ...     return u.t - k * u.xx
    >>> conditions = [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, t: x * (1 - x))]
    >>> problem = pde.Problem(heat, pde.Interval(0, 1) * pde.Time(0, 1), conditions, unknowns={"k": 1.0})
    >>> problem.name, [term.name for term in problem.terms()]
    ('heat', ['equation', 'initial'])
    """

    equation: Residual
    domain: Domain
    conditions: Sequence[Any] = ()
    reference: Callable[..., Any] | None = None
    unknowns: Mapping[str, Any] = field(default_factory=dict)
    truth: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    features: Callable[[Any], Any] | None = None
    ansatz: Callable[..., Any] | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.equation, Residual):
            found = f"is {self.equation!r}"
            raise ArgumentTypeError(describe("equation", found, "a residual", '@pde.residual("x t") above its def'))
        count = self.equation.coordinates.count
        if self.domain.size != count:
            found = f"has {self.domain.size} coordinates"
            expected = f"{count}, for {self.equation.coordinates}"
            raise ArgumentError(describe("domain", found, expected, "pde.Interval(0, 1) * pde.Time(0, 1)"))
        for argument in ("unknowns", "given"):
            self._require_keywords(argument, set(getattr(self, argument)))

    def _require_keywords(self, argument: str, names: set[str]) -> None:
        unknown = sorted(names - set(self.equation.parameter_names))
        if unknown:
            expected = f"keywords of `{self.name}`, which are {list(self.equation.parameter_names)}"
            raise ArgumentError(
                describe(argument, f"has {unknown}", expected, f"def {self.name}(u, x, *, {unknown[0]}):")
            )

    @property
    def name(self) -> str:
        """Of the equation's function."""
        return self.equation.function.__name__

    @property
    def setting(self) -> Setting:
        """What conditions are read with: the names of coordinates and fields, and the domain."""
        equation = self.equation
        return Setting(equation.coordinates, equation.fields, equation.is_single, self.domain)

    def terms(self) -> tuple[Term, ...]:
        """The equation inside, and every condition that is not hard."""
        return (self._equation(), *(c.term(self.setting) for c in self.conditions if not c.hard))

    def _equation(self) -> Term:
        def residual(net: Net, parameters: Any, method: str, z: Any, *given: Any) -> Any:
            known = dict(parameters) | dict(zip(self.given, given, strict=True))
            leaves = jax.tree.leaves(self.equation.at_point(net, z, known, method))
            return jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])

        return Term("equation", self.domain.uniforms, lambda unit: self._points(self.domain.inside(unit)), residual)

    def _points(self, points: np.ndarray) -> tuple[np.ndarray, ...]:
        """With what is given there."""
        setting = self.setting
        each = lambda function: dof.batched(lambda z: setting.given(function, z))  # noqa: E731
        return points, *(np.asarray(each(function)(points)) for function in self.given.values())

    @property
    def plan(self) -> Plan:
        """What is propagated for the equation."""
        point = (self.domain.bounds[0] + self.domain.bounds[1]) / 2
        given = {name: self.setting.given(function, point) for name, function in self.given.items()}
        return self.equation.plan_with({name: jnp.asarray(v) for name, v in self.unknowns.items()} | given)

    def trial(self, net: Net) -> Net:
        """u made of a network, so that the hard conditions hold."""
        return trial(self.conditions, self.setting, self.features, self.ansatz)(net)

    @property
    def feature_count(self) -> int:
        """How many numbers the network is given."""
        own = self.features or features_of([c for c in self.conditions if c.hard], self.setting)
        return jax.eval_shape(own, np.zeros(self.domain.size)).shape[0]

    def exact(self, z: Any) -> Any:
        """The reference at one point, in the shape that the network has."""
        parts = self.setting.given(self.reference, z)
        if self.setting.is_single:
            return jnp.asarray(parts)
        return jnp.concatenate([jnp.ravel(jnp.asarray(part)) for part in jax.tree.leaves(parts)])
