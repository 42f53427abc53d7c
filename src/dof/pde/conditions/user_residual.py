"""A condition that the user writes as a residual: `pde.on("boundary", residual)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.conditions.boundary_parts import text_of
from dof.pde.conditions.loss_term import LossTerm, Net, positive_weight
from dof.pde.conditions.places import place_of
from dof.pde.geometry.named_domain import NORMAL, NamedDomain
from dof.pde.notation.residual import Residual
from dof.pde.planning.residual_terms import terms_at_point


@dataclass(frozen=True)
class OwnResidual:
    """A residual that is to vanish on a place."""

    residual: Residual
    on: Any
    hard: bool = False
    weight: float = 1.0

    def loss_term(self, named: NamedDomain) -> LossTerm:
        """The term of the loss on a domain; refuses names and places that the domain does not have."""
        self._require_same_names(named)
        wants_normal = NORMAL in self.residual.parameter_names
        own = self.residual.with_parameters(named.coordinates.parameters)

        def known(parameters: Any, n: Any) -> Any:
            # The equation may have unknowns that this residual does not take.
            taken = {name: v for name, v in parameters.items() if name in self.residual.parameter_names}
            return taken | ({NORMAL: n} if wants_normal else {})

        def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
            return own.at_point(net, z, known(parameters, n), method)

        def parts(net: Net, parameters: Any, z: Any, n: Any) -> Any:
            return terms_at_point(own, net, z, known(parameters, n))

        place = place_of(self.on, named, wants_normal)
        return LossTerm(self.name, *place, residual, parts=parts, weight=positive_weight(self.weight))

    @property
    def name(self) -> str:
        """The name of the residual and the place."""
        return f"{self.residual.name} at {text_of(self.on)}"

    def _require_same_names(self, named: NamedDomain) -> None:
        """The coordinates and fields of the equation. A single field may have another name: it is the only one."""
        own, wanted = self.residual, named.fields
        has_fields = own.is_single if named.is_single else not own.is_single and own.fields == wanted
        if str(own.coordinates) != str(named.coordinates) or not has_fields:
            found = f"has the coordinates {own.coordinates} and the fields {own.fields}"
            expected = f"{named.coordinates} and {wanted}, as the equation has"
            fields = "" if named.is_single else f', fields="{wanted}"'
            raise ArgumentError(describe(own.name, found, expected, f'@pde.residual("{named.coordinates}"{fields})'))


def on(place: Any, residual: Residual, *, weight: float = 1.0) -> OwnResidual:
    """A residual that is to vanish on a place.

    Args:
        place: "boundary", "start", where a coordinate has a value, as "x=0", the name of a part of the boundary, a
            predicate of the coordinates, or a list of these.
        residual: It may take the outward normal in space as keyword `n`.
        weight: A factor of its loss.

    Examples:
        >>> from dof import pde
        >>> radiates = pde.residual("x y")(lambda u, x, y, *, n: pde.grad(u) @ n + u**4)
        >>> pde.on("boundary", radiates).on
        'boundary'
    """
    if not isinstance(residual, Residual):
        fix = 'pde.on("boundary", residual), with @pde.residual("x y") above its def'
        raise ArgumentTypeError(describe("residual", f"is {shown(residual)}", "a residual", fix))
    return OwnResidual(residual, place, weight=weight)
