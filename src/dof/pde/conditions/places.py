"""Where a condition holds: on the boundary or parts of it, where a coordinate has a value, or at both ends of one."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.conditions.boundary_parts import BOUNDARY, boundary_part, names_of_parts
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.names import TIME, space_axes

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
    face = face_of(on, named)
    if face is None:
        return _part(on, named)
    axis, value = face
    normal = _normal(axis, value, named)
    if with_normal and not normal.any():
        found, fix = f"is {shown(on)}, where no normal points outwards", f'on="{BOUNDARY}"'
        raise ArgumentError(describe("on", found, f"an end of a coordinate in space, as {names_of_parts(named)}", fix))

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


def require_boundary(on: Any, named: NamedDomain) -> None:
    """Refuse a value of a coordinate in space that lies between its ends, where there is no boundary.

    Times and parameters may have any value: they have no boundary, and u may be given at the end of time.
    """
    for place in on if isinstance(on, (list, tuple)) else [on]:
        if face := face_of(place, named):
            _require_end(place, *face, named)


def _require_end(on: str, axis: int, value: float, named: NamedDomain) -> None:
    if axis in space_axes(named.coordinates) and not _normal(axis, value, named).any():
        name, (low, high) = named.coordinates.each[axis], named.ends(axis)
        found = f"is {shown(on)}, inside of the domain, where {name} goes from {low:g} to {high:g}"
        fix = f'on="{name}={low:g}"; pde.on("{on}", residual) or pde.data(points, values) for u inside'
        raise ArgumentError(describe("on", found, f"a part of the boundary, as {names_of_parts(named)}", fix))


def face_of(on: Any, named: NamedDomain) -> tuple[int, float] | None:
    """The coordinate and the value of "start", or of "x=0" if all points may take it; None for other places."""
    if not isinstance(on, str) or on == BOUNDARY:
        return None
    if on != START and "=" not in on and on in named.domain.piece_names():
        return None
    axis, value = fixed_coordinate(on, named)
    return (axis, value) if named.domain.has_face(axis, value) else None


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
        raise ArgumentError(describe("coordinate", f"is {shown(coordinate)}", expected, fix))
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
        known = names_of_parts(named)
        start = f'"{START}" of time, ' if named.axis(TIME) is not None else ""
        expected = f"{known}, {start}a predicate, or a value of {named.coordinates}, as {first}"
        near = get_close_matches(on, named.domain.piece_names(), 1)
        fix = f'on="{near[0]}"' if near else f"on={first}"
        # Without flat ends, as of a disk, a part has its name from the shape that it belongs to.
        if not near and "=" not in known and str(on).isidentifier():
            fix = f"(shape).named({on!r}) for the part of the domain that has this boundary, then on={on!r}"
        raise ArgumentError(describe("on", f"is {shown(on)}", expected, fix))
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
        raise ArgumentError(describe(argument, f"is {shown(found)}, outside of the domain", expected, fix))


def _require_face(coordinate: Any, axis: int, value: float, named: NamedDomain) -> None:
    if not named.domain.has_face(axis, value):
        name = named.coordinates.each[axis]
        said = f"is {shown(coordinate)}, and points of the domain would leave it with {name} = {value}"
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
