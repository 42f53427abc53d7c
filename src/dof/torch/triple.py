"""What takes the place of x: a tensor that carries (value, tangents, applied) through every operation it meets."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.overrides import enable_reentrant_dispatch

from dof.torch import torch_compat
from dof.torch.propagation import Propagation
from dof.torch.quadratic_form import QuadraticForm
from dof.torch.refusal import refuse
from dof.torch.slots import Slots, all_directions


class Triple(Tensor):
    """A value v that depends on x, with its derivatives.

    It is a tensor of the shape of v. Functions of PyTorch and modules take it as they take any tensor; every operation
    comes to `__torch_dispatch__`, below autograd and with composite operations written out, and its rule makes the
    triple of the result.

    Attributes:
        value: v, of any shape (*s).
        tangents: ∂v along each direction, (r, *s), or of size one on axes along which it is constant; None for zero.
            For operators of an order above two, the columns besides the value.
        applied: (L − c) v for each operator (channel), (c, *s), or of size one likewise; None for zero.
        run: the propagation that the triple belongs to.
        slots: where each element has tangents along the directions of its own particle only, the axis of particles
            and the form of these directions; None for all directions.
    """

    value: Tensor
    tangents: Tensor | None
    applied: Tensor | None
    run: Propagation
    slots: Slots | None
    is_seed: bool
    writes: list[int]
    seen: int

    @staticmethod
    def __new__(cls, value: Tensor, tangents: Tensor | None, applied: Tensor | None, run: Propagation) -> Any:
        """The triple of these parts."""
        self = torch_compat.make_triple_shell(cls, value)
        self.value, self.tangents, self.applied, self.run = value, tangents, applied, run
        self.slots, self.is_seed = None, False
        # How often the memory that this triple stands for was written to: views share the list. See `in_place.py`.
        self.writes, self.seen = [0], 0
        return self

    @classmethod
    def of_points(cls, x: Tensor, tangents: Tensor | None, applied: Tensor | None, run: Propagation) -> Any:
        """The triple of x itself, the seed of a propagation."""
        self = cls(x, tangents, applied, run)
        self.is_seed = True
        return self

    @property
    def form(self) -> QuadraticForm:
        """The form that sums the directions of the tangents."""
        return self.run.form if self.slots is None else self.slots.form

    def along_all_directions(self) -> Any:
        """The same triple without slots."""
        if self.slots is None:
            return self
        tangents = None if self.tangents is None else all_directions(self.full_tangents(), self.slots.axis)
        new = type(self)(self.value, tangents, self.applied, self.run)
        new.writes, new.seen = self.writes, self.seen
        return new

    @property
    def parts(self) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """(value, tangents, applied)."""
        return self.value, self.tangents, self.applied

    def shared(self) -> Any:
        """Another tensor with the same parts and the same memory."""
        new = type(self)(self.value, self.tangents, self.applied, self.run)
        new.slots, new.writes, new.seen = self.slots, self.writes, self.seen
        return new

    def put(self, new: Any) -> None:
        """Give the triple the parts of another, or a value that does not depend on x."""
        is_triple = isinstance(new, Triple)
        self.slots, self.is_seed = new.slots if is_triple else None, False
        self.value, self.tangents, self.applied = new.parts if is_triple else (new, None, None)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Functions that PyTorch would write out too far have rules of their own; all others are left to it."""
        from dof.torch.registry import FUNCTIONS

        if kwargs and kwargs.get("out") is not None:
            name = getattr(func, "__name__", "a function")
            refuse(name, "with `out`, for which PyTorch has no derivatives", f"y = torch.{name}(…)")
        with torch_compat.DisableTorchFunctionSubclass():
            return FUNCTIONS.get(func, func)(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Apply the rule of an aten operation."""
        from dof.torch.dispatch import apply_rule

        # Turns autograd on again for the plain tensors inside of rules.
        with enable_reentrant_dispatch():
            return apply_rule(func, args, kwargs or {})

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse to be pickled or saved: derivatives would stay behind."""
        refuse("pickle", "which takes a value that depends on x away from its derivatives", "x.detach() for a constant")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Value, and how many directions there are."""
        return f"<dof.torch.Triple of shape {tuple(self.value.shape)}, {self.run.form.directions} directions>"

    def full_tangents(self) -> Tensor:
        """The tangents with all axes written out, and zeros for None."""
        return _expanded(self.tangents, self.form.directions, self.value)

    def full_applied(self) -> Tensor:
        """What is applied, with all axes written out, and zeros for None."""
        return _expanded(self.applied, self.run.form.channels, self.value)

    @property
    def is_constant(self) -> bool:
        """Whether both derivatives are known to be zero."""
        return self.tangents is None and self.applied is None


def _expanded(part: Tensor | None, count: int, value: Tensor) -> Tensor:
    shape = (count, *value.shape)
    return value.new_zeros(()).expand(shape) if part is None else part.expand(shape)


def is_smooth(value: Any) -> bool:
    """Whether a result can have derivatives: a floating or complex tensor."""
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
