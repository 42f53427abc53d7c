"""Options that decide how an operator is applied. They change time and memory, never the result."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict

from jax.sharding import Mesh

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown

Structure = Literal["auto", "dense", "sparse"]
CutChoice = Literal["auto"] | None


class OptionKeywords(TypedDict, total=False):
    """The options as keywords of `L(f, …)` and `L.with_value(f, …)`."""

    structure: Structure
    cut: CutChoice
    directions: int | None
    mesh: Mesh | None
    axis: str | None


@dataclass(frozen=True)
class Options:
    """How an operator is applied.

    Attributes:
        structure: "auto" keeps for each element only the directions it depends on, where that pays; "sparse" wherever
            it can be done; "dense" nowhere.
        cut: "auto" looks for few values through which everything later depends on x, and makes their elements the
            coordinates where that pays; None never does.
        directions: how many directions to propagate at once, in groups one after the other; None takes all.
        mesh: devices over which the groups of directions are distributed.
        axis: the axis of the mesh along which they are.
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

    @classmethod
    def of(cls, keywords: Any) -> Options:
        """The options given as keywords; refuses others."""
        known = [f.name for f in fields(cls)]
        for name in keywords:
            if name not in known:
                expected, fix = f"one of {', '.join(known)}", 'L(f, argnums=1, structure="auto")'
                raise ArgumentTypeError(describe(name, "is no option", expected, fix))
        return cls(**keywords)

    @property
    def in_groups(self) -> bool:
        """Whether directions are propagated in groups; these are dense, and have no cuts."""
        return self.directions is not None or self.mesh is not None


def _require_one_of(argument: str, value: object, choices: tuple[object, ...]) -> None:
    # An array compared with a string has many truth values, so only strings are compared.
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        expected = f"one of {', '.join(map(repr, choices))}"
        raise ArgumentError(describe(argument, f"is {shown(value)}", expected, f"L(f, {argument}={choices[0]!r})(x)"))


def _require_directions(directions: object) -> None:
    fix = "L(f, directions=64)(x)"
    if directions is None:
        return
    if isinstance(directions, bool) or not isinstance(directions, int):
        raise ArgumentTypeError(describe("directions", f"is {shown(directions)}", "a positive integer or None", fix))
    if directions < 1:
        raise ArgumentError(describe("directions", f"is {directions}", "a positive integer or None", fix))


def require_mesh(mesh: Mesh | None, axis: str | None) -> None:
    """Refuse a mesh without an axis of it, and the other way round."""
    fix = 'mesh=jax.make_mesh((8,), ("points",)), axis="points"'
    if (mesh is None) != (axis is None):
        given = "mesh" if axis is None else "axis"
        raise ArgumentError(describe("mesh", f"is given as `{given}` alone", "both `mesh` and `axis`", fix))
    if mesh is not None and axis not in mesh.axis_names:
        raise ArgumentError(describe("axis", f"is {axis!r}", f"one of the axes {mesh.axis_names} of `mesh`", fix))


DEFAULT = Options()
