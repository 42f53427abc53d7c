"""Where a condition holds: on the whole boundary, where a coordinate has a value ("x=0"), or at both ends of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.coordinates import TIME, Names, space_of
from dof.pde.domains import Domain

BOUNDARY = "boundary"
START = "start"


@dataclass(frozen=True)
class Setting:
    """What conditions are read with: the names, and the domain over all of them."""

    coordinates: Names
    fields: Names
    is_single: bool
    domain: Domain

    @property
    def field_shape(self) -> tuple[int, ...]:
        return () if self.is_single else (self.fields.count,)

    def of_field(self, field: str | None, value: Any) -> Any:
        return value if field is None or self.is_single else self.fields.part(field, value)

    def given(self, g: Any, z: Any) -> Any:
        """A number, or a function of the coordinates at the point z."""
        return g(*self.split(z)) if callable(g) else g

    def split(self, z: Any) -> list[Any]:
        """The coordinates of a point, by their names."""
        return [self.coordinates.part(name, z) for name in self.coordinates.names]

    def require_field(self, field: str | None) -> None:
        if field is not None and field not in self.fields.names:
            found, fix = f"is {field!r}", f'field="{self.fields.names[0]}"'
            raise ArgumentError(describe("field", found, f"one of {self.fields}", fix))

    def place(self, name: str, argument: str) -> int:
        """Of a single coordinate among all of them."""
        if name not in self.coordinates.names or self.coordinates.is_block(name):
            found, fix = f"names {name!r}", f'{argument}="{self.coordinates.names[0]}"'
            raise ArgumentError(describe(argument, found, f"a single coordinate of {self.coordinates}", fix))
        return self.coordinates.places(name)[0]

    @property
    def time(self) -> int:
        if TIME not in self.coordinates.names:
            found = f"are {self.coordinates}"
            raise ArgumentError(describe("coordinates", found, "a time t for an initial condition", '"x t"'))
        return self.coordinates.places(TIME)[0]

    @property
    def start(self) -> float:
        return float(self.domain.bounds[0][self.time])


def uniforms(on: str, setting: Setting) -> int:
    return setting.domain.edge_uniforms if on == BOUNDARY else setting.domain.uniforms


def points_on(on: str, setting: Setting, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points of a place, and the normals there in space."""
    if on == BOUNDARY:
        if not setting.domain.area:
            found = "has no boundary but the ends of time"
            raise ArgumentError(describe("domain", found, "a domain in space", "pde.Interval(0, 1) * pde.Time(0, 1)"))
        points, normals = setting.domain.edge(unit)
    else:
        axis, value = fixed_coordinate(on, setting)
        points = setting.domain.inside(unit)
        normals = np.zeros_like(points)
        low, high = (bound[axis] for bound in setting.domain.bounds)
        normals[:, axis] = -1.0 if value - low < high - value else 1.0
        points[:, axis] = value
    return points, normals[:, space_of(setting.coordinates)]


def fixed_coordinate(on: str, setting: Setting) -> tuple[int, float]:
    """ "x=0" as the place of x and 0.0; "start" is the first time."""
    if on == START:
        return setting.time, setting.start
    name, _, value = on.partition("=")
    try:
        return setting.place(name.strip(), "on"), float(value)
    except ValueError:
        expected = 'places as "boundary", "start" or "x=0"'
        raise ArgumentError(describe("on", f"is {on!r}", expected, 'on="boundary"')) from None
