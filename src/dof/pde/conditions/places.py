"""Where a condition holds: on the whole boundary, where a coordinate has a value ("x=0"), or at both ends of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain
from dof.pde.notation.names import TIME, Names, space_of

BOUNDARY = "boundary"
START = "start"
ROUNDING = 1e-6
"""How far from a bound, as a share of the whole side, its value may be written."""


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

    def shape_of(self, field: str | None) -> tuple[int, ...]:
        """Of the values of a field; None is all of them."""
        return self.of_field(field, np.empty(self.field_shape)).shape

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

    def axis(self, name: Any) -> int:
        """The place of a coordinate among all of them; ValueError if there is no such coordinate."""
        return self.coordinates.each.index(name)

    def ends(self, axis: int) -> tuple[float, float]:
        low, high = self.domain.bounds
        return float(low[axis]), float(high[axis])

    @property
    def time(self) -> int:
        if TIME not in self.coordinates.each:
            found, fix = f"are {self.coordinates}", '@pde.residual("x t")'
            raise ArgumentError(describe("coordinates", found, "a time t, whose start is asked for", fix))
        return self.axis(TIME)


class Place(NamedTuple):
    """points: arrays over points, from uniform numbers (n, uniforms)."""

    uniforms: int
    points: Callable[[np.ndarray], tuple[np.ndarray, ...]]


def place_of(on: Any, setting: Setting, with_normal: bool = False) -> Place:
    """Points, and the normals there in space, which have a meaning only if `with_normal` asks for them."""
    if on == BOUNDARY:
        return _boundary(setting)
    axis, value = fixed_coordinate(on, setting)
    normal = _normal(axis, value, setting)
    if with_normal and not normal.any():
        found, fix = f"is {on!r}, where no normal points outwards", f'on="{BOUNDARY}"'
        raise ArgumentError(describe("on", found, "an end of a coordinate in space", fix))

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        return _fixed(axis, value, setting.domain.inside(unit)), np.tile(normal, (len(unit), 1))

    return Place(setting.domain.uniforms, points)


def _boundary(setting: Setting) -> Place:
    if not setting.domain.area:
        found = "has no boundary but the ends of time"
        raise ArgumentError(describe("domain", found, "a domain in space", "pde.Interval(0, 1) * pde.Time(0, 1)"))

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        edge, normals = setting.domain.edge(unit)
        return edge, normals[:, space_of(setting.coordinates)]

    return Place(setting.domain.edge_uniforms, points)


def both_ends(coordinate: Any, setting: Setting) -> Place:
    """Points at the lower end of a coordinate, and the same at its upper end."""
    try:
        axis = setting.axis(coordinate)
    except ValueError:
        names, fix = setting.coordinates, f'pde.periodic("{setting.coordinates.each[0]}")'
        expected = f"a single coordinate of {names}"
        raise ArgumentError(describe("coordinate", f"is {coordinate!r}", expected, fix)) from None
    for end in setting.ends(axis):
        _require_inside("coordinate", coordinate, axis, end, setting)

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(_fixed(axis, end, setting.domain.inside(unit)) for end in setting.ends(axis))

    return Place(setting.domain.uniforms, points)


def fixed_coordinate(on: Any, setting: Setting) -> tuple[int, float]:
    """ "x=0" as the place of x and 0.0; "start" is the first time."""
    if on == START:
        return setting.time, setting.ends(setting.time)[0]
    name, _, text = str(on).partition("=")
    try:
        axis, value = setting.axis(name.strip()), float(text)
    except ValueError:
        first = f'"{setting.coordinates.each[0]}={setting.ends(0)[0]}"'
        expected = f'"{BOUNDARY}", "{START}" of time, or a value of one of {setting.coordinates}, as {first}'
        raise ArgumentError(describe("on", f"is {on!r}", expected, f"on={first}")) from None
    value = _rounded(value, setting.ends(axis))
    _require_inside("on", on, axis, value, setting)
    return axis, value


def _rounded(value: float, ends: tuple[float, float]) -> float:
    """On the bound, if it is beyond it by rounding only."""
    nearest = float(np.clip(value, *ends))
    return nearest if abs(value - nearest) <= ROUNDING * (ends[1] - ends[0]) else value


def _require_inside(argument: str, found: Any, axis: int, value: float, setting: Setting) -> None:
    (low, high), name = setting.ends(axis), setting.coordinates.each[axis]
    if not low <= value <= high:
        expected, fix = f"{name} from {low} to {high}", f'on="{name}={high if value > high else low}"'
        raise ArgumentError(describe(argument, f"is {found!r}, outside of the domain", expected, fix))
    if not setting.domain.has_face(axis, value):
        said = f"is {found!r}, and points of the domain would leave it with {name} = {value}"
        fix = f'on="{BOUNDARY}"' if argument == "on" else "pde.Box([0, 0], [1, 2])"
        raise ArgumentError(describe(argument, said, "a face of an interval or a box", fix))


def _normal(axis: int, value: float, setting: Setting) -> np.ndarray:
    """In space: outwards at the ends of the coordinate, zero between them and for time."""
    low, high = setting.ends(axis)
    near = ROUNDING * (high - low)
    sign = float(value >= high - near) - float(value <= low + near)
    return sign * (np.array(space_of(setting.coordinates)) == axis)


def _fixed(axis: int, value: float, points: np.ndarray) -> np.ndarray:
    points[:, axis] = value
    return points
