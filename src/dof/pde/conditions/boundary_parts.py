"""Parts of a boundary: named ones, where a coordinate has a value, where a predicate holds, or several of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.extend import enable_x64
from dof.pde.argument_checks import require_arguments
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.geometry.rejection import by_rejection
from dof.pde.notation.names import space_axes

BOUNDARY = "boundary"
LOOKED_AT = 4096
"""Points of the boundary among which one of a part must be found: a part of a thousandth is missed once in 60 times."""
ON_PIECE = 64
"""Points at which a condition that holds by construction is looked at, on each smooth piece of the boundary."""
SHOWN_AXES = 3
"""Coordinates whose ends are named in an error; more do not fit into a line."""
AT_VALUE = 1e-12
"""How far from a value, relative to the extent, a coordinate may be by rounding. Near x = −1 of the unit circle are
points as near as any distance: the smaller it is, the less of them pass for a part of the boundary."""
NEAR, ZERO = 1e-9, 1e-14
"""How far from a value, relative to the extent, a coordinate may be by rounding; and what a smooth distance is by
rounding where it is zero. It is small near corners too, hence not the same number."""

Test = Callable[[np.ndarray], np.ndarray]
"""From points (n, coordinates) to truth values (n,)."""


@dataclass(frozen=True)
class BoundaryPart:
    """A part of the boundary of a domain.

    Attributes:
        domain: Whose boundary it is.
        named: A truth value for each smooth piece of the boundary: those that were asked for by name.
        tests: Points at which any of these holds belong to the part as well.
        text: How the user wrote it.
        known: The parts that have names, in words (see `names_of_parts`).
    """

    domain: Domain
    named: np.ndarray
    tests: tuple[Test, ...]
    text: str
    known: str

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Whether any of the tests holds."""
        return np.logical_or.reduce([np.zeros(len(points), bool), *(test(points) for test in self.tests)])

    def sample(self, unit: np.ndarray) -> tuple[np.ndarray, ...]:
        """Points of the part and normals, from (n, 1 + edge_uniforms) numbers; others are replaced by random ones."""
        points, normals = by_rejection(self._candidates, unit, self.refusal)
        return points, normals

    def _candidates(self, unit: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        by_name, others = self.domain.boundary_part(self.named), self.domain.boundary_part(~self.named)
        areas = by_name.area_per_volume, others.area_per_volume
        is_named = unit[:, -1] < areas[0] / sum(areas)
        points, normals = np.empty((2, len(unit), self.domain.size))
        for part, here in ((by_name, np.flatnonzero(is_named)), (others, np.flatnonzero(~is_named))):
            if len(here):
                points[here], normals[here] = part.edge(unit[here, : part.edge_uniforms])
        good = is_named.copy()
        good[~is_named] = self.holds(points[~is_named])
        return (points, normals), good

    def refusal(self, missing: int) -> ArgumentError:
        """That the part has no points."""
        found, fix = f"is {self.text!r}, where no points of the boundary were found", f'on="{BOUNDARY}"'
        return ArgumentError(describe("on", found, f"a part of the boundary, as {self.known}", fix))

    def require_points(self) -> None:
        """Refuse a part that is empty."""
        unit = np.random.default_rng(0).random((min(LOOKED_AT, 1 + 2**22 // self.domain.size), self._uniforms))
        if not self.domain.area_per_volume or not self._candidates(unit)[1].any():
            raise self.refusal(len(unit))

    @property
    def _uniforms(self) -> int:
        return 1 + self.domain.edge_uniforms

    def pieces(self) -> np.ndarray:
        """Which smooth pieces of the boundary make the part.

        Raises:
            ArgumentError: If a piece is in it in part only.
        """
        kept = self.named.copy()
        for k in np.flatnonzero(~self.named):
            piece = self.domain.boundary_part(np.arange(len(kept)) == k)
            # Of a combination some pieces lie inside or outside of the result: these have no points.
            holds = self.holds(_edge_points(piece)) if piece.area_per_volume else np.zeros(1, bool)
            if holds.any() and not holds.all():
                raise self._not_by_construction(f"is {self.text!r}, which divides a smooth piece of the boundary")
            kept[k] = holds.all()
        return kept

    def domain_with_part(self) -> Domain:
        """The domain with this part as its whole boundary: its `distance` is zero there, and nowhere else.

        Raises:
            ArgumentError: If no smooth distance is zero there only.
        """
        kept = self.pieces()
        here, rest = self.domain.boundary_part(kept), self.domain.boundary_part(~kept)
        if not here.area_per_volume:
            raise self.refusal(0)
        with enable_x64():
            distance = lambda points: np.asarray(jax.vmap(here.distance)(points))  # noqa: E731
            is_zero = np.abs(distance(_edge_points(here))).max() < NEAR
            if not is_zero or (rest.area_per_volume and distance(_edge_points(rest)).min() < ZERO):
                raise self._not_by_construction(
                    f"is {self.text!r}, and no smooth function is zero there and only there"
                )
        return here

    def _not_by_construction(self, found: str) -> ArgumentError:
        expected = "whole faces, edges or spheres of the domain, if a condition is to hold by construction"
        return ArgumentError(describe("on", found, expected, "pde.dirichlet(0.0, on=..., hard=False)"))


def _edge_points(domain: Domain) -> np.ndarray:
    return domain.edge(np.random.default_rng(0).random((ON_PIECE, domain.edge_uniforms)))[0]


def boundary_part(on: Any, named: NamedDomain, fixed_coordinate: Callable[[str], tuple[int, float]]) -> BoundaryPart:
    """The part of the boundary that the user means.

    Args:
        on: A name, "x=0", a predicate of the coordinates, or a sequence of these.
        named: The domain and the names of its coordinates.
        fixed_coordinate: From "x=0" to the index and the value of the coordinate; it refuses other texts.
    """
    each = list(on) if isinstance(on, (list, tuple)) else [on]
    names = np.array(named.domain.piece_names())
    kept, tests = np.zeros(named.domain.piece_count, bool), []
    for place in each:
        if isinstance(place, str) and (place == BOUNDARY or (names == place).any()):
            kept |= (names == place) | (place == BOUNDARY)
        elif isinstance(place, str):
            tests.append(_at_value(*fixed_coordinate(place), named))
        elif callable(place):
            tests.append(_predicate(place, named))
        else:
            expected = 'a name, a value as "x=0", a predicate, or several of these'
            fix = f'on="{named.coordinates.each[0]}={named.ends(0)[0]}"'
            raise ArgumentTypeError(describe("on", f"is {shown(place)}", expected, fix))
    return BoundaryPart(named.domain, kept, tuple(tests), text_of(on), names_of_parts(named))


def names_of_parts(named: NamedDomain) -> str:
    """What `on` may be, as '"boundary", "x=0", "x=1", "hole"'; of many coordinates the first ones."""
    axes = [axis for axis in space_axes(named.coordinates) if named.domain.has_face(axis, named.ends(axis)[0])]
    faces = [f"{named.coordinates.each[axis]}={end:g}" for axis in axes[:SHOWN_AXES] for end in named.ends(axis)]
    names = sorted(set(named.domain.piece_names()) - {""})
    return ", ".join(f'"{text}"' for text in [BOUNDARY, *faces, *names])


def text_of(on: Any) -> str:
    """A place in words: "x=0", the name of a predicate, several joined by "and"."""
    if isinstance(on, (list, tuple)):
        return " and ".join(map(text_of, on))
    return getattr(on, "__name__", type(on).__name__).replace("<lambda>", "predicate") if callable(on) else str(on)


def _at_value(axis: int, value: float, named: NamedDomain) -> Test:
    low, high = named.ends(axis)
    return lambda points: np.abs(points[:, axis] - value) <= AT_VALUE * (high - low)


def _predicate(on: Callable[..., Any], named: NamedDomain) -> Test:
    """Point by point, so that `and`, `or` and `x[0]` are what they are in Python."""
    require_arguments("on", on, named.coordinates.names)
    return lambda points: np.array([_is_true(on(*named.split(point)), named) for point in points], bool)


def _is_true(answer: Any, named: NamedDomain) -> bool:
    """A truth value; a number is none: x - 0.5 is true wherever it is not zero."""
    if np.size(answer) == 1 and np.asarray(answer).dtype == bool:
        return bool(answer)
    found = f"is a predicate that returns {shown(answer)}"
    fix = f"lambda {', '.join(named.coordinates.names)}: {named.coordinates.each[0]} < 0.5"
    raise ArgumentTypeError(describe("on", found, "True or False for one point", fix))
