"""How an operator goes about its work; the result is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jax.sharding import Mesh

from dof.errors import ArgumentError, ArgumentTypeError, describe

Structure = Literal["auto", "dense", "sparse"]
CutChoice = Literal["auto"] | None


@dataclass(frozen=True)
class Options:
    """structure  "auto": tangents keep for each element only the directions it depends on, where that pays;
               "sparse": wherever it can be; "dense": nowhere
    cut        "auto": where few values carry all influence of x, they take its place, if that pays; None: never
    directions how many directions to take at once; None: all
    mesh, axis devices to spread the directions over
    """

    structure: Structure = "auto"
    cut: CutChoice = "auto"
    directions: int | None = None
    mesh: Mesh | None = None
    axis: str | None = None

    def __post_init__(self) -> None:
        _require_one_of("structure", self.structure, ("auto", "dense", "sparse"))
        _require_one_of("cut", self.cut, ("auto", None))
        _require_directions(self.directions)
        require_mesh(self.mesh, self.axis)

    @property
    def in_groups(self) -> bool:
        """Whether directions are taken in groups; these have neither structure nor cuts."""
        return self.directions is not None or self.mesh is not None


def _require_one_of(argument: str, value: object, choices: tuple[object, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        expected = f"one of {', '.join(map(repr, choices))}"
        raise ArgumentError(describe(argument, f"is {value!r}", expected, f"L(f, {argument}={choices[0]!r})(x)"))


def _require_directions(directions: object) -> None:
    fix = "L(f, directions=64)(x)"
    if directions is None:
        return
    if isinstance(directions, bool) or not isinstance(directions, int):
        raise ArgumentTypeError(describe("directions", f"is {directions!r}", "a positive integer or None", fix))
    if directions < 1:
        raise ArgumentError(describe("directions", f"is {directions}", "a positive integer or None", fix))


def require_mesh(mesh: Mesh | None, axis: str | None) -> None:
    fix = 'mesh=jax.make_mesh((8,), ("points",)), axis="points"'
    if (mesh is None) != (axis is None):
        given = "mesh" if axis is None else "axis"
        raise ArgumentError(describe("mesh", f"is given as `{given}` alone", "both `mesh` and `axis`", fix))
    if mesh is not None and axis not in mesh.axis_names:
        raise ArgumentError(describe("axis", f"is {axis!r}", f"one of the axes {mesh.axis_names} of `mesh`", fix))


DEFAULT = Options()
