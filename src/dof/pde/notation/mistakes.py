"""Mistakes in a residual that JAX finds, told in the words of the residual: what was written, where, and what to do."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import FrameSummary
from typing import Any

import jax

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.extend import Closed, index_beyond
from dof.pde.notation.names import Names, subscripts
from dof.user_line import user_frame

FUNCTIONS_OF_NUMBERS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
"""What JAX raises where a function of numbers, as math.sin, is given what is traced."""
_DERIVATIVES = ("d", "laplacian", "gradient", "biharmonic", "apply")


@contextmanager
def told_in_words(coordinates: Names) -> Iterator[None]:
    """Run the user's function of a residual in these coordinates."""
    try:
        yield
    except AttributeError as error:
        if not isinstance(error.obj, jax.Array) or not _is_derivative(error.name, coordinates):
            raise
        found = "is a derivative of an array, which arithmetic and functions of JAX make of fields"
        expected = "a derivative of a field, as u.x, or of a derivative of one, as u.x.x"
        fix = "the product rule, u.x * v + u * v.x for (u * v).x"
        raise ArgumentTypeError(_told(error, f".{error.name}", found, expected, fix)) from None
    except FUNCTIONS_OF_NUMBERS as error:
        found = "asks for the number that a field or a coordinate is, while the residual is traced for all points"
        fix = "jnp.where(u > 0, a, b) for `a if u > 0 else b`, jnp.sin for math.sin and np.sin"
        raise ArgumentTypeError(_told(error, "the residual", found, "functions of arrays", fix)) from error
    except IndexError as error:
        if "Too many indices" not in str(error):
            raise
        found = "asks for a component of what is a single number at each point"
        fix = f'{" ".join(coordinates.names)} without index, or @pde.residual("x[2]") for x with 2 components'
        raise ArgumentTypeError(_told(error, "the residual", found, "names with components", fix)) from None
    except (TypeError, ValueError) as error:
        if "callable value" in str(error) and "<field " in str(error):
            found, fix = "takes functions, and a field is its value at the point", "u.x, u.gradient or pde.grad(u)"
            raise ArgumentTypeError(_told(error, "the residual", found, "derivatives of fields", fix)) from None
        if "'Field' object is not callable" in str(error):
            found, fix = "calls a field, which stands for its value at the point already", "u, u.x or u.xx"
            raise ArgumentTypeError(_told(error, "the residual", found, "no arguments", fix)) from None
        # Functions of `jax.lax` refuse the one, those of NumPy the other.
        if "__jax_array__" not in str(error) and "__array_ufunc__" not in str(error):
            raise
        found, expected = "hands a field to a function that takes arrays only", "its value"
        raise ArgumentTypeError(_told(error, "the residual", found, expected, "jnp.sin(u), lax.sin(u.value)")) from None


@contextmanager
def kept_values_told() -> Iterator[None]:
    """Run what calls functions of the user's, which may use values that they have kept from an earlier call."""
    try:
        yield
    except jax.errors.UnexpectedTracerError as error:
        made = re.search(r"created on line ([^<>\n]+?:\d+):", str(error))
        where = f" ({Path(made[1]).name})" if made else ""
        found, expected = (
            f"uses a value of an earlier call{where}, which was kept outside of it",
            "values of this call only",
        )
        raise ArgumentError(describe("a function", found, expected, "compute it anew in each call")) from error


def require_indices_within(name: str, program: Closed, of: str = "") -> None:
    """Refuse a traced function of the user's that asks for a component which there is not: JAX takes the last one.

    Args:
        name: Of the function, as an argument.
        program: The function, traced.
        of: Whose argument it is, as "of `dirichlet` ".
    """
    if beyond := index_beyond(program):
        index, length, where = beyond
        # Of "folder/file.py:7:12 (residual)" the file and the line; code that is in no file begins with "<".
        place = "" if where[:1] in ("", "<") else f"({Path(where.rsplit(':', 1)[0]).name}) "
        found = f"{of}{place}asks for the component {index} of {length}"
        expected, fix = f"0 to {length - 1}, as Python counts", f"x[0] for the first, x[{length - 1}] for the last"
        raise ArgumentError(describe(name, found, expected, fix))


def _is_derivative(name: str | None, coordinates: Names) -> bool:
    return bool(name) and (name in _DERIVATIVES or subscripts(name, coordinates) is not None)


def _told(error: Exception, otherwise: str, found: str, expected: str, fix: str) -> str:
    """The text of an error about the last expression of the user's on the way to it."""
    frame = user_frame(error)
    if frame is None:
        return describe(otherwise, found, expected, fix)
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return describe(_written(frame) or otherwise, f"({where}) {found}", expected, fix)


def _written(frame: FrameSummary) -> str:
    """The expression that a frame is at; its line where that is not known."""
    line: Any = linecache.getline(frame.filename, frame.lineno or 0)
    if frame.lineno != frame.end_lineno or frame.colno is None:
        return line.strip()
    return line.encode()[frame.colno : frame.end_colno].decode().strip()
