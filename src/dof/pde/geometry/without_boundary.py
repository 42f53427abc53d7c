"""A domain with its boundary left out."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.pde.geometry.domain import Domain


class WithoutBoundary(Domain):
    """The points of another domain, without its boundary: as a factor or a hole it adds no piece."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.size, self.uniforms = domain, domain.size, domain.uniforms
        self.edge_uniforms, self.log_volume, self.area_per_volume = domain.edge_uniforms, domain.log_volume, 0.0

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points of the domain."""
        return self.domain.inside(unit)

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Any points, with normals zero: the area is zero, so that none of them is used."""
        return self.domain.inside(unit[:, :1].repeat(self.uniforms, axis=1)), np.zeros((len(unit), self.size))

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether the domain contains them."""
        return self.domain.contains(points)

    def signed_distance(self, z: Any) -> Any:
        """1 everywhere: there is no boundary."""
        return jnp.ones((), z.dtype)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of the domain."""
        return self.domain.bounds

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates of the domain are times."""
        return self.domain.is_time

    @property
    def is_parameter(self) -> np.ndarray:
        """Which coordinates of the domain are parameters."""
        return self.domain.is_parameter

    def has_face(self, axis: int, value: float) -> bool:
        """Whether the domain has such a face."""
        return self.domain.has_face(axis, value)

    def part_at(self, axis: int) -> Domain:
        """The factor of the domain that has coordinate `axis`."""
        return self.domain.part_at(axis)
