"""What else a solution is to obey: a residual of the user's own on a place, and measured values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.conditions.loss_terms import Net, Term
from dof.pde.conditions.places import Setting, place_of
from dof.pde.notation.residual import Residual

NORMAL = "n"
"""The keyword by which a residual gets the normal."""


@dataclass(frozen=True)
class Stated:
    """A residual of the user's own, on a place."""

    residual: Residual
    on: str
    hard: bool = False

    def term(self, setting: Setting) -> Term:
        """Here it meets the names and the domain that it is for, and is checked against them."""
        self._require_same_names(setting)
        wants_normal = NORMAL in self.residual.parameter_names

        def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
            known = {name: v for name, v in parameters.items() if name in self.residual.parameter_names}
            return self.residual.at_point(net, z, known | ({NORMAL: n} if wants_normal else {}), method)

        return Term(f"{self.residual.name} at {self.on}", *place_of(self.on, setting, wants_normal), residual)

    def _require_same_names(self, setting: Setting) -> None:
        """A single field may have another name: it is the only one."""
        own, wanted = self.residual, setting.fields
        has_fields = own.is_single if setting.is_single else not own.is_single and own.fields == wanted
        if own.coordinates != setting.coordinates or not has_fields:
            found = f"has the coordinates {own.coordinates} and the fields {own.fields}"
            expected = f"{setting.coordinates} and {wanted}, as the equation has"
            fields = "" if setting.is_single else f', fields="{wanted}"'
            raise ArgumentError(describe(own.name, found, expected, f'@pde.residual("{setting.coordinates}"{fields})'))


def on(place: str, residual: Residual) -> Stated:
    """A residual that is to vanish on a place: "boundary", "start" or "x=0". It may take the normal as keyword `n`.

    >>> from dof import pde
    >>> radiates = pde.residual("x y")(lambda u, x, y, *, n: pde.grad(u) @ n + u**4)
    >>> pde.on("boundary", radiates).on
    'boundary'
    """
    if not isinstance(residual, Residual):
        fix = 'pde.on("boundary", residual), with @pde.residual("x y") above its def'
        raise ArgumentTypeError(describe("residual", f"is {residual!r}", "a residual", fix))
    return Stated(residual, place)


@dataclass(frozen=True)
class Data:
    """Measured values at points."""

    z: Any
    values: Any
    field: str | None = None
    hard: bool = False

    def term(self, setting: Setting) -> Term:
        """Here it meets the names and the domain that it is for, and is checked against them."""
        setting.require_field(self.field)
        arrays = _numbers("points", self.z), _numbers("values", self.values)
        self._require_shapes(*arrays, setting)
        shape = (len(arrays[0]), *setting.shape_of(self.field))

        def residual(net: Net, parameters: Any, method: str, z: Any, value: Any) -> Any:
            return setting.of_field(self.field, net(z)) - value

        points = arrays[0], arrays[1].reshape(shape)
        return Term(f"data {self.field}" if self.field else "data", 0, lambda unit: points, residual, fixed=shape[0])

    def _require_shapes(self, points: np.ndarray, values: np.ndarray, setting: Setting) -> None:
        """Of single numbers a column is as good as a row."""
        own, count = setting.shape_of(self.field), setting.coordinates.count
        n = points.size // count
        if n == 0 or points.shape != (n, count) or values.shape not in ([(n, *own)] if own else [(n,), (n, 1)]):
            found = f"has points of shape {points.shape} and values of shape {values.shape}"
            expected = f"points of shape (n, {count}) and values of shape {f'(n, {own[0]})' if own else '(n,)'}"
            column = "[:, None]" if points.ndim == count == 1 else ""
            field = f', field="{setting.fields.names[0]}"' if not self.field and len(setting.fields.names) > 1 else ""
            raise ArgumentError(describe("data", found, expected, f"pde.data(points{column}, values{field})"))


def _numbers(argument: str, given: Any) -> np.ndarray:
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError) as error:
        said, fix = f"makes no array: {error}", "pde.data(points, values)"
        raise ArgumentTypeError(describe(argument, said, "an array of numbers", fix)) from None
    if not np.isfinite(array).all():
        fix = "pde.data(points[known], values[known]), with known = np.isfinite(values)"
        raise ArgumentError(describe(argument, "has nan or infinity", "finite numbers", fix))
    return array


def data(points: Any, values: Any, *, field: str | None = None) -> Data:
    """u(points) = values, as measured: points (n, coordinates) and n values, or (n, components) of them.

    >>> from dof import pde
    >>> flat, measured = pde.residual("x")(lambda u, x: u.xx), pde.data([[0.2], [0.7]], [0.1, 0.4])
    >>> [(term.name, term.fixed) for term in pde.Problem(flat, pde.Interval(0, 1), [measured]).terms()]
    [('equation', None), ('data', 2)]
    """
    return Data(points, values, field)
