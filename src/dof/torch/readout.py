"""Operators as channels of a propagation, and how each is read off the triples of f(x).

Numbers and what is known go into the channels. A factor that is learned or depends on x multiplies a channel when it is
read, so that directions stay known and the same for all points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dof.directions.matrix_forms import map_entries
from dof.torch.coefficients import Channel, PointMatrix, PointRows, matrix_at, scalar_at, vector_at


@dataclass
class Reading:
    """L f = Σ factor · applied[channel] + Σ c f.

    Attributes:
        channels: (factor, number of the channel); a factor is a number, or a tensor with one number for each point.
        c: the factors of f itself.
    """

    channels: list[tuple[Any, int]] = field(default_factory=list)
    c: list[Any] = field(default_factory=list)

    def of(self, value: Tensor, applied: Tensor | None) -> Tensor:
        """L f."""
        total = self.derivatives(value, applied)
        for c in self.c:
            total = total + over_outputs(c, value) * value
        return total

    def derivatives(self, value: Tensor, applied: Tensor | None) -> Tensor:
        """(L − c) f."""
        total = None
        for factor, number in self.channels if applied is not None else ():
            part = applied[number].expand(value.shape)  # pyright: ignore[reportOptionalSubscript]
            part = part if isinstance(factor, (int, float)) and factor == 1 else over_outputs(factor, value) * part
            total = part if total is None else total + part
        return torch.zeros_like(value) if total is None else total


def over_outputs(factor: Any, value: Tensor) -> Any:
    """A factor for each point, as it multiplies outputs (…, k)."""
    if not isinstance(factor, torch.Tensor):
        return factor
    dtype = torch.promote_types(value.dtype, torch.complex64) if factor.is_complex() else value.dtype
    return factor.to(dtype).reshape(*factor.shape, *[1] * (value.dim() - factor.dim()))


def channels_of(operators: Sequence[Any], x: Tensor) -> tuple[list[Channel], list[Reading]]:
    """The channels that operators need at the points x, and how each operator is read."""
    channels: list[Channel] = []
    readings = []
    for operator in operators:
        reading, own = Reading(), {}
        for term in operator.terms:
            _add_term(term, x, channels, own, reading)
        readings.append(reading)
    return channels or [Channel()], readings


def _add_term(term: Any, x: Tensor, channels: list[Channel], own: dict[Any, int], reading: Reading) -> None:
    number, factors = 1.0, []
    for scale in term.scales:
        found = scalar_at("scale", scale, x)
        number, factors = (number, [*factors, found]) if isinstance(found, torch.Tensor) else (number * found, factors)
    if term.order == "c":
        reading.c.append(_product([number, *factors, scalar_at("c", term.coefficient, x)]))
        return
    if term.order == "b":
        pieces = [("b", vector_at(term.coefficient, x))]
    else:
        scale, matrix = matrix_at(term.coefficient, x)
        factors = factors if scale is None else [*factors, scale]
        pieces = [("a", matrix)]
    for order, coefficient in pieces:
        for unit, real in _real_parts(order, coefficient, number):
            _add_real(order, real, [unit, *factors], channels, own, reading)


def _real_parts(order: str, coefficient: Any, number: Any) -> list[tuple[Any, Any]]:
    """(1, real part) and (i, imaginary part) of number · coefficient; directions are real."""
    scaled = _scaled(coefficient, number)
    arrays = [scaled] if order == "b" else _arrays(scaled)
    if not any(_is_complex(array) for array in arrays):
        return [(1, scaled)]
    apply = (lambda part: part(scaled)) if order == "b" else (lambda part: _map_matrix(part, scaled))
    return [(1, apply(_real)), (1j, apply(_imaginary))]


def _scaled(coefficient: Any, number: Any) -> Any:
    if number == 1:
        return coefficient
    if isinstance(coefficient, (np.ndarray, torch.Tensor)):
        return number * coefficient
    return _map_matrix(lambda entries: number * entries, coefficient)


def _map_matrix(function: Any, matrix: Any) -> Any:
    if isinstance(matrix, PointMatrix):
        return PointMatrix(function(matrix.columns))
    if isinstance(matrix, PointRows):
        return PointRows(matrix.rows, function(matrix.weights))
    return map_entries(function, matrix)


def _arrays(matrix: Any) -> list[Any]:
    if isinstance(matrix, (PointMatrix, PointRows)):
        return list(vars(matrix).values())
    return [entry for part in matrix for entry in (part if isinstance(part, tuple) else (part,))]


def _is_complex(array: Any) -> bool:
    return array.is_complex() if isinstance(array, torch.Tensor) else np.iscomplexobj(array)


def _real(array: Any) -> Any:
    return array.real


def _imaginary(array: Any) -> Any:
    return array.imag if _is_complex(array) else 0 * array


def _add_real(order: str, part: Any, factors: list[Any], channels: list[Channel], own: dict, reading: Reading) -> None:
    """Add a real coefficient to the channel of this operator with the same factors."""
    # Factors that are tensors have a channel for each object: they are multiplied when the channel is read.
    key = tuple(id(f) if isinstance(f, torch.Tensor) else f for f in factors)
    if key not in own:
        own[key] = len(channels)
        channels.append(Channel())
        reading.channels.append((_product(factors), own[key]))
    channel = channels[own[key]]
    if order == "a":
        channel.matrices.append(part)
    else:
        channel.b = part if channel.b is None else _sum(channel.b, part)


def _sum(b: Any, more: Any) -> Any:
    both = [b, more]
    if any(isinstance(v, torch.Tensor) for v in both):
        like = next(v for v in both if isinstance(v, torch.Tensor))
        b, more = (torch.as_tensor(v, dtype=like.dtype, device=like.device) for v in both)
    return b + more


def _product(factors: Sequence[Any]) -> Any:
    total = 1
    for factor in factors:
        total = factor if isinstance(total, int) and total == 1 else total * factor
    return total
