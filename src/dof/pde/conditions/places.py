"""Where a condition holds: on the boundary or parts of it, where a coordinate has a value, or at both ends of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.conditions.boundary_parts import BOUNDARY, boundary_part
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.names import space_axes

START = "start"
ROUNDING = 1e-6
"""How far from a bound, relative to the whole side, its value may be written: "x=3.141593" is the end of [0, π]."""


class Place(NamedTuple):
    """Where points are drawn.

    Attributes:
        uniforms: How many uniform numbers make a point.
        points: From uniform numbers (n, uniforms) to arrays over n points.
    """

    uniforms: int
    points: Callable[[np.ndarray], tuple[np.ndarray, ...]]


def place_of(on: Any, named: NamedDomain, with_normal: bool = False) -> Place:
    """Points (n, coordinates) on a place, and the normals there (n, coordinates of space).

    Args:
        on: "boundary", "start", a coordinate with a value as "x=0", the name of a part of the boundary, a predicate of
            the coordinates, or several of these.
        named: The domain and the names of its coordinates.
        with_normal: Whether normals are used; without, they are zero where the place is no end of a coordinate.

    Raises:
        ArgumentError: If there is no such place, or no normal although it is asked for.
    """
    if on == BOUNDARY:
        return _boundary(named)
    if not isinstance(on, str) or not _is_face(on, named):
        return _part(on, named)
    axis, value = fixed_coordinate(on, named)
    normal = _normal(axis, value, named)
    if with_normal and not normal.any():
        found, fix = f"is {on!r}, where no normal points outwards", f'on="{BOUNDARY}"'
        raise ArgumentError(describe("on", found, "an end of a coordinate in space", fix))

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        return _with_fixed(axis, value, named.domain.inside(unit)), np.tile(normal, (len(unit), 1))

    return Place(named.domain.uniforms, points)


def _boundary(named: NamedDomain) -> Place:
    if not named.domain.area_per_volume:
        found = "has no boundary but the ends of time"
        raise ArgumentError(describe("domain", found, "a domain in space", "pde.Interval(0, 1) * pde.Time(0, 1)"))

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        edge, normals = named.domain.edge(unit)
        return edge, normals[:, space_axes(named.coordinates)]

    return Place(named.domain.edge_uniforms, points)


def _is_face(on: str, named: NamedDomain) -> bool:
    """Whether a text is "start", or "x=0" with a value that all points may take; names and edges are no faces."""
    if on != START and "=" not in on and (on in named.domain.piece_names()):
        return False
    axis, value = fixed_coordinate(on, named)
    return named.domain.has_face(axis, value)


def _part(on: Any, named: NamedDomain) -> Place:
    part = boundary_part(on, named, lambda text: fixed_coordinate(text, named))
    part.require_points()

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        edge, normals = part.sample(unit)
        return edge, normals[:, space_axes(named.coordinates)]

    return Place(1 + named.domain.edge_uniforms, points)


def hard_domain(on: Any, named: NamedDomain) -> Domain:
    """The domain whose `distance` is zero where a hard condition holds, and positive elsewhere.

    Raises:
        ArgumentError: If there is no such distance.
    """
    if isinstance(on, str) and on == BOUNDARY:
        return named.domain
    return boundary_part(on, named, lambda text: fixed_coordinate(text, named)).domain_with_part()


def both_ends(coordinate: Any, named: NamedDomain) -> Place:
    """Points at the lower end of a coordinate, and the same points at its upper end."""
    axis = named.axis(coordinate)
    if axis is None:
        expected, fix = f"a single coordinate of {named.coordinates}", f'pde.periodic("{named.coordinates.each[0]}")'
        raise ArgumentError(describe("coordinate", f"is {coordinate!r}", expected, fix))
    for end in named.ends(axis):
        _require_face(coordinate, axis, end, named)

    def points(unit: np.ndarray) -> tuple[np.ndarray, ...]:
        # Equal numbers make equal points, in a new array each time: the ends differ in this coordinate only.
        return tuple(_with_fixed(axis, end, named.domain.inside(unit)) for end in named.ends(axis))

    return Place(named.domain.uniforms, points)


def fixed_coordinate(on: Any, named: NamedDomain) -> tuple[int, float]:
    """The index and the value of the coordinate in "x=0"; "start" is the first time."""
    if on == START:
        return named.time, named.ends(named.time)[0]
    # Text is checked here, and anything else too: a number for `on` is refused with the same message.
    name, _, text = str(on).partition("=")
    axis, value = named.axis(name.strip()), _number(text)
    if axis is None or value is None:
        first = f'"{named.coordinates.each[0]}={named.ends(0)[0]}"'
        known = "".join(f', "{name}"' for name in sorted(set(named.domain.piece_names()) - {""}))
        expected = f'"{BOUNDARY}", "{START}" of time{known}, a predicate, or a value of {named.coordinates}, as {first}'
        raise ArgumentError(describe("on", f"is {on!r}", expected, f"on={first}"))
    value = _rounded(value, named.ends(axis))
    _require_between("on", on, axis, value, named)
    return axis, value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _rounded(value: float, ends: tuple[float, float]) -> float:
    """The nearest end if the value is beyond it by rounding only."""
    nearest = float(np.clip(value, *ends))
    return nearest if abs(value - nearest) <= ROUNDING * (ends[1] - ends[0]) else value


def _require_between(argument: str, found: Any, axis: int, value: float, named: NamedDomain) -> None:
    (low, high), name = named.ends(axis), named.coordinates.each[axis]
    if not low <= value <= high:
        expected, fix = f"{name} from {low} to {high}", f'on="{name}={high if value > high else low}"'
        raise ArgumentError(describe(argument, f"is {found!r}, outside of the domain", expected, fix))


def _require_face(coordinate: Any, axis: int, value: float, named: NamedDomain) -> None:
    if not named.domain.has_face(axis, value):
        name = named.coordinates.each[axis]
        said = f"is {coordinate!r}, and points of the domain would leave it with {name} = {value}"
        expected, fix = "a face of an interval or a box", "pde.Box([0, 0], [1, 2])"
        raise ArgumentError(describe("coordinate", said, expected, fix))


def _normal(axis: int, value: float, named: NamedDomain) -> np.ndarray:
    """The outward normal in space where a coordinate has an end as its value; zero elsewhere and for time."""
    low, high = named.ends(axis)
    near = ROUNDING * (high - low)
    sign = float(value >= high - near) - float(value <= low + near)
    return sign * (np.array(space_axes(named.coordinates)) == axis)


def _with_fixed(axis: int, value: float, points: np.ndarray) -> np.ndarray:
    # In place: `inside` has just made the array.
    points[:, axis] = value
    return points
