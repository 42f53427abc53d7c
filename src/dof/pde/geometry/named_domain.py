"""A domain with names for its coordinates and for the unknown functions on it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.geometry.domain import Domain
from dof.pde.notation.names import TIME, Names

NORMAL = "n"
"""The keyword by which functions on the boundary get the normal."""


def takes_normal(g: Any) -> bool:
    """Whether g is a function with the keyword `n`, and without a value for it."""
    try:
        taken = inspect.signature(g).parameters.get(NORMAL) if callable(g) else None
    except ValueError:  # of some built-in functions it is not known
        return False
    return taken is not None and taken.kind is taken.KEYWORD_ONLY and taken.default is taken.empty


@dataclass(frozen=True)
class NamedDomain:
    """What a condition is read with: it names coordinates ("x=0") and fields, and holds on a domain.

    Attributes:
        coordinates: Their names, in the order of the domain's coordinates.
        fields: The names of the unknown functions.
        is_single: Whether there is one unknown function with numbers as values, rather than vectors of fields.
        domain: Over all coordinates.
    """

    coordinates: Names
    fields: Names
    is_single: bool
    domain: Domain

    @property
    def field_shape(self) -> tuple[int, ...]:
        """The shape of the network's numbers at a point."""
        return () if self.is_single else (self.fields.count,)

    def shape_of(self, field: str | None) -> tuple[int, ...]:
        """The shape of the values of a field at a point; None is all fields."""
        return self.of_field(field, np.empty(self.field_shape)).shape

    def of_field(self, field: str | None, value: Any) -> Any:
        """The values of `field`, or of all fields, from the network's numbers, which are on the last axis."""
        if self.is_single or (field is None and not self.fields.complexes):
            return value
        if field is not None or len(self.fields.names) == 1:
            return self.fields.part(field or self.fields.names[0], value)
        parts = [(name, self.fields.part(name, value)) for name in self.fields.names]
        return jnp.concatenate([p if self.fields.is_vector(name) else p[..., None] for name, p in parts], axis=-1)

    def part_of_values(self, field: str | None, values: Any) -> Any:
        """The values of `field` in those of all fields, as conditions, references and solutions have them."""
        if self.is_single or field is None or not jnp.ndim(values):
            return values
        return replace(self.fields, complexes=()).part(field, values)

    def numbers_of(self, values: Any) -> Any:
        """The network's numbers from the values of all fields at a point: real and imaginary parts of complex ones."""
        if not self.fields.complexes:
            return values
        values = jnp.atleast_1d(values)
        parts = [(n, jnp.atleast_1d(self.part_of_values(n, values))) for n in self.fields.names]
        return jnp.concatenate(
            [jnp.concatenate([p.real, p.imag]) if n in self.fields.complexes else p.real for n, p in parts]
        )

    def given(self, g: Any, z: Any, normal: Any = None) -> Any:
        """The value at the point z of a number or of a function of the coordinates, which may take the normal too."""
        if not callable(g):
            return g
        return g(*self.split(z), **({NORMAL: normal} if normal is not None and takes_normal(g) else {}))

    def split(self, z: Any) -> list[Any]:
        """The coordinates of a point, one array for each name."""
        return [self.coordinates.part(name, z) for name in self.coordinates.names]

    def require_field(self, field: str | None) -> None:
        """Refuse a field that is not among `fields`; None is all of them."""
        if field is not None and field not in self.fields.names:
            found, fix = f"is {shown(field)}", f'field="{self.fields.names[0]}"'
            raise ArgumentError(describe("field", found, f"one of {self.fields}", fix))

    def axis(self, name: Any) -> int | None:
        """The index of a single coordinate, as "x" or "x[0]"; None if there is no such coordinate."""
        return self.coordinates.axis_of.get(name) if isinstance(name, str) else None

    def ends(self, axis: int) -> tuple[float, float]:
        """The lowest and the highest value of a coordinate."""
        low, high = self.domain.bounds
        return float(low[axis]), float(high[axis])

    @property
    def time(self) -> int:
        """The index of the coordinate t.

        Raises:
            ArgumentError: If there is none.
        """
        axis = self.axis(TIME)
        if axis is None:
            found, fix = f"are {self.coordinates}", '@pde.residual("x t")'
            raise ArgumentError(describe("coordinates", found, "a time t, whose start is asked for", fix))
        return axis
