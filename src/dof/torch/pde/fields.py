"""An unknown function in a residual: its value behaves as a tensor, its derivatives have the textbook's subscripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentError, describe
from dof.pde.notation.derivatives import Applied, Derivative, Gradient, derivative_of
from dof.pde.notation.names import Names, space_axes, subscripts


class Field:
    """An unknown function at all points, as a residual gets it.

    In expressions and functions of PyTorch a field stands for its value. `u.t`, `u.xx`, `u.xxxt`,
    `u.d("r", "theta")`, `u.laplacian`, `u.biharmonic`, `u.gradient` and `u.apply(L)` are its derivatives. `u[0]` is a
    component, and a field itself.

    Args:
        name: For errors.
        coordinates: The names of the coordinates.
        read: From a derivative to its value for all components of the network, (…, components).
        value: The value of all components.
        choose: From a tensor over all components, on its last axis, to the part that this field has.
    """

    def __init__(
        self,
        name: str,
        coordinates: Names,
        read: Callable[[Derivative], Tensor],
        value: Tensor,
        choose: Callable[[Tensor], Tensor],
    ) -> None:
        self._name, self._coordinates, self._read, self._choose = name, coordinates, read, choose
        self.value, self._all = choose(value), value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copying asks before there are attributes
            raise AttributeError(name)
        found = subscripts(name, self._coordinates)
        if found is None:
            raise AttributeError(f"`{self._name}.{name}` is no derivative: the coordinates are {self._coordinates}")
        return self.d(*found)

    def d(self, *names: str) -> Tensor:
        """The derivative in one coordinate or in several, of any order.

        In a single coordinate that has components it is the gradient, on the last axis.

        Raises:
            ArgumentError: For names that are no coordinates, and for several of which one has components.
        """
        self._coordinates.require(names, f"{self._name}.d")
        if len(names) == 1:
            axes = self._coordinates.axes(names[0])
            if self._coordinates.is_vector(names[0]):
                return self._gradient(axes)
        if any(map(self._coordinates.is_vector, names)):
            found = f"asks for a derivative of order {len(names)} in {', '.join(names)}"
            fix = f"{self._name}.laplacian"
            raise ArgumentError(describe("d", found, "single coordinates, without components", fix))
        return self._of([self._coordinates.axes(name)[0] for name in names])

    def _of(self, monomial: Sequence[int], laplacians: int = 0) -> Tensor:
        """∂^e Δ^k of this field."""
        return self._choose(self._read(derivative_of(monomial, laplacians, space_axes(self._coordinates))))

    def _gradient(self, axes: Iterable[int]) -> Tensor:
        # `choose` takes components off the last axis, which has the coordinates here.
        return self._choose(self._read(Gradient(tuple(axes))).movedim(-1, 0)).movedim(0, -1)

    @property
    def laplacian(self) -> Tensor:
        """Σ ∂²u/∂x_i² over all coordinates but time."""
        return self._of((), 1)

    @property
    def biharmonic(self) -> Tensor:
        """Σ ∂⁴u/∂x_i²∂x_j² over all coordinates but time."""
        return self._of((), 2)

    @property
    def gradient(self) -> Tensor:
        """∂u/∂x_i for all coordinates but time, on the last axis."""
        return self._gradient(space_axes(self._coordinates))

    def apply(self, operator: Any) -> Tensor:
        """L u for an operator that acts on all coordinates, in their order."""
        return self._choose(self._read(Applied(operator)))

    def __getitem__(self, index: Any) -> Field:
        choose = lambda tensor: self._choose(tensor)[..., index]  # noqa: E731
        return Field(f"{self._name}[{index}]", self._coordinates, self._read, self._all, choose)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Functions of PyTorch take the value."""
        kwargs = {name: value_of(arg) for name, arg in (kwargs or {}).items()}
        return func(*(list(map(value_of, a)) if isinstance(a, (list, tuple)) else value_of(a) for a in args), **kwargs)

    def __repr__(self) -> str:
        return f"<field {self._name} of {self._coordinates}>"


def value_of(operand: Any) -> Any:
    """The value of a field, or what else there is."""
    return operand.value if isinstance(operand, Field) else operand


def _delegate(name: str) -> Callable[..., Any]:
    """The method `name` of tensors, for the value of a field."""
    return lambda self, *others: getattr(torch.Tensor, name)(self.value, *map(value_of, others))


for _name in "add radd sub rsub mul rmul truediv rtruediv pow rpow matmul rmatmul neg abs lt le gt ge".split():
    setattr(Field, f"__{_name}__", _delegate(f"__{_name}__"))
