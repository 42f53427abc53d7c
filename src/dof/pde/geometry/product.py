"""Products of domains, as of space and time."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property, reduce
from itertools import accumulate, chain
from typing import Any

import numpy as np

from dof.pde.geometry.corners import Corner
from dof.pde.geometry.domain import Domain, chosen_by
from dof.pde.geometry.r_functions import conjunction, disjunction


class Product(Domain):
    """The coordinates of the first domain, then those of the second.

    Sizes, volumes and areas come from the two factors alone and not from all parts, so that a product of n domains,
    made by n − 1 multiplications, takes time in proportion to n.
    """

    def __init__(self, first: Domain, second: Domain) -> None:
        self.first, self.second = first, second
        self.size = first.size + second.size
        self.uniforms = first.uniforms + second.uniforms
        # One number more than the parts need together: it chooses the part whose boundary the point lies on.
        self.edge_uniforms = 1 + _edge_width(first) + _edge_width(second)
        self.log_volume = first.log_volume + second.log_volume
        self.piece_count = first.piece_count + second.piece_count
        # area = Σ_k area_k Π_{j≠k} volume_j, so that area / volume is the sum of the parts' ratios
        self.area_per_volume = first.area_per_volume + second.area_per_volume

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        """The factors that are no products themselves, in the order of their coordinates."""
        found: list[Domain] = []
        waiting: list[Domain] = [self]
        while waiting:  # a product of very many domains is nested deeper than Python's recursion goes
            part = waiting.pop()
            if isinstance(part, Product):
                waiting += [part.second, part.first]
            else:
                found.append(part)
        return tuple(found)

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Each part's points from its own share of the uniform numbers."""
        return np.concatenate([part.inside(u) for part, u in self._shares(unit)], axis=1)

    def collocation(self, unit: np.ndarray) -> np.ndarray:
        """Each part's points from its own share of the uniform numbers."""
        return np.concatenate([part.collocation(u) for part, u in self._shares(unit)], axis=1)

    def towards_ends(self, unit: np.ndarray) -> np.ndarray:
        """Each part's share of the uniform numbers, changed by the part."""
        return np.concatenate([part.towards_ends(u) for part, u in self._shares(unit)], axis=1)

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """On the boundary of one part and inside of the others; the last number chooses the part, by its area."""
        split = _split(unit[:, :-1], [_edge_width(part) for part in self.parts])
        # The area of time is 0, so that it is not chosen: points lie on the boundary of space, at any time.
        chosen = chosen_by(np.array([part.area_per_volume for part in self.parts]), unit[:, -1])
        points, normals = [], []
        for k, (part, u) in enumerate(zip(self.parts, split, strict=True)):
            own_points, own_normals = part.inside(u[:, : part.uniforms]), np.zeros((len(unit), part.size))
            here = np.flatnonzero(chosen == k)
            if len(here):
                own_points[here], own_normals[here] = part.edge(u[here, : part.edge_uniforms])
            points.append(own_points)
            normals.append(own_normals)
        return np.concatenate(points, axis=1), np.concatenate(normals, axis=1)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether every part contains its coordinates."""
        return np.all([part.contains(own) for part, own in self._coordinates(points)], axis=0)

    def distance(self, z: Any) -> Any:
        """The product of the parts' distances."""
        result: Any = 1.0
        for part, own in self._coordinates(z):
            result = result * part.distance(own)
        return result

    def signed_distance(self, z: Any) -> Any:
        """The conjunction of the signed distances of the parts that have a boundary."""
        with_boundary = [(part, own) for part, own in self._coordinates(z) if part.area_per_volume]
        return conjunction([part.signed_distance(own) for part, own in with_boundary] or [1.0])

    def outside_distance(self, z: Any) -> Any:
        """The disjunction of what is outside of each part: seen from outside, edges between faces point inwards."""
        with_boundary = [(part, own) for part, own in self._coordinates(z) if part.area_per_volume]
        return disjunction([part.outside_distance(own) for part, own in with_boundary] or [1.0])

    def in_window(self, start: float, end: float) -> Domain:
        """The product of the parts, with time from `start` to `end`."""
        return reduce(Product, (part.in_window(start, end) for part in self.parts))

    def named(self, name: str) -> Domain:
        """The product of the parts with this name."""
        return reduce(Product, (part.named(name) for part in self.parts))

    def piece_names(self) -> tuple[str, ...]:
        """The names of the parts' pieces, one part after the other."""
        return tuple(chain(*(part.piece_names() for part in self.parts)))

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The product of the parts with some of their pieces."""
        split = np.split(kept, list(accumulate(part.piece_count for part in self.parts))[:-1])
        # A part without pieces, as time, stays as it is.
        return reduce(
            Product, (p.boundary_part(own) if len(own) else p for p, own in zip(self.parts, split, strict=True))
        )

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Those of both factors."""
        return self.first.corners + tuple(corner.shifted(self.first.size) for corner in self.second.corners)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of the parts, one after the other."""
        return self._bounds

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = zip(*(part.bounds for part in self.parts), strict=True)
        return np.concatenate(low), np.concatenate(high)

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates are times, one part after the other."""
        return np.concatenate([part.is_time for part in self.parts])

    @property
    def is_parameter(self) -> np.ndarray:
        """Which coordinates are parameters, one part after the other."""
        return np.concatenate([part.is_parameter for part in self.parts])

    def has_face(self, axis: int, value: float) -> bool:
        """Whether the part that has the coordinate has such a face."""
        part, own = self._factor(axis)
        return part.has_face(own, value)

    def part_at(self, axis: int) -> Domain:
        """The factor that has coordinate `axis`."""
        part, own = self._factor(axis)
        return part.part_at(own)

    @cached_property
    def _starts(self) -> list[int]:
        """The first coordinate of each part, and the number of all."""
        return list(accumulate((part.size for part in self.parts), initial=0))

    def _factor(self, axis: int) -> tuple[Domain, int]:
        """The part that has coordinate `axis`, and the index of this coordinate in the part."""
        k = bisect_right(self._starts, axis) - 1
        return self.parts[k], axis - self._starts[k]

    def _shares(self, unit: np.ndarray) -> list[tuple[Domain, np.ndarray]]:
        """Each part with its share of the uniform numbers of an inner point."""
        return list(zip(self.parts, _split(unit, [part.uniforms for part in self.parts]), strict=True))

    def _coordinates(self, points: Any) -> list[tuple[Domain, Any]]:
        """Each part with its own coordinates of the points, which are on the last axis."""
        starts = self._starts
        return [(part, points[..., a:b]) for part, a, b in zip(self.parts, starts, starts[1:], strict=False)]


def _edge_width(part: Domain) -> int:
    """How many numbers are set aside for a part of a product, whose points are inside or on the boundary."""
    # A product in a product gives up its own choice of a part: the outer one chooses among the parts of both.
    return part.edge_uniforms - 1 if isinstance(part, Product) else max(part.uniforms, part.edge_uniforms)


def _split(unit: np.ndarray, widths: list[int]) -> list[np.ndarray]:
    return np.split(unit, list(accumulate(widths))[:-1], axis=1)
