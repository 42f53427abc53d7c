"""`@pde.residual("x t")`: a residual as on paper, evaluated by one propagation through the network."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import update_wrapper
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.frameworks import refuse_torch
from dof.pde.notation.at_points import at_points
from dof.pde.notation.derivatives import Derivative
from dof.pde.notation.divergence import run_with_divergences
from dof.pde.notation.field import Field, NetworkReader
from dof.pde.notation.mistakes import told_in_words
from dof.pde.notation.names import Names, field_names, function_name, read_names, space_axes
from dof.pde.planning.evaluate import by_propagation, plan_of
from dof.pde.planning.evaluate_nested import by_hessian
from dof.pde.planning.plan import Plan

METHODS = {"dof": by_propagation, "hessian": by_hessian}


def residual(coordinates: str, fields: str | None = None) -> Callable[[Callable[..., Any]], Residual]:
    """Decorate a function of fields, coordinates and keyword parameters, which returns a residual or a tuple of them.

    Args:
        coordinates: Their names, as "x y t", or "x[100] t" where x has 100 components.
        fields: The names of the unknown functions, as "u[2] p"; by default one, without components.

    Returns:
        A decorator that makes a `Residual` of a function.

    Examples:
        >>> import jax.numpy as jnp
        >>> from dof import pde
        >>> @pde.residual("x t")
        ... def heat(u, x, t, *, k=1.0):
        ...     return u.t - k * u.xx
        >>> net = lambda z: jnp.exp(-z[1]) * jnp.sin(z[0])  # of the vector (x, t)
        >>> print(jnp.abs(heat(net)(jnp.ones((5, 2)))).max() < 1e-6)
        True
        >>> print(heat.plan)
        1 direction, 1 channel (2 derivatives merged): the cost of 3 forward passes
    """
    # Here and not in the decorator: `@pde.residual` without names has the function for them.
    names = read_names(coordinates, "coordinates")
    return lambda function: Residual(function, names, fields)


class Residual:
    """What `@pde.residual` makes of a function.

    Called with a network, and with keywords of the function, it is a function of points.

    Args:
        function: Of fields, coordinates and keyword parameters.
        coordinates: Their names.
        fields: The names of the unknown functions; None for a single one without components.

    Raises:
        ArgumentError: If the positional arguments of the function are not the fields and the coordinates.

    Examples:
        >>> from dof import pde
        >>> @pde.residual("x y")
        ... def poisson(u, x, y, *, f=0.0):
        ...     return u.laplacian - f
        >>> u = lambda z: z[0] ** 2 + z[0] * z[1]
        >>> print(poisson(u)([1.0, 3.0]), poisson(u, f=2.0)([[1.0, 3.0], [0.0, 1.0]]))
        2.0 [0. 0.]
        >>> print(poisson.by_hessian(u)([1.0, 3.0]))
        2.0
    """

    def __init__(self, function: Callable[..., Any], coordinates: Names, fields: str | None) -> None:
        update_wrapper(self, function)
        self.function, self.coordinates, self.name = function, coordinates, function_name(function)
        self.fields = field_names(function, coordinates, fields)
        self.is_single = fields is None
        self.cached_plans: dict[Any, Any] = {}

    def __call__(self, net: Callable[[Any], Any], **parameters: Any) -> Callable[[Any], Any]:
        """The residual of `net` as a function of one point (coordinates,) or of many (n, coordinates).

        Args:
            net: The unknown functions, of the vector of all coordinates.
            **parameters: Keywords of the decorated function.
        """
        return self._at_points(net, parameters, "dof")

    def by_hessian(self, net: Callable[[Any], Any], **parameters: Any) -> Callable[[Any], Any]:
        """The same with all derivatives taken from the gradient and the whole Hessian of `net`, to compare with."""
        return self._at_points(net, parameters, "hessian")

    def at_point(
        self, net: Callable[[Any], Any], point: Any, parameters: Mapping[str, Any], method: str = "dof"
    ) -> Any:
        """The residual at one point.

        Args:
            net: The unknown functions, of the vector of all coordinates.
            point: (coordinates,)
            parameters: The keywords of the decorated function, with their values.
            method: "dof" for one propagation, "hessian" for the whole Hessian.
        """
        if method not in METHODS:
            expected, fix = f"one of {', '.join(map(repr, METHODS))}", 'at_point(net, point, {}, "dof")'
            raise ArgumentError(describe("method", f"is {shown(method)}", expected, fix))
        return METHODS[method](self, net, point, parameters)

    def _at_points(self, net: Callable[[Any], Any], parameters: Mapping[str, Any], method: str) -> Callable[[Any], Any]:
        refuse_torch("net", net)

        def of_point(point: Any) -> Any:
            return self.at_point(net, point, parameters, method)

        return at_points(of_point, self.coordinates, f"{self.name}(net)")

    def with_parameters(self, names: tuple[str, ...]) -> Residual:
        """The same residual, in whose gradients and Laplacians some coordinates have no part."""
        if names == self.coordinates.parameters:
            return self
        new = copy(self)
        # Plans are made for other derivatives: none is shared.
        new.coordinates, new.cached_plans = replace(self.coordinates, parameters=names), {}
        return new

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The positional arguments of the decorated function: fields, then coordinates."""
        return (*self.fields.names, *self.coordinates.names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The keywords of the decorated function."""
        return tuple(p.name for p in self._keywords)

    @property
    def required_names(self) -> tuple[str, ...]:
        """The keywords of the decorated function that have no default."""
        return tuple(p.name for p in self._keywords if p.default is p.empty)

    @property
    def _keywords(self) -> list[inspect.Parameter]:
        return [p for p in inspect.signature(self.function).parameters.values() if p.kind is p.KEYWORD_ONLY]

    @property
    def plan(self) -> Plan:
        """What is propagated for a network of floats, with numbers for the keywords that have no default."""
        return self.plan_with({p.name: 1.0 if p.default is p.empty else p.default for p in self._keywords})

    def plan_with(self, parameters: Mapping[str, Any]) -> Plan:
        """What is propagated for a network of floats and these values of the keywords."""
        value = jax.ShapeDtypeStruct(() if self.is_single else (self.fields.count,), jnp.result_type(float))
        found: list[Plan] = []
        of_point = lambda point: found.append(plan_of(self, value, point, parameters)[1].plan)  # noqa: E731
        # With a traced point, as in training: coefficients that depend on x must not count as known.
        jax.eval_shape(of_point, np.zeros(self.coordinates.count))
        return found[0]

    def run(self, read: Callable[[Derivative], Any], value: Any, point: Any, parameters: Any) -> Any:
        """The decorated function at one point, with divergences of expressions in it.

        Args:
            read: From a derivative to its value for all components of the network.
            value: The value of all components of the network.
            point: (coordinates,)
            parameters: The keywords of the decorated function, with their values.
        """
        call = lambda read, value, point: self._call(read, value, point, parameters)  # noqa: E731
        return run_with_divergences(call, read, value, jnp.asarray(point), space_axes(self.coordinates))

    def _call(self, read: Callable[[Derivative], Any], value: Any, point: Any, parameters: Any) -> Any:
        network = NetworkReader(self.coordinates, read, value)
        chosen = lambda name: (lambda array: array) if self.is_single else lambda array: self.fields.part(name, array)  # noqa: E731
        fields = [Field(name, network, chosen(name)) for name in self.fields.names]
        places = [self.coordinates.part(name, point) for name in self.coordinates.names]
        with told_in_words(self.coordinates):
            out = self.function(*fields, *places, **parameters)
        # A field is a pytree: without `is_leaf` it would be seen as a tree with its value as leaf.
        is_leaf = lambda leaf: leaf is None or isinstance(leaf, Field)  # noqa: E731
        arrays = jax.tree.map(self._number, out, is_leaf=is_leaf)
        network.is_over = True
        if not jax.tree.leaves(arrays):
            raise ArgumentError(describe(self.name, f"returns {shown(out)}", "a residual", "return u.laplacian - f"))
        return arrays

    def _number(self, leaf: Any) -> Any:
        """One equation as an array; refuses what has no square, as `u.xx == f`, which is not an equation here."""
        if leaf is None or isinstance(leaf, str):
            expected, fix = "a residual for each equation", "return u.laplacian - f"
            raise ArgumentError(describe(self.name, f"returns {shown(leaf)}", expected, fix))
        array = jnp.asarray(leaf)
        if array.dtype == bool:
            expected, fix = "a number that is zero where the equation holds", "u.xx - f for u.xx == f"
            raise ArgumentError(describe(self.name, "returns whether something holds", expected, fix))
        return array
