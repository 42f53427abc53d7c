"""What of a propagation depends on the operators only: directions, forms, b, readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dof.directions.factor import SecondOrderPart, factor
from dof.directions.known_while_tracing import concatenate
from dof.directions.matrix_forms import Matrix
from dof.directions.shared import SharedDirections, share_directions
from dof.operators.coefficients import Coefficients
from dof.operators.coordinates import Coordinates
from dof.promotion import own_promotion
from dof.triples.readout import Reading
from dof.triples.seed import stacked_b
from dof.typing import Array


@runtime_checkable
class HasCoefficients(Protocol):
    """Something that has coefficients a, b, c at a point x: an operator."""

    def at(self, x: Any, coordinates: Coordinates) -> Coefficients:
        """The coefficients at x."""
        ...


class Prepared(NamedTuple):
    """A prepared propagation: all of it that depends on the operators, not on the function.

    Attributes:
        coordinates: the N coordinates of x.
        directions: the r rows of L, in the order of the tangents, and the quadratic form of each channel.
        b: the first-order coefficients of each channel, (channels, N); None if all are zero.
        readings: for each operator, how it is read off the triples of f(x).
    """

    coordinates: Coordinates
    directions: SharedDirections
    b: Array | None
    readings: list[Reading]

    def with_first_order(self, operators: Sequence[Coefficients]) -> Prepared:
        """The same with further operators that are real and of first order; they need no directions, only a channel."""
        old, new = len(self.directions.weights), len(operators)
        each = [*([None] * old if self.b is None else self.b), *(operator.b for operator in operators)]
        more = [Reading([(1.0, old + n)], operator.c) for n, operator in enumerate(operators)]
        with own_promotion():
            weights = concatenate([self.directions.weights, np.zeros((new, self.directions.size))])
            b = stacked_b(each, self.coordinates)
        return Prepared(self.coordinates, self.directions._replace(weights=weights), b, [*self.readings, *more])


def prepare(
    operators: Sequence[Coefficients],
    coordinates: Coordinates,
    factored: Callable[[Sequence[Matrix], int], SecondOrderPart] = factor,
) -> Prepared:
    """Factor the second-order parts A = Lᵀ Q L of operators and share their directions.

    Args:
        operators: the coefficients of each operator at x.
        coordinates: the coordinates of x.
        factored: (terms of A, N) ↦ the directions of A, all of them or random ones.
    """
    channels: list[Coefficients] = []
    readings = []
    for operator in operators:
        split = operator.real_channels()
        readings.append(Reading([(factor_, len(channels) + n) for n, (factor_, _) in enumerate(split)], operator.c))
        channels += [channel for _, channel in split]
    with own_promotion():
        directions = share_directions([factored(channel.a, coordinates.size) for channel in channels])
        b = stacked_b([channel.b for channel in channels], coordinates)
    return Prepared(coordinates, directions, b, readings)
