"""An unknown function in a residual: its value behaves as an array, its derivatives have the textbook's subscripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, pair
from dof.pde.notation.derivatives import laplacian as laplacian_of
from dof.pde.notation.names import TIME, Names, space_of, subscripts

Reader = Callable[[Derivative], Any]
"""A derivative of all components of the network."""


@jax.tree_util.register_pytree_node_class
class Field:
    """u, u.t, u.xx, u.xt, `u.d("r", "theta")`, `u.laplacian`, `u.apply(L)`; `u[0]` for a component.

    In expressions it stands for its value. Derivatives are arrays: what is computed from them has none of its own.
    """

    def __init__(self, name: str, coordinates: Names, read: Reader, value: Any, choose: Callable[[Any], Any]) -> None:
        self._name, self._coordinates, self._read, self._choose = name, coordinates, read, choose
        self.value = choose(value)
        self._all = value

    def __getattr__(self, name: str) -> Any:
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
        """The derivative in one coordinate, or in two. In one that has components: the gradient, on the last axis."""
        unknown = [name for name in names if name not in self._coordinates.names]
        fix = f'{self._name}.d("{self._coordinates.names[0]}")'
        if unknown or not names:
            raise ArgumentError(describe("d", f"is given {names}", f"coordinates of {self._coordinates}", fix))
        if len(names) > 2:
            found = f"asks for {self._name}.{''.join(names)}, of order {len(names)}"
            raise ArgumentError(describe("d", found, "order two at most", "a further field for a derivative"))
        if len(names) == 1:
            return self._first(names[0])
        if any(map(self._coordinates.is_block, names)):
            found = f"asks for second derivatives in {' and '.join(names)}, which has components"
            raise ArgumentError(describe("d", found, "single coordinates", f"{self._name}.laplacian"))
        (i,), (j,) = (self._coordinates.places(name) for name in names)
        return self._choose(self._read(pair(i, j)))

    def _first(self, name: str) -> Any:
        places = self._coordinates.places(name)
        return (
            self._gradient(places) if self._coordinates.is_block(name) else self._choose(self._read(First(places[0])))
        )

    def _gradient(self, places: Iterable[int]) -> Any:
        return jnp.moveaxis(self._choose(jnp.moveaxis(self._read(Gradient(tuple(places))), -1, 0)), 0, -1)

    @property
    def laplacian(self) -> Any:
        """Over all coordinates but time."""
        return self._choose(self._read(laplacian_of(space_of(self._coordinates))))

    @property
    def gradient(self) -> Any:
        """In all coordinates but time, on the last axis."""
        return self._gradient(space_of(self._coordinates))

    def apply(self, operator: Any) -> Any:
        """L u for a `dof.Operator` on all coordinates, in their order."""
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
        """As its value: so it gets into functions of JAX, which may be jitted."""
        return (self.value,), (self._name, self._coordinates)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Field:
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
        return jnp.shape(self.value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self) -> str:
        return f"<field {self._name} of {self._coordinates}>"


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Field, *others: Any) -> Any:
        plain = [other.value if isinstance(other, Field) else other for other in others]
        return getattr(jnp.asarray(self.value), name)(*plain)

    return method


for _name in "add radd sub rsub mul rmul truediv rtruediv pow rpow matmul rmatmul neg abs lt le gt ge".split():
    setattr(Field, f"__{_name}__", _delegate(f"__{_name}__"))


def dt(u: Field) -> Any:
    """∂u/∂t

    >>> from dof import pde
    >>> print(pde.residual("x t")(lambda u, x, t: pde.dt(u))(lambda z: z[0] * z[1] ** 2)([3.0, 2.0]))
    12.0
    """
    return u.d(TIME)


def grad(u: Field) -> Any:
    """∇u in space, on the last axis.

    >>> from dof import pde
    >>> print(pde.residual("x y t")(lambda u, x, y, t: pde.grad(u))(lambda z: z[0] * z[1] * z[2])([2.0, 3.0, 1.0]))
    [3. 2.]
    """
    return u.gradient


def div(u: Field) -> Any:
    """Σ ∂u_i/∂x_i in space.

    >>> from dof import pde
    >>> print(pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.div(u))(lambda z: z**2)([1.0, 2.0]))
    6.0
    """
    gradient = u.gradient
    if jnp.ndim(gradient) != 2 or gradient.shape[0] != gradient.shape[1]:
        found = f"has {u.shape or 'no'} components in {gradient.shape[-1]} dimensions"
        raise ArgumentError(describe("u", found, "as many components as there are dimensions", 'fields="u[2]"'))
    return jnp.trace(gradient)


def laplacian(u: Field) -> Any:
    """Δu in space.

    >>> from dof import pde
    >>> print(pde.residual("x[3] t")(lambda u, x, t: pde.laplacian(u))(lambda z: z @ z)([1.0, 2.0, 3.0, 4.0]))
    6.0
    """
    return u.laplacian


def advect(w: Any, u: Field) -> Any:
    """(w · ∇) u, for a velocity w that is a field or an array.

    >>> from dof import pde
    >>> print(pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.advect(u, u))(lambda z: z**2)([1.0, 2.0]))
    [ 2. 16.]
    """
    return u.gradient @ jnp.asarray(w)
