"""The names of coordinates and fields: "x y t", "x[100] t" where x has 100 components, "psi: complex"."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from dof.errors import ArgumentError, describe, shown

TIME = "t"
"""The name of the coordinate that does not count as space."""
_LAMBDA = "<lambda>"
"""What Python calls a function without a name."""


@dataclass(frozen=True)
class Names:
    """Names, each of a number or of a vector, laid out one after the other on one axis of an array.

    Attributes:
        names: The names, in their order.
        sizes: How many components each has; None for a single number.
        complexes: Names of complex fields, each of whose components is two numbers.
        parameters: Names of coordinates that are no space, as `pde.Parameter` makes them.
    """

    names: tuple[str, ...]
    sizes: tuple[int | None, ...]
    complexes: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The index of the first number of each name, and the number of all numbers."""
        pairs = zip(self.names, self.sizes, strict=True)
        return (0, *accumulate((size or 1) * (1 + (name in self.complexes)) for name, size in pairs))

    @property
    def count(self) -> int:
        """How many numbers there are in all: one for each component, two where it is complex."""
        return self.starts[-1]

    @cached_property
    def each(self) -> tuple[str, ...]:
        """A name for every number: x for a number, x[0], x[1], … for a vector, Re x and Im x for a complex one."""
        found: list[str] = []
        for name, size in zip(self.names, self.sizes, strict=True):
            own = [name] if size is None else [f"{name}[{i}]" for i in range(size)]
            found += [f"{part} {n}" for part in ("Re", "Im") for n in own] if name in self.complexes else own
        return tuple(found)

    def part(self, name: str, array: Any) -> Any:
        """The components of `name`, of an array whose last axis has all numbers."""
        index = self._index[name]
        start, end = self.starts[index : index + 2]
        if name in self.complexes:
            middle = (start + end) // 2
            both = array[..., start:middle] + 1j * array[..., middle:end]
            return both[..., 0] if self.sizes[index] is None else both
        return array[..., start] if self.sizes[index] is None else array[..., start:end]

    def axes(self, name: str) -> range:
        """The indices of the components of `name`, or of one component, as x[0]."""
        if name not in self._index:
            return range(self.axis_of[name], self.axis_of[name] + 1)
        index = self._index[name]
        return range(self.starts[index], self.starts[index + 1])

    def require(self, given: tuple[Any, ...], call: str) -> None:
        """Refuse what is no name of these, or none at all, as an argument of `call`."""
        is_text = all(isinstance(name, str) for name in given)
        if not (given and is_text) or any(name not in self._index and name not in self.axis_of for name in given):
            each = (is_text and len(given) == 1 and subscripts(given[0], self)) or self.names[:1]
            fix = f"{call}({', '.join(map(repr, each))})"
            found = f"is given {', '.join(map(shown, given)) or 'nothing'}"
            raise ArgumentError(describe(call, found, f"coordinates of {self}", fix))

    def is_vector(self, name: str) -> bool:
        """Whether `name` has components, as x in "x[3]"."""
        return name in self._index and self.sizes[self._index[name]] is not None

    # Looked up in tables and not searched for: a residual may have thousands of coordinates.
    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def axis_of(self) -> dict[str, int]:
        """The index of every component by its name: x, or x[0]."""
        return {name: k for k, name in enumerate(self.each)}

    def __str__(self) -> str:
        pairs = zip(self.names, self.sizes, strict=True)
        one = lambda name, size: name if size is None else f"{name}[{size}]"  # noqa: E731
        return " ".join(one(name, size) + ": complex" * (name in self.complexes) for name, size in pairs)


def read_names(text: Any, argument: str) -> Names:
    """The names in a text as "x[100] t".

    Args:
        text: What the user wrote.
        argument: The name of the argument, for errors.

    Raises:
        ArgumentError: If these are no names, some are equal, or a size is zero.
    """
    # "psi: complex" is one word from here on.
    words = re.sub(r"\s*:\s*complex\b", ":complex", text).split() if isinstance(text, str) else []
    complex_ = "(:complex)?" if argument == "fields" else "()"
    found = [re.fullmatch(r"([A-Za-z]\w*?)(?:\[(\d+)\])?" + complex_, word) for word in words]
    fix = _as_text(text, argument)
    if not found or not all(found):
        raise ArgumentError(
            describe(argument, f"is {shown(text)}", "names, with a size in brackets where they have one", fix)
        )
    names = tuple(match[1] for match in found if match)
    sizes = tuple(int(match[2]) if match[2] else None for match in found if match)
    if len(set(names)) < len(names) or 0 in sizes:
        expected = "names that differ and sizes that are not zero"
        raise ArgumentError(describe(argument, f"is {shown(text)}", expected, fix))
    return Names(names, sizes, tuple(match[1] for match in found if match and match[3]))


def _as_text(given: Any, argument: str) -> str:
    """How the names that were given are written, or an example of names."""
    words = re.sub(r"[,;]", " ", given).split() if isinstance(given, str) else given
    is_names = isinstance(words, (list, tuple)) and all(isinstance(word, str) and word.isidentifier() for word in words)
    if is_names and words:
        text = " ".join(dict.fromkeys(words))
        return f'fields="{text}"' if argument == "fields" else f'@pde.residual("{text}")'
    if argument == "fields":
        return 'fields="u v", or "u[2] p" for u with 2 components'
    return '@pde.residual("x y t"), or "x[100] t" for x with 100 components'


def field_names(function: Callable[..., Any], coordinates: Names, fields: str | None) -> Names:
    """The names of the fields of a residual's function.

    Args:
        function: Of fields, coordinates and keyword parameters.
        coordinates: Their names.
        fields: The names of the unknown functions; None for a single one, called as the function calls it.

    Raises:
        ArgumentError: If the positional arguments of the function are not the fields and the coordinates.
    """
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    # A coordinate in front is no name of a field, but a wrong order.
    own = [name for name in names[:1] if name not in coordinates.names] or ["u"]
    found = read_names(fields if fields else own[0], "fields")
    if both := sorted({*found.names} & {*coordinates.names}):
        said, fix = f"has {' '.join(both)}, as `coordinates` has", '@pde.residual("x y", fields="u v")'
        raise ArgumentError(describe("fields", said, "names of their own for fields and coordinates", fix))
    expected = [*found.names, *coordinates.names]
    if names != expected:
        name, has = function_name(function), f"has the arguments ({', '.join(names)})"
        raise ArgumentError(describe(name, has, f"({', '.join(expected)})", first_line(function, expected)))
    return found


def function_name(function: Callable[..., Any]) -> str:
    """What a residual's function is called in errors and reports: its own name, that of its class, or "residual"."""
    return getattr(function, "__name__", type(function).__name__).replace(_LAMBDA, "residual")


def first_line(function: Callable[..., Any], arguments: Sequence[str]) -> str:
    """The first line of a residual's function with other arguments, for errors."""
    name, given = getattr(function, "__name__", _LAMBDA), ", ".join(arguments)
    return f"lambda {given}: ..." if name == _LAMBDA else f"def {name}({given}):"


def space_axes(coordinates: Names) -> list[int]:
    """The indices of all coordinates but time and parameters."""
    space = [name for name in coordinates.names if name != TIME and name not in coordinates.parameters]
    return [axis for name in space for axis in coordinates.axes(name)]


def subscripts(text: str, coordinates: Names) -> tuple[str, ...] | None:
    """The coordinates that a subscript stands for, as ("x", "t") for "xt"; None if it is no such thing.

    Longer names are tried first, so that "theta" is one coordinate and not a product of t and others.
    """
    if not text:
        return ()
    # If the longest name leaves a rest that is no subscript, shorter ones are tried.
    for name in sorted(coordinates.names, key=len, reverse=True):
        rest = subscripts(text[len(name) :], coordinates) if text.startswith(name) else None
        if rest is not None:
            return (name, *rest)
    return None
