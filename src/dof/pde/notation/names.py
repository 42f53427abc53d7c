"""The coordinates of a PDE by name: "x y t", or "x[100] t" for many of one kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from dof.errors import ArgumentError, describe

TIME = "t"
"""The coordinate that does not count as space."""


@dataclass(frozen=True)
class Names:
    """Names with sizes; size None is a single number."""

    names: tuple[str, ...]
    sizes: tuple[int | None, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        return (0, *accumulate(size or 1 for size in self.sizes))

    @property
    def count(self) -> int:
        return self.starts[-1]

    def part(self, name: str, array: Any) -> Any:
        """What belongs to a name, of an array whose last axis has all of them."""
        index = self.names.index(name)
        start = self.starts[index]
        return array[..., start] if self.sizes[index] is None else array[..., start : self.starts[index + 1]]

    @property
    def each(self) -> list[str]:
        """A name for every number: x, or x[0], x[1], …"""
        pairs = zip(self.names, self.sizes, strict=True)
        return [n for name, size in pairs for n in ([name] if size is None else [f"{name}[{i}]" for i in range(size)])]

    def places(self, name: str) -> range:
        index = self.names.index(name)
        return range(self.starts[index], self.starts[index + 1])

    def is_block(self, name: str) -> bool:
        return self.sizes[self.names.index(name)] is not None

    def __str__(self) -> str:
        pairs = zip(self.names, self.sizes, strict=True)
        return " ".join(name if size is None else f"{name}[{size}]" for name, size in pairs)


def read_names(text: Any, argument: str) -> Names:
    found = (
        [re.fullmatch(r"([A-Za-z]\w*?)(?:\[(\d+)\])?", word) for word in text.split()] if isinstance(text, str) else []
    )
    fix = '@pde.residual("x y t"), or "x[100] t" for x with 100 components'
    if not found or not all(found):
        raise ArgumentError(
            describe(argument, f"is {text!r}", "names, with a size in brackets where they have one", fix)
        )
    names = tuple(match[1] for match in found if match)
    sizes = tuple(int(match[2]) if match[2] else None for match in found if match)
    if len(set(names)) < len(names) or 0 in sizes:
        raise ArgumentError(describe(argument, f"is {text!r}", "names that differ and sizes that are not zero", fix))
    return Names(names, sizes)


def space_of(coordinates: Names) -> list[int]:
    """The places of all coordinates but time."""
    return [place for name in coordinates.names if name != TIME for place in coordinates.places(name)]


def subscripts(text: str, coordinates: Names) -> tuple[str, ...] | None:
    """The coordinates that a subscript as in u_xt stands for; None if it is no such thing. Long names come first."""
    if not text:
        return ()
    for name in sorted(coordinates.names, key=len, reverse=True):
        rest = subscripts(text[len(name) :], coordinates) if text.startswith(name) else None
        if rest is not None:
            return (name, *rest)
    return None
