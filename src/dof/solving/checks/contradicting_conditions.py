"""Whether two conditions ask for different values of the same field at the same points."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.boundary_parts import boundary_part
from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.places import face_of, fixed_coordinate, place_of
from dof.pde.geometry.named_domain import NamedDomain, takes_normal
from dof.pde.problem import Problem
from dof.solving.point_in_words import place

PROBES = 1024
"""Points among which those of both conditions are looked for: where they share a hundredth, ten are found."""
MOST_NUMBERS = 2**22
"""Coordinates of all these points at most: in very many dimensions there are fewer of them."""
LEAST_SHARED = 2
"""A single point that both have may be a corner, hit by rounding."""
LEAST_DIFFERENCE = 1e-5
"""Up to this share of their size values are the same: one may be of a table, or of a series."""
QUANTITY = {"dirichlet": "{}", "initial": "{}", "initial velocity": "∂{}/∂t", "neumann": "∂{}/∂n"}
"""What a kind of condition gives a value to, for the name of a field."""


def on_contradictions(problem: Problem) -> str:
    """About the first two conditions whose values differ where both hold.

    Where faces meet they share a corner or an edge, in which no points are drawn: values may differ there.
    """
    given = [c for c in problem.conditions if isinstance(c, Condition) and c.kind in QUANTITY]
    known = [c for c in given if not takes_normal(c.value)]
    for one, other in combinations(known, 2):
        fields = [name for name in problem.equation.fields.names if {one.field, other.field} <= {None, name}]
        if fields and QUANTITY[one.kind] == QUANTITY[other.kind]:
            points = shared_points(one.on, other.on, problem.named_domain)
            for field in fields if len(points) >= LEAST_SHARED else []:
                if told := _told(one, other, field, points, problem.named_domain):
                    return told
    return ""


def _told(one: Condition, other: Condition, field: str, points: np.ndarray, named: NamedDomain) -> str:
    """That two conditions differ at some of the points, and where they do most; "" if they do not."""
    a, b = np.broadcast_arrays(*(_values(condition, field, points, named) for condition in (one, other)))
    differences = np.abs(a - b).max(axis=1)
    # Comparisons with nan are false: that a value is no number is told when training starts.
    if (differences > LEAST_DIFFERENCE * np.maximum(np.abs(a), np.abs(b)).max()).sum() < LEAST_SHARED:
        return ""
    worst = int(np.nanargmax(differences))
    where = " and ".join(f"`{name}`" for name in dict.fromkeys((one.name, other.name)))
    said = f"{where if one.name != other.name else f'Two conditions {where}'} contradict each other"
    return (
        f"{said}: at {place(points[worst], named.coordinates.each)} {QUANTITY[one.kind].format(field)} is to be "
        f"{_number(a[worst])} and {_number(b[worst])}, and no function has both.\n"
        "  Fix: leave one of them out, or give them parts with on= that do not overlap"
    )


def shared_points(one: Any, other: Any, named: NamedDomain) -> np.ndarray:
    """Points (n, coordinates) drawn where both conditions hold; none if they share a set without measure."""
    rng, count = np.random.default_rng(0), min(PROBES, 1 + MOST_NUMBERS // named.domain.size)
    faces = face_of(one, named), face_of(other, named)
    if None not in faces:
        place = place_of(one, named)
        return place.points(rng.random((count, place.uniforms)))[0][: count * (faces[0] == faces[1])]
    parts = [boundary_part(on, named, lambda text: fixed_coordinate(text, named)) for on in (one, other)]
    found = np.zeros((0, named.domain.size))
    # Pieces that were named are whole in a part; on others the tests of the part say which points it has.
    for are_named in ((True, True), (True, False), (False, True), (False, False)):
        pieces = [part.named == is_named for part, is_named in zip(parts, are_named, strict=True)]
        domain = named.domain.boundary_part(pieces[0] & pieces[1])
        if domain.area_per_volume:
            points = domain.edge(rng.random((count, domain.edge_uniforms)))[0]
            holds = [is_named | part.holds(points) for part, is_named in zip(parts, are_named, strict=True)]
            found = np.concatenate([found, points[holds[0] & holds[1]]])
    return found


def _values(condition: Condition, field: str, points: np.ndarray, named: NamedDomain) -> np.ndarray:
    """What a condition gives a field at points, (n, components) or (n, 1)."""

    def at(z: Any) -> Any:
        value = jnp.asarray(named.given(condition.value, z))
        return jnp.atleast_1d(named.part_of_values(field, value) if condition.field is None else value)

    return np.asarray(jax.jit(jax.vmap(at))(points))


def _number(values: np.ndarray) -> str:
    """A number, or the components of a field."""
    each = [f"{value:.3g}" for value in values]
    return each[0] if len(each) == 1 else f"({', '.join(each)})"
