"""What comes out of a propagation, and functions of outputs that may be tuples, lists or dicts of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentTypeError, describe
from dof.torch.propagation import Propagation
from dof.torch.triple import Triple


@dataclass(frozen=True)
class Propagated:
    """The result of a propagation.

    Attributes:
        output: f(x): a triple, or a tensor that does not depend on x; or a tuple, list or dict of such.
        directions: how many directions were propagated.
        readings: for each operator, how it is read off an output.
        run: the propagation.
        columns: the meanings of the columns, for operators of an order above two.
    """

    output: Any
    directions: int
    readings: Sequence[Any]
    run: Propagation
    columns: tuple[str, ...] = ()

    def each(self, read: Callable[[Tensor, Tensor | None, Tensor | None], Any]) -> Any:
        """`read(value, applied, tangents)` in place of each output.

        For operators of an order above two, `applied` has the columns besides the value.
        """
        return map_outputs(lambda y: read(*self._parts(y)), self.output)

    def _parts(self, y: Any) -> tuple[Tensor, Tensor | None, Tensor | None]:
        if not isinstance(y, Triple) or y.run is not self.run:
            return y, None, None
        y = y.along_all_directions()
        return (y.value, y.tangents, None) if self.columns else (y.value, y.applied, y.tangents)


@dataclass(frozen=True)
class Nested:
    """What operators applied one after another gave.

    Attributes:
        value: f(x), a tensor, or a tuple, list or dict of tensors.
        results: L f for each operator, of the same structure.
        why: why they were not applied by one propagation.
    """

    value: Any
    results: Sequence[Any]
    why: str
    directions = 0
    columns = ("by nesting",)

    @property
    def readings(self) -> list[NestedReading]:
        """The operators by their numbers."""
        return list(map(NestedReading, range(len(self.results))))

    def each(self, read: Callable[..., Any]) -> Any:
        """`read(value, results, None)` in place of each output, with the results of all operators."""
        return zip_outputs(lambda value, *results: read(value, results, None), [self.value, *self.results])


@dataclass(frozen=True)
class NestedReading:
    """An operator by its number among the results."""

    number: int

    def of(self, value: Tensor, results: Sequence[Tensor]) -> Tensor:
        """L f."""
        return results[self.number]


def map_outputs(function: Callable[[Any], Any], output: Any) -> Any:
    """A function of each tensor in a tuple, list or dict of tensors, or of a single one."""
    return zip_outputs(function, [output])


def zip_outputs(function: Callable[..., Any], outputs: Sequence[Any]) -> Any:
    """A function of the tensors at the same place in several outputs of the same structure."""
    first = outputs[0]
    if isinstance(first, torch.Tensor):
        return function(*outputs)
    if isinstance(first, dict):
        return {name: zip_outputs(function, [output[name] for output in outputs]) for name in first}
    if isinstance(first, (list, tuple)):
        entries = [zip_outputs(function, entry) for entry in zip(*outputs, strict=True)]
        return type(first)(*entries) if hasattr(first, "_fields") else type(first)(entries)
    found, fix = f"returns a value of type {type(first).__name__}", "return a tensor"
    raise ArgumentTypeError(describe("f", found, "a tensor, or a tuple, list or dict of tensors", fix))
