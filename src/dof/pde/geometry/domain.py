"""Where a PDE holds: shapes, their products (`*`), as of space and time, and differences (`-`).

A domain maps uniform numbers in [0, 1) to its points; so Sobol numbers become points that fill it evenly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe


def chosen_by(shares: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """For each uniform number one of the places, as often as its share is."""
    return np.searchsorted(np.cumsum(shares)[:-1] / shares.sum(), unit, side="right")


class Domain(ABC):
    """`size` coordinates; `uniforms` numbers make a point of the inside, `edge_uniforms` one of the boundary."""

    size: int
    uniforms: int
    edge_uniforms: int
    volume: float
    area: float
    """Of the boundary; it and `volume` say how points are shared among the parts of a product."""

    @abstractmethod
    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points (n, size) from uniform numbers (n, uniforms)."""

    @abstractmethod
    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the boundary and the normals there that point outwards."""

    @abstractmethod
    def contains(self, points: np.ndarray) -> np.ndarray:
        """For each point whether it is inside or on the boundary."""

    @abstractmethod
    def distance(self, z: Any) -> Any:
        """A smooth function of one point: zero on the boundary, positive inside, of the order of one."""

    def away(self, z: Any) -> Any:
        """The same around it: zero on the boundary, positive outside."""
        found = f"is taken out, a {type(self).__name__} in {self.size} dimensions"
        expected = "an interval or a ball, if conditions are to hold by construction"
        raise ArgumentError(describe("hole", found, expected, "pde.dirichlet(0.0, hard=False)"))

    @property
    @abstractmethod
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Of a box around it."""

    def has_face(self, axis: int, value: float) -> bool:
        """Whether all its points stay in it when this coordinate of them gets this value."""
        low, high = self.bounds
        return bool(low[axis] <= value <= high[axis])

    def part_at(self, axis: int) -> Domain:
        """The factor of a product that has this coordinate."""
        return self

    def __mul__(self, other: Any) -> Domain:
        return Product(self, other) if isinstance(other, Domain) else NotImplemented

    def __sub__(self, other: Any) -> Domain:
        return Difference(self, other) if isinstance(other, Domain) else NotImplemented


class Product(Domain):
    """The coordinates of the first, then those of the second."""

    def __init__(self, first: Domain, second: Domain) -> None:
        flat = [part.parts if isinstance(part, Product) else (part,) for part in (first, second)]
        self.parts: tuple[Domain, ...] = sum(flat, ())
        self.size = sum(part.size for part in self.parts)
        self.uniforms = sum(part.uniforms for part in self.parts)
        self.edge_uniforms = 1 + sum(max(part.uniforms, part.edge_uniforms) for part in self.parts)
        self.volume = float(np.prod([part.volume for part in self.parts]))
        self.area = sum(part.area * self.volume / part.volume for part in self.parts)

    def inside(self, unit: np.ndarray) -> np.ndarray:
        split = np.split(unit, np.cumsum([part.uniforms for part in self.parts])[:-1], axis=1)
        return np.concatenate([part.inside(u) for part, u in zip(self.parts, split, strict=True)], axis=1)

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """On the boundary of one part, inside of the others. The last number chooses it, by its share of the area."""
        widths = [max(part.uniforms, part.edge_uniforms) for part in self.parts]
        split = np.split(unit[:, :-1], np.cumsum(widths)[:-1], axis=1)
        chosen = chosen_by(np.array([part.area / part.volume for part in self.parts]), unit[:, -1])
        points, normals = [], []
        for k, (part, u) in enumerate(zip(self.parts, split, strict=True)):
            inner = part.inside(u[:, : part.uniforms])
            outer, normal = part.edge(u[:, : part.edge_uniforms]) if part.area else (inner, np.zeros_like(inner))
            here = (chosen == k)[:, None]
            points.append(np.where(here, outer, inner))
            normals.append(np.where(here, normal, 0.0))
        return np.concatenate(points, axis=1), np.concatenate(normals, axis=1)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return np.all([part.contains(p) for part, p in self._split(points)], axis=0)

    def distance(self, z: Any) -> Any:
        result: Any = 1.0
        for part, own in self._split(z):
            result = result * part.distance(own)
        return result

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = zip(*(part.bounds for part in self.parts), strict=True)
        return np.concatenate(low), np.concatenate(high)

    def has_face(self, axis: int, value: float) -> bool:
        part, own = self._factor(axis)
        return part.has_face(own, value)

    def part_at(self, axis: int) -> Domain:
        part, own = self._factor(axis)
        return part.part_at(own)

    def _factor(self, axis: int) -> tuple[Domain, int]:
        """The one that has this coordinate, and which of its own it is."""
        places = [(part, own) for part in self.parts for own in range(part.size)]
        return places[axis]

    def _split(self, points: Any) -> list[tuple[Domain, Any]]:
        ends = np.cumsum([part.size for part in self.parts]).tolist()
        return [(p, points[..., e - p.size : e]) for p, e in zip(self.parts, ends, strict=True)]


class Difference(Domain):
    """The points of `whole` outside of `hole`, which lies inside of it and does not touch its boundary."""

    def __init__(self, whole: Domain, hole: Domain) -> None:
        inside = hole.edge(np.random.default_rng(0).random((256, hole.edge_uniforms)))[0]
        if whole.size != hole.size or not whole.contains(inside).all():
            found = f"has {hole.size} coordinates, or reaches out of the other of {whole.size}"
            fix = "pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5)"
            raise ArgumentError(describe("hole", found, "a domain inside of the other", fix))
        self.whole, self.hole, self.size = whole, hole, whole.size
        self.uniforms = whole.uniforms
        self.edge_uniforms = 1 + max(whole.edge_uniforms, hole.edge_uniforms)
        self.volume = whole.volume - hole.volume
        self.area = whole.area + hole.area

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points that fall into the hole are drawn anew."""
        points = self.whole.inside(unit)
        rng = np.random.default_rng(len(unit))
        for _ in range(1000):
            bad = np.flatnonzero(self.hole.contains(points))
            if not len(bad):
                break
            points[bad] = self.whole.inside(rng.random((len(bad), self.uniforms)))
        return points

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The normals of the hole point into it."""
        outer, normals = self.whole.edge(unit[:, : self.whole.edge_uniforms])
        inner, into = self.hole.edge(unit[:, : self.hole.edge_uniforms])
        is_outer = (unit[:, -1] < self.whole.area / self.area)[:, None]
        return np.where(is_outer, outer, inner), np.where(is_outer, normals, -into)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return self.whole.contains(points) & ~self.hole.contains(points)

    def distance(self, z: Any) -> Any:
        return self.whole.distance(z) * self.hole.away(z)

    def has_face(self, axis: int, value: float) -> bool:
        low, high = self.hole.bounds
        return self.whole.has_face(axis, value) and not low[axis] <= value <= high[axis]

    def part_at(self, axis: int) -> Domain:
        return self.whole.part_at(axis)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.whole.bounds
