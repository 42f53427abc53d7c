"""What a problem is made of is checked when it is made: names, arguments of functions, and shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.conditions.places import Setting
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.shapes import Time
from dof.pde.notation.names import TIME, Names
from dof.pde.notation.residual import Residual

SPACE_AND_TIME = "pde.Interval(0, 1) * pde.Time(0, 1)"


def require_domain(domain: Any, coordinates: Names) -> None:
    """Over the coordinates, in their order."""
    if not isinstance(domain, Domain):
        raise ArgumentTypeError(describe("domain", f"is {domain!r}", "a domain of dof.pde", SPACE_AND_TIME))
    if domain.size != coordinates.count:
        found, expected = f"has {domain.size} coordinates", f"{coordinates.count}, for {coordinates}"
        raise ArgumentError(describe("domain", found, expected, SPACE_AND_TIME))
    for axis, name in enumerate(coordinates.each):
        part = domain.part_at(axis)
        if isinstance(part, Time) != (name == TIME):
            found = f"has {type(part).__name__} for {name}"
            expected = f"Time for t and nothing else, in the order of {coordinates}"
            raise ArgumentError(describe("domain", found, expected, f'@pde.residual("x t") on {SPACE_AND_TIME}'))


def require_keywords(equation: Residual, unknowns: set[str], given: set[str], truth: set[str]) -> None:
    """What has a value is a keyword, and what is a keyword has one value."""
    for argument, names in {"unknowns": unknowns, "given": given}.items():
        others = sorted(names - set(equation.parameter_names))
        if others:
            expected = f"keywords of `{equation.name}`, which are {list(equation.parameter_names)}"
            fix = f"def {equation.name}(u, x, *, {others[0]}):"
            raise ArgumentError(describe(argument, f"has {others}", expected, fix))
    require_values(equation, unknowns | given)
    if unknowns & given:
        found, expected = f"has {sorted(unknowns & given)}, as `unknowns` has", "what is not to be found"
        raise ArgumentError(describe("given", found, expected, "unknowns={}"))
    if truth - unknowns:
        found, expected = f"has {sorted(truth - unknowns)}", f"names of unknowns, which are {sorted(unknowns)}"
        raise ArgumentError(describe("truth", found, expected, "truth={}"))


def require_values(residual: Residual, known: set[str]) -> None:
    """For all its keywords without default."""
    missing = sorted(set(residual.required_names) - known)
    if missing:
        fix = f'unknowns={{"{missing[0]}": 1.0}}, or *, {missing[0]}=1.0 in its def'
        raise ArgumentError(describe(residual.name, f"has keywords {missing} without value", "a value for each", fix))


def require_arguments(argument: str, function: Any, names: Sequence[str], of: str = "") -> None:
    """A function that can be called with so many. `of`: whose argument it is."""
    wanted = ", ".join(names)
    if not callable(function):
        found, expected = f"{of}is {function!r}", f"a function of {wanted}"
        raise ArgumentTypeError(describe(argument, found, expected, f"lambda {wanted}: ..."))
    try:
        signature = inspect.signature(function)
    except ValueError:  # of some built-in functions it is not known
        return
    try:
        signature.bind(*names)
    except TypeError:
        found = f"{of}has the arguments {signature}"
        raise ArgumentError(describe(argument, found, f"({wanted})", f"lambda {wanted}: ...")) from None


def require_value(argument: str, g: Any, setting: Setting, field: str | None, of: str) -> None:
    """A number, or one for each component of a field; or a function of the coordinates with such values."""
    if callable(g):
        require_arguments(argument, g, setting.coordinates.names, of)
    found, shape = shape_of(argument, lambda z: setting.given(g, z), setting, of), setting.shape_of(field)
    if found not in ((), shape):
        each = f" or {shape}, one for each component of {field or setting.fields}" if shape else ""
        fix = f"lambda {', '.join(setting.coordinates.names)}: {f'jnp.zeros({shape[0]})' if shape else '0.0'}"
        raise ArgumentError(describe(argument, f"{of}has shape {found}", f"(){each}", fix))


def require_features(features: Any, setting: Setting) -> None:
    require_arguments("features", features, ["z"])
    found = shape_of("features", features, setting)
    if len(found) != 1:
        fix = "features=lambda z: jnp.concatenate([z, z**2])"
        raise ArgumentError(describe("features", f"has shape {found}", "a vector", fix))


def require_ansatz(ansatz: Any, setting: Setting) -> None:
    names = ["n", *setting.coordinates.names]
    require_arguments("ansatz", ansatz, names)
    of_point = lambda z: ansatz(jnp.zeros(setting.field_shape), *setting.split(z))  # noqa: E731
    found = shape_of("ansatz", of_point, setting)
    if found != setting.field_shape:
        expected, fix = f"{setting.field_shape}, as the network's value n has", f"lambda {', '.join(names)}: 1 + n"
        raise ArgumentError(describe("ansatz", f"has shape {found}", expected, fix))


def shape_of(argument: str, function: Callable[[Any], Any], setting: Setting, of: str = "") -> tuple[int, ...]:
    """Of what it makes of a point, in float64, as in training."""

    def as_array(z: Any) -> Any:
        out = function(z)
        try:
            return jnp.asarray(out)
        except (TypeError, ValueError):
            found, fix = f"{of}is of type {type(out).__name__}, which makes no array", "jnp.hstack(...)"
            raise ArgumentTypeError(describe(argument, found, "numbers or arrays", fix)) from None

    with jax.enable_x64(True):
        return jax.eval_shape(as_array, jnp.zeros(setting.coordinates.count)).shape
