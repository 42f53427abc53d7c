"""A whole problem: an equation, where it holds, its conditions, and, if it is known, its solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dof
from dof.errors import ArgumentError, describe
from dof.pde.argument_checks import parameters_of
from dof.pde.conditions.hard_conditions import features_of, trial
from dof.pde.conditions.loss_term import LossTerm, Net, in_real_numbers, with_distinct_names, with_point_factors
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.residual import Residual
from dof.pde.planning.plan import Plan
from dof.pde.planning.residual_terms import terms_at_point
from dof.pde.problem_checks import require_equation_and_domain, require_parts


@dataclass(frozen=True)
class Problem:
    """What `dof.solve` is given: an equation, where it holds, and what else must hold.

    Args:
        equation: A residual.
        domain: Over all coordinates of the equation, in their order.
        conditions: `pde.dirichlet(0.0)` and others.
        reference: The solution as a function of the coordinates, if it is known.
        unknowns: Numbers and arrays to be found together with the fields, by the names of the equation's keywords,
            with the values to start from.
        truth: What the unknowns are, if it is known.
        given: Functions of the coordinates by the names of the equation's keywords. They are computed once for each
            set of points and not in each step: sources that take long.
        features: What the network is given of a point, instead of its coordinates scaled to [−1, 1].
        ansatz: A function of the network's value and of the coordinates, which is u in place of the value itself.
        recipe: Settings that suit this problem (see `dof.solving.Settings`).
        network: What is trained if `dof.solve` is given no network; as it takes one. For a file of `dof solve` as well.

    Raises:
        ArgumentError: If the parts do not fit together. The equation's function is run once to see; nothing is trained.

    Examples:
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
    network: Any = None

    def __post_init__(self) -> None:
        """Refuse what cannot be solved, before training."""
        require_equation_and_domain(self.equation, self.domain)
        parameters = parameters_of(self.domain, self.equation.coordinates)
        object.__setattr__(self, "equation", self.equation.with_parameters(parameters))
        require_parts(self)

    @property
    def name(self) -> str:
        """The name of the equation's function."""
        return self.equation.name

    @property
    def named_domain(self) -> NamedDomain:
        """The domain with the names of its coordinates and fields."""
        equation = self.equation
        return NamedDomain(equation.coordinates, equation.fields, equation.is_single, self.domain)

    def terms(self) -> tuple[LossTerm, ...]:
        """The terms of the loss: the equation inside of the domain, and every condition that is not hard."""
        # The equation is first: `counts_of` and `balanced` rely on it.
        soft = [c.loss_term(self.named_domain) for c in self.conditions if not c.hard]
        terms = [with_point_factors(self._equation(), 1 + len(self.given)), *soft]
        return with_distinct_names(in_real_numbers(term, self.equation.fields) for term in terms)

    def _equation(self) -> LossTerm:
        known = lambda parameters, given: dict(parameters) | dict(zip(self.given, given, strict=True))  # noqa: E731

        def residual(net: Net, parameters: Any, method: str, z: Any, *given: Any) -> Any:
            leaves = jax.tree.leaves(self.equation.at_point(net, z, known(parameters, given), method))
            return jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])

        def parts(net: Net, parameters: Any, z: Any, *given: Any) -> Any:
            return terms_at_point(self.equation, net, z, known(parameters, given))

        points = lambda unit: self.points_and_given(self.domain.collocation(unit))  # noqa: E731
        return LossTerm("equation", self.domain.uniforms, points, residual, parts=parts)

    def points_and_given(self, points: np.ndarray) -> tuple[np.ndarray, ...]:
        """The points, and the values of `given` there."""
        named = self.named_domain
        each = lambda function: dof.batched(lambda z: named.given(function, z))  # noqa: E731
        # NumPy arrays, as points are: they reach the compiled step as arguments and are not computed in it.
        return points, *(np.asarray(each(function)(points)) for function in self.given.values())

    @property
    def plan(self) -> Plan:
        """What is propagated for the equation in one step of training."""
        point = (self.domain.bounds[0] + self.domain.bounds[1]) / 2
        given = {name: self.named_domain.given(function, point) for name, function in self.given.items()}
        found: list[Plan] = []
        # Unknowns are traced in training: a plan that knew their numbers could be another one.
        jax.eval_shape(lambda traced: found.append(self.equation.plan_with(traced | given)), self.unknowns)
        return found[0]

    def trial(self, net: Net) -> Net:
        """The unknown functions made of a network, so that the hard conditions hold."""
        return self._trial(net)

    @cached_property
    def _trial(self) -> Callable[[Net], Net]:
        # Once: which part of the boundary a hard condition holds on is found by looking at points of it.
        return trial(self.conditions, self.named_domain, self.features, self.ansatz)

    @property
    def feature_count(self) -> int:
        """How many numbers the network is given of a point."""
        own = self.features or features_of([c for c in self.conditions if c.hard], self.named_domain)
        return jax.eval_shape(own, np.zeros(self.domain.size)).shape[0]

    def exact(self, z: Any) -> Any:
        """The reference at one point, as the numbers of a network."""
        parts, shape = self.named_domain.given(self.reference, z), self.named_domain.shape_of(None)
        leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(parts)]
        # Several fields may come as a tuple of parts, as (velocity, pressure); they are laid out one after the other.
        is_number = shape == () and len(leaves) == 1
        found = leaves[0] if is_number else jnp.concatenate([jnp.zeros(0), *map(jnp.ravel, leaves)])
        if found.shape != shape:
            expected = f"{shape}, for {self.equation.fields}"
            fix = f"reference=lambda {', '.join(self.equation.coordinates.names)}: ..."
            raise ArgumentError(describe("reference", f"has shape {found.shape}", expected, fix))
        return self.named_domain.numbers_of(found)
