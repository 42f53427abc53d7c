"""Checks of what a problem is made of, when it is made: names, arguments of functions, and shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.extend import enable_x64, is_traced
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.named_domain import NORMAL, NamedDomain, takes_normal
from dof.pde.notation.mistakes import FUNCTIONS_OF_NUMBERS, require_indices_within
from dof.pde.notation.names import TIME, Names, first_line
from dof.pde.notation.residual import Residual

SPACE_AND_TIME = "pde.Interval(0, 1) * pde.Time(0, 1)"


def require_domain(domain: Any, coordinates: Names) -> None:
    """Refuse a domain that does not have the coordinates, in their order, with `Time` for t and for nothing else."""
    if not isinstance(domain, Domain):
        raise ArgumentTypeError(describe("domain", f"is {shown(domain)}", "a domain of dof.pde", SPACE_AND_TIME))
    if domain.size != coordinates.count:
        found, expected = f"has {domain.size} coordinates", f"{coordinates.count}, for {coordinates}"
        space = coordinates.count - (TIME in coordinates.each)
        fix = f"pde.Box({[0] * space}, {[1] * space}){' * pde.Time(0, 1)' if TIME in coordinates.each else ''}"
        raise ArgumentError(describe("domain", found, expected, fix))
    # Otherwise a boundary condition would hold at the ends of time, or an initial one at an end of space, silently.
    wrong = np.flatnonzero(domain.is_time != [name == TIME for name in coordinates.each])
    if len(wrong):
        found = f"has {type(domain.part_at(int(wrong[0]))).__name__} for {coordinates.each[wrong[0]]}"
        expected = f"Time for t and nothing else, in the order of {coordinates}"
        raise ArgumentError(describe("domain", found, expected, f'@pde.residual("x t") on {SPACE_AND_TIME}'))


def parameters_of(domain: Domain, coordinates: Names) -> tuple[str, ...]:
    """The coordinates that are parameters in a domain; refuses a vector of which only some components are."""
    found = []
    for name in coordinates.names:
        own = domain.is_parameter[coordinates.axes(name)]
        if own.any() and not own.all():
            said, fix = f"has parameters for some components of {name}", '@pde.residual("x[2] k")'
            raise ArgumentError(describe("domain", said, "parameters with names of their own", fix))
        found += [name] * bool(own.all())
    return tuple(found)


def require_keywords(equation: Residual, unknowns: set[str], given: set[str], truth: set[str]) -> None:
    """Refuse values for what is no keyword of the equation, keywords without value, and keywords with two values."""
    for argument, names in {"unknowns": unknowns, "given": given}.items():
        others = sorted(names - set(equation.parameter_names))
        if others:
            expected = f"keywords of `{equation.name}`, {_listed(equation.parameter_names)}"
            fix = first_line(equation.function, [*equation.argument_names, "*", *equation.parameter_names, others[0]])
            raise ArgumentError(describe(argument, f"has {others}", expected, fix))
    require_values(equation, unknowns | given)
    if unknowns & given:
        found, expected = f"has {sorted(unknowns & given)}, as `unknowns` has", "what is not to be found"
        raise ArgumentError(describe("given", found, expected, "unknowns={}"))
    if truth - unknowns:
        found, expected = f"has {sorted(truth - unknowns)}", f"names of unknowns, which are {sorted(unknowns)}"
        raise ArgumentError(describe("truth", found, expected, "truth={}"))


def _listed(names: Sequence[str]) -> str:
    return f"which are {list(names)}" if names else "which has none"


def require_values(residual: Residual, known: set[str]) -> None:
    """Refuse a residual that has keywords without default which are not in `known`."""
    missing = sorted(set(residual.required_names) - known)
    if missing:
        name = missing[0]
        coordinates = ", ".join(residual.coordinates.names)
        fix = f'given={{"{name}": lambda {coordinates}: 1.0}}, or unknowns={{"{name}": 1.0}} to find it'
        raise ArgumentError(describe(residual.name, f"has keywords {missing} without value", "a value for each", fix))


def require_arguments(
    argument: str, function: Any, names: Sequence[str], of: str = "", keywords: Sequence[str] = ()
) -> None:
    """Refuse what cannot be called with as many arguments as there are names.

    Args:
        argument: The name of the user's argument, for errors.
        function: What the user gave.
        names: Of the positional arguments that it is going to get.
        of: Whose argument it is, as "of `dirichlet` ", for errors.
        keywords: That it is going to get besides.
    """
    wanted = ", ".join(names)
    if not callable(function):
        found, expected = f"{of}is {shown(function)}", f"a function of {wanted}"
        raise ArgumentTypeError(describe(argument, found, expected, f"lambda {wanted}: ..."))
    try:
        signature = inspect.signature(function)
    except ValueError:  # of some built-in functions it is not known
        return
    try:
        signature.bind(*names, **dict.fromkeys(keywords))
    except TypeError:
        found = f"{of}has the arguments {signature}"
        raise ArgumentError(describe(argument, found, f"({wanted})", f"lambda {wanted}: ...")) from None


def require_value(argument: str, g: Any, named: NamedDomain, field: str | None, of: str, normal: Any = None) -> None:
    """Refuse what is no number, no number for each component of a field, and no function with such values.

    Args:
        argument: The name of the user's argument, for errors.
        g: What the user gave.
        named: The domain and the names of its coordinates.
        field: The unknown function that it is for.
        of: Whose argument it is, as "of `dirichlet` ", for errors.
        normal: A vector in space where g may take the normal, else None.
    """
    if callable(g):
        require_arguments(argument, g, named.coordinates.names, of, [NORMAL] * (normal is not None and takes_normal(g)))
    output, shape = _output(argument, lambda z: named.given(g, z, normal), named, of), named.shape_of(field)
    if not (callable(g) or is_traced(g) or np.isfinite(g).all()):
        raise ArgumentError(describe(argument, f"{of}is {shown(g)}", "finite numbers", f"{argument} = 0.0"))
    found = output.shape
    names = (field,) if field else named.fields.names
    # Its imaginary part would be a part of the residual that no network can make smaller.
    if jnp.issubdtype(output.dtype, jnp.complexfloating) and not set(names) & set(named.fields.complexes):
        fix = f'fields="{names[0]}: complex" in pde.residual, or the real part'
        raise ArgumentError(describe(argument, f"{of}is complex", f"real values, as {' '.join(names)} has", fix))
    if found not in ((), shape):
        each = f" or {shape}, one for each component of {field or named.fields}" if shape else ""
        fix = f"lambda {', '.join(named.coordinates.names)}: {f'jnp.zeros({shape[0]})' if shape else '0.0'}"
        raise ArgumentError(describe(argument, f"{of}has shape {found}", f"(){each}", fix))


def require_features(features: Any, named: NamedDomain) -> None:
    """Refuse features that are no vector for a point z."""
    require_arguments("features", features, ["z"])
    found = output_shape("features", features, named)
    if len(found) != 1:
        fix = "features=lambda z: jnp.concatenate([z, z**2])"
        raise ArgumentError(describe("features", f"has shape {found}", "a vector", fix))


def require_ansatz(ansatz: Any, named: NamedDomain) -> None:
    """Refuse an ansatz that does not make values of all fields from the network's value n and the coordinates."""
    names = ["n", *named.coordinates.names]
    require_arguments("ansatz", ansatz, names)
    # Shapes only: nothing of the user's is computed, and zeros need not be a point of the domain.
    of_point = lambda z: ansatz(jnp.zeros(named.field_shape), *named.split(z))  # noqa: E731
    found = output_shape("ansatz", of_point, named)
    if found != named.field_shape:
        expected, fix = f"{named.field_shape}, as the network's value n has", f"lambda {', '.join(names)}: 1 + n"
        raise ArgumentError(describe("ansatz", f"has shape {found}", expected, fix))


def output_shape(argument: str, function: Callable[[Any], Any], named: NamedDomain, of: str = "") -> tuple[int, ...]:
    """The shape of the real numbers that a function makes of a point, in float64, as in training."""
    made = _output(argument, function, named, of)
    # Of complex ones the network, or the error, would take the real part.
    if jnp.issubdtype(made.dtype, jnp.complexfloating) and not argument.startswith("given"):
        raise ArgumentError(describe(argument, f"{of}is complex", "real numbers", "the real part"))
    return made.shape


def _output(argument: str, function: Callable[[Any], Any], named: NamedDomain, of: str) -> jax.ShapeDtypeStruct:
    """Shape and type of what a function makes of a point."""

    def as_array(z: Any) -> Any:
        try:
            out = function(z)
        except FUNCTIONS_OF_NUMBERS as error:
            found = f"{of}asks for the number that a coordinate is, while it is traced for all points"
            fix = "jnp.sin for math.sin and np.sin, jnp.where(x > 0, a, b) for `a if x > 0 else b`"
            raise ArgumentTypeError(describe(argument, found, "functions of arrays", fix)) from error
        except IndexError as error:
            if "Too many indices" not in str(error):
                raise
            found = f"{of}asks for a component of what is a single number"
            fix = f'{" ".join(named.coordinates.names)} without index, or components as in @pde.residual("x[2]")'
            raise ArgumentTypeError(describe(argument, found, "names with components", fix)) from None
        try:
            return jnp.asarray(out)
        except (TypeError, ValueError):
            found = f"{of}is of type {type(out).__name__}, which makes no array"
            fix = f"lambda {', '.join(named.coordinates.names)}: 0.0, or jnp.hstack(...) of several arrays"
            raise ArgumentTypeError(describe(argument, found, "numbers or arrays", fix)) from None

    with enable_x64():
        program, made = jax.make_jaxpr(as_array, return_shape=True)(jnp.zeros(named.coordinates.count))
    require_indices_within(argument, program, of)
    return made
