"""An unknown function in a residual: its value behaves as an array, its derivatives have the textbook's subscripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Higher, pair
from dof.pde.notation.derivatives import biharmonic as biharmonic_of
from dof.pde.notation.derivatives import laplacian as laplacian_of
from dof.pde.notation.names import Names, space_axes, subscripts

Reader = Callable[[Derivative], Any]
"""From a derivative to its value for all components of the network."""


@jax.tree_util.register_pytree_node_class
class Field:
    """An unknown function, as a residual gets it.

    In expressions a field stands for its value. `u.t`, `u.xx`, `u.xxxt`, `u.d("r", "theta")`, `u.laplacian`,
    `u.biharmonic` and `u.apply(L)` are its derivatives: arrays, of which no further derivatives are known. `u[0]` is a
    component, and a field itself.

    Args:
        name: For errors.
        coordinates: The names of the coordinates.
        read: From a derivative to its value for all components of the network.
        value: The value of all components.
        choose: From an array over all components, on its last axis, to the part that this field has.
    """

    def __init__(self, name: str, coordinates: Names, read: Reader, value: Any, choose: Callable[[Any], Any]) -> None:
        self._name, self._coordinates, self._read, self._choose = name, coordinates, read, choose
        self.value = choose(value)
        # All components are kept: `choose` of u[0] starts from the layout of the whole network, as derivatives have it.
        self._all = value

    def __getattr__(self, name: str) -> Any:
        # Copying asks a field that has no attributes yet: looking up its `_coordinates` would come back here without
        # end.
        if name.startswith("_"):
            raise AttributeError(name)
        found = subscripts(name, self._coordinates)
        if found is None:
            raise AttributeError(
                f"`{self._name}.{name}` is no derivative: the coordinates are {self._coordinates}. "
                f'Write {self._name}.{self._coordinates.names[0]}, or {self._name}.d("{self._coordinates.names[0]}").'
            )
        return self.d(*found)

    def d(self, *names: str) -> Any:
        """The derivative in one coordinate or in several, of any order.

        Args:
            *names: Coordinates. In a single coordinate that has components the derivative is the gradient, on the last
                axis.

        Raises:
            ArgumentError: If there is no such coordinate, or a derivative of an order above one is asked for in a
                coordinate that has components.
        """
        unknown = [name for name in names if name not in self._coordinates.names]
        fix = f'{self._name}.d("{self._coordinates.names[0]}")'
        if unknown or not names:
            raise ArgumentError(describe("d", f"is given {names}", f"coordinates of {self._coordinates}", fix))
        if len(names) == 1:
            return self._first(names[0])
        if any(map(self._coordinates.is_vector, names)):
            found = f"asks for derivatives of order {len(names)} in {' and '.join(names)}, which has components"
            raise ArgumentError(describe("d", found, "single coordinates", f"{self._name}.laplacian"))
        axes = [self._coordinates.axes(name)[0] for name in names]
        return self._choose(self._read(pair(*axes) if len(axes) == 2 else Higher((tuple(sorted(axes)),))))

    def _first(self, name: str) -> Any:
        axes = self._coordinates.axes(name)
        return self._gradient(axes) if self._coordinates.is_vector(name) else self._choose(self._read(First(axes[0])))

    def _gradient(self, axes: Iterable[int]) -> Any:
        # `choose` takes components off the last axis, which has the coordinates here.
        return jnp.moveaxis(self._choose(jnp.moveaxis(self._read(Gradient(tuple(axes))), -1, 0)), 0, -1)

    @property
    def laplacian(self) -> Any:
        """Σ ∂²u/∂x_i² over all coordinates but time."""
        return self._choose(self._read(laplacian_of(space_axes(self._coordinates))))

    @property
    def gradient(self) -> Any:
        """∂u/∂x_i for all coordinates but time, on the last axis."""
        return self._gradient(space_axes(self._coordinates))

    @property
    def biharmonic(self) -> Any:
        """Σ ∂⁴u/∂x_i²∂x_j² over all coordinates but time."""
        return self._choose(self._read(biharmonic_of(space_axes(self._coordinates))))

    def apply(self, operator: Any) -> Any:
        """L u for an operator of any order that acts on all coordinates, in their order."""
        return self._choose(self._read(Applied(operator)))

    def __getitem__(self, index: Any) -> Field:
        if jnp.ndim(self.value) == 0:
            found = f"is a single number, of which [{index}] is asked"
            raise ArgumentTypeError(describe(self._name, found, "a field with components", f'fields="{self._name}[2]"'))
        choose = lambda array: self._choose(array)[..., index]  # noqa: E731
        return Field(f"{self._name}[{index}]", self._coordinates, self._read, self._all, choose)

    def __jax_array__(self) -> Any:
        return jnp.asarray(self.value)

    def tree_flatten(self) -> Any:
        """A field is a pytree of its value, so that it can be an argument of jitted functions."""
        return (self.value,), (self._name, self._coordinates)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Field:
        """A field of which only the value is known: its derivatives are refused with an error that says why."""
        name, coordinates = static

        def read(_: Derivative) -> Any:
            found = "is read inside of a function of JAX, where it is its value only"
            raise ArgumentError(describe(name, found, "its derivatives outside", f"f({name}.value, {name}.x)"))

        new = object.__new__(cls)
        new._name, new._coordinates, new._read, new._choose = name, coordinates, read, lambda array: array
        new.value = new._all = children[0]
        return new

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its value: () or (components,)."""
        return jnp.shape(self.value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self) -> str:
        return f"<field {self._name} of {self._coordinates}>"


def _delegate(name: str) -> Callable[..., Any]:
    """The method `name` of arrays, for the value of a field."""

    def method(self: Field, *others: Any) -> Any:
        plain = [other.value if isinstance(other, Field) else other for other in others]
        return getattr(jnp.asarray(self.value), name)(*plain)

    return method


for _name in "add radd sub rsub mul rmul truediv rtruediv pow rpow matmul rmatmul neg abs lt le gt ge".split():
    setattr(Field, f"__{_name}__", _delegate(f"__{_name}__"))
