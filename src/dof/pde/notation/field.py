"""An unknown function in a residual: its value behaves as an array, its derivatives have the textbook's subscripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.notation.acts_as_array import ActsAsArray
from dof.pde.notation.derivatives import Applied, Derivative, Gradient, derivative_of
from dof.pde.notation.names import TIME, Names, space_axes, subscripts

Reader = Callable[[Derivative], Any]
"""From a derivative to its value for all components of the network."""


@dataclass
class NetworkReader:
    """What the fields of a residual have in common.

    Attributes:
        coordinates: the names of the coordinates.
        read: from a derivative to its value for all components of the network.
        value: the value of all components.
        is_over: whether the run of the residual that the fields belong to has ended.
    """

    coordinates: Names
    read: Reader
    value: Any
    is_over: bool = False


@jax.tree_util.register_pytree_node_class
class Field(ActsAsArray):
    """An unknown function or a derivative of one, as a residual gets it.

    In expressions it stands for its value. `u.t`, `u.xx`, `u.xxxt`, `u.d("r", "theta")`, `u.laplacian`, `u.biharmonic`
    and `u.apply(L)` are its derivatives, which are fields themselves: `u.x.x` is `u.xx`, and `u.laplacian.t` is what it
    says. What is made of fields by arithmetic is an array, without derivatives. So are gradients. `u[0]` is a
    component, and a field itself.

    Args:
        name: What the user calls it, for errors.
        network: What it is a part of.
        choose: From an array over all components, on its last axis, to the part that this field has.
        monomial: The coordinates that it is differentiated in, each as often as it is.
        laplacians: How many times the Laplacian in space is applied to it.
        applied: An operator of the user that is applied to it.
    """

    def __init__(
        self,
        name: str,
        network: NetworkReader,
        choose: Callable[[Any], Any],
        monomial: tuple[int, ...] = (),
        laplacians: int = 0,
        applied: Applied | None = None,
    ) -> None:
        self._name, self._network, self._choose = name, network, choose
        self._monomial, self._laplacians, self._applied = monomial, laplacians, applied

    @property
    def value(self) -> Any:
        """Its value as an array."""
        # Read when it is asked for: in `u.x.x` the value of u.x is never needed, and would cost a column. Not kept,
        # because it may be asked for inside of a function of JAX, whose values must not leave it.
        return self._choose(self._read_all())

    def _read_all(self) -> Any:
        if self._network.is_over:
            found, expected = "is of an earlier call, and was kept outside of it", "fields of this call only"
            raise ArgumentError(describe(self._name, found, expected, "compute it anew in each call"))
        if self._applied is not None:
            return self._network.read(self._applied)
        if not self._monomial and not self._laplacians:
            return self._network.value
        return self._network.read(derivative_of(self._monomial, self._laplacians, self._space))

    @property
    def _space(self) -> tuple[int, ...]:
        return tuple(space_axes(self._network.coordinates))

    def __getattr__(self, name: str) -> Any:
        # Copying asks a field that has no attributes yet: looking one up would come back here without end.
        if name.startswith("_"):
            raise AttributeError(name)
        coordinates = self._network.coordinates
        found = subscripts(name, coordinates)
        if found is not None:
            return self._differentiated(f"{self._name}.{name}", found)
        if hasattr(jax.Array, name):
            return getattr(jnp.asarray(self.value), name)
        near = get_close_matches(name, ("laplacian", "gradient", "biharmonic", "apply"), 1)
        fix = near[0] if near else f'{coordinates.names[0]}, or {self._name}.d("{coordinates.names[0]}")'
        raise AttributeError(
            f"`{self._name}.{name}` is no derivative: the coordinates are {coordinates}. Write {self._name}.{fix}."
        )

    def d(self, *names: str) -> Any:
        """The derivative in one coordinate or in several, of any order.

        Args:
            *names: Coordinates, or components of them, as "x[0]". In a single coordinate that has components the
                derivative is the gradient, on the last axis.

        Raises:
            ArgumentError: If there is no such coordinate, or a derivative of an order above one is asked for in a
                coordinate that has components.
        """
        self._network.coordinates.require(names, f"{self._name}.d")
        return self._differentiated(f"{self._name}.d({', '.join(map(repr, names))})", names)

    def require_time(self, call: str) -> None:
        """Refuse a residual without a coordinate t, for `call`, which differentiates in it."""
        coordinates = self._network.coordinates
        if TIME not in coordinates.names:
            found = f"is asked of {self._name}, whose coordinates are {coordinates}"
            fix = f'@pde.residual("{coordinates} {TIME}"), or {self._name}.d("{coordinates.names[-1]}")'
            raise ArgumentError(describe(call, found, f"a coordinate {TIME} for ∂/∂{TIME}", fix))

    def _differentiated(self, name: str, names: tuple[str, ...]) -> Any:
        coordinates = self._network.coordinates
        if len(names) == 1 and coordinates.is_vector(names[0]):
            return self._gradient(coordinates.axes(names[0]))
        if any(map(coordinates.is_vector, names)):
            found = f"asks for derivatives of order {len(names)} in {' and '.join(names)}, which has components"
            one = ", ".join(repr(coordinates.each[coordinates.axes(n)[0]]) for n in names)
            fix = f"{self._name}.d({one}), or {self._name}.laplacian"
            raise ArgumentError(describe(name, found, "single coordinates", fix))
        return self._further(name, tuple(coordinates.axes(n)[0] for n in names))

    def _further(self, name: str, monomial: tuple[int, ...] = (), laplacians: int = 0) -> Field:
        """∂^e Δ^k of this field."""
        if self._applied is not None:
            found = f"is a derivative of {self._name}"
            fix = "u.apply(dx @ L), with dx, dy = dof.derivatives(2), for the derivative of u.apply(L) in x"
            raise ArgumentTypeError(describe(name, found, "one of a field or of its partial derivatives", fix))
        both = self._monomial + monomial, self._laplacians + laplacians
        return Field(name, self._network, self._choose, *both)

    def _gradient(self, axes: Iterable[int]) -> Any:
        if self._monomial or self._laplacians or self._applied:
            return jnp.stack([self._further(f"the gradient of {self._name}", (i,)).value for i in axes], axis=-1)
        # `choose` takes components off the last axis, which has the coordinates here.
        return jnp.moveaxis(self._choose(jnp.moveaxis(self._network.read(Gradient(tuple(axes))), -1, 0)), 0, -1)

    @property
    def laplacian(self) -> Field:
        """Σ ∂²u/∂x_i² over all coordinates but time."""
        return self._further(f"{self._name}.laplacian", laplacians=1)

    @property
    def gradient(self) -> Any:
        """∂u/∂x_i for all coordinates but time, on the last axis, as an array."""
        return self._gradient(self._space)

    @property
    def biharmonic(self) -> Field:
        """Σ ∂⁴u/∂x_i²∂x_j² over all coordinates but time."""
        return self._further(f"{self._name}.biharmonic", laplacians=2)

    def apply(self, operator: Any) -> Field:
        """L u for an operator of any order that acts on all coordinates, in their order."""
        name = f"{self._name}.apply"
        if self._monomial or self._laplacians or self._applied:
            fix = "u.apply(L @ dx), with dx, dy = dof.derivatives(2), for L applied to u.x"
            raise ArgumentTypeError(describe(name, f"is given to {self._name}, a derivative", "a field", fix))
        return Field(f"{name}(…)", self._network, self._choose, applied=Applied(operator))

    def __getitem__(self, index: Any) -> Field:
        if not self.shape:
            found = "is a single number, of which a component is asked for"
            raise ArgumentTypeError(describe(self._name, found, "a field with components", 'fields="u[2]"'))
        self._require_component(index)
        choose = lambda array: self._choose(array)[..., index]  # noqa: E731
        rest = self._monomial, self._laplacians, self._applied
        return Field(f"{self._name}[{index}]", self._network, choose, *rest)

    def _require_component(self, index: Any) -> None:
        """Refuse what numbers no component: JAX would take the last one for a number beyond it."""
        size, called = self.shape[0], f"{self._name}[{index}]"
        is_number = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
        expected, fix = f"one of the components 0 to {size - 1}", f"{self._name}[0], or {self._name}[{size - 1}]"
        if is_number and not -size <= index < size:
            raise ArgumentError(describe(called, "is asked for", expected, fix))
        if isinstance(index, (bool, tuple)):
            raise ArgumentTypeError(describe(called, "asks for more than one axis has", expected, fix))

    def tree_flatten(self) -> Any:
        """A field is a pytree of its value, so that it can be an argument of functions of JAX."""
        return (self.value,), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Any:
        """The value: inside of a function of JAX, and in what it returns, a field is an array."""
        return children[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its value: () or (components,)."""
        return jnp.shape(self._choose(self._network.value))

    def __repr__(self) -> str:
        return f"<field {self._name} of {self._network.coordinates}>"
