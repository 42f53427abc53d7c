"""Measured values at given points: `pde.data(points, values)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.conditions.loss_term import LossTerm, Net, positive_weight
from dof.pde.geometry.named_domain import NamedDomain


@dataclass(frozen=True)
class MeasuredData:
    """Values of one field, or of all of them, at points z."""

    z: Any
    values: Any
    field: str | None = None
    hard: bool = False
    weight: float = 1.0

    def loss_term(self, named: NamedDomain) -> LossTerm:
        """The term of the loss on a domain; refuses fields and shapes that do not fit."""
        named.require_field(self.field)
        arrays = _finite("points", self.z), _finite("values", self.values)
        self._require_shapes(*arrays, named)
        shape = (len(arrays[0]), *named.shape_of(self.field))

        def residual(net: Net, parameters: Any, method: str, z: Any, value: Any) -> Any:
            return named.of_field(self.field, net(z)) - value

        # A column (n, 1) of a single field becomes (n,): otherwise u − value would have shape (1,) at each point.
        points = arrays[0], arrays[1].reshape(shape)
        return LossTerm(
            self.name, 0, lambda unit: points, residual, fixed=shape[0], weight=positive_weight(self.weight)
        )

    @property
    def name(self) -> str:
        """The word data, with the field that it is about."""
        return f"data {self.field}" if self.field else "data"

    def _require_shapes(self, points: np.ndarray, values: np.ndarray, named: NamedDomain) -> None:
        """Points (n, coordinates), values (n,) or (n, components). Single numbers may also be a column (n, 1)."""
        own, count = named.shape_of(self.field), named.coordinates.count
        n = points.size // count
        if n == 0 or points.shape != (n, count) or values.shape not in ([(n, *own)] if own else [(n,), (n, 1)]):
            found = f"has points of shape {points.shape} and values of shape {values.shape}"
            expected = f"points of shape (n, {count}) and values of shape {f'(n, {own[0]})' if own else '(n,)'}"
            column = "[:, None]" if points.ndim == count == 1 else ""
            field = f', field="{named.fields.names[0]}"' if not self.field and len(named.fields.names) > 1 else ""
            raise ArgumentError(describe("data", found, expected, f"pde.data(points{column}, values{field})"))


def _finite(argument: str, given: Any) -> np.ndarray:
    """What the user gave as an array of finite numbers."""
    try:
        array = np.asarray(given, complex if np.iscomplexobj(given) else float)
    except (TypeError, ValueError) as error:
        said, fix = f"makes no array: {error}", "pde.data(points, values)"
        raise ArgumentTypeError(describe(argument, said, "an array of numbers", fix)) from None
    if not np.isfinite(array).all():
        fix = "pde.data(points[known], values[known]), with known = np.isfinite(values)"
        raise ArgumentError(describe(argument, "has nan or infinity", "finite numbers", fix))
    return array


def data(points: Any, values: Any, *, field: str | None = None, weight: float = 1.0) -> MeasuredData:
    """The condition u(points) = values, as measured.

    Args:
        points: An array (n, coordinates).
        values: n numbers, or (n, components) of them.
        field: Which unknown function was measured; by default all of them.
        weight: A factor of its loss.

    Examples:
        >>> from dof import pde
        >>> flat, measured = pde.residual("x")(lambda u, x: u.xx), pde.data([[0.2], [0.7]], [0.1, 0.4])
        >>> [(term.name, term.fixed) for term in pde.Problem(flat, pde.Interval(0, 1), [measured]).terms()]
        [('equation', None), ('data', 2)]
    """
    return MeasuredData(points, values, field, weight=weight)
