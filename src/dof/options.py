"""How an operator goes about its work; the result is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dof.errors import ArgumentError, describe

Structure = Literal["auto", "dense", "sparse"]
CutChoice = Literal["auto"] | None


@dataclass(frozen=True)
class Options:
    """structure  "auto": tangents keep for each element only the directions it depends on, where that pays;
               "sparse": wherever it can be; "dense": nowhere
    cut        "auto": where few values carry all influence of x, they take its place, if that pays; None: never
    """

    structure: Structure = "auto"
    cut: CutChoice = "auto"

    def __post_init__(self) -> None:
        _require_one_of("structure", self.structure, ("auto", "dense", "sparse"))
        _require_one_of("cut", self.cut, ("auto", None))


def _require_one_of(argument: str, value: object, choices: tuple[object, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        expected = f"one of {', '.join(map(repr, choices))}"
        raise ArgumentError(describe(argument, f"is {value!r}", expected, f"L(f, {argument}={choices[0]!r})(x)"))


DEFAULT = Options()
