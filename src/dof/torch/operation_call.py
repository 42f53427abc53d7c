"""One aten operation with its arguments, as a function of the triples among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from dof.torch import torch_compat
from dof.torch.slots import Slots
from dof.torch.triple import Triple, is_smooth


class Call:
    """An operation as a function of its triples.

    Triples of an outer run count as constants: they are operands like any tensor for the inner one. A triple without
    derivatives counts as its value beside others that have some.

    Attributes:
        func: the aten overload.
        args: positional arguments, with triples among them.
        kwargs: keyword arguments.
        triples: the triples of the innermost run, in the order of the arguments.
        values: their values.
        is_recorded: whether autograd, which calls the operation, makes its results part of its graph.
    """

    def __init__(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self.func, self.args, self.kwargs = func, args, kwargs
        leaves = [leaf for leaf in _leaves([*args, *kwargs.values()]) if isinstance(leaf, torch.Tensor)]
        found = [leaf for leaf in leaves if isinstance(leaf, Triple)]
        newest = max(t.run.number for t in found)
        self.triples = [t for t in found if t.run.number == newest]
        self.run = self.triples[0].run
        self.form, self.slots = self.run.form, None
        self.is_recorded = torch.is_grad_enabled() and any(leaf.requires_grad for leaf in leaves)
        if not self.is_constant and any(t.is_constant for t in self.triples):
            self._take_values_of_constants()
        self.values = [t.value for t in self.triples]

    @property
    def is_constant(self) -> bool:
        """Whether no operand has derivatives."""
        return all(t.is_constant for t in self.triples)

    def _take_values_of_constants(self) -> None:
        place = lambda leaf: leaf.value if self.is_operand(leaf) and leaf.is_constant else leaf  # noqa: E731
        self.args = [_map_leaves(place, arg) for arg in self.args]
        self.kwargs = {name: _map_leaves(place, arg) for name, arg in self.kwargs.items()}
        self.triples = [t for t in self.triples if not t.is_constant]

    def __call__(self, *operands: Any) -> Any:
        """The operation with these tensors in place of the triples."""
        return self._with(lambda leaf: leaf, operands)

    def homogeneous(self, *operands: Any) -> Any:
        """The same with zeros for all constant tensors: the linear part of an affine operation."""
        return self._with(lambda leaf: torch.zeros_like(leaf) if is_smooth(leaf) else leaf, operands)

    def _with(self, constant: Callable[[Any], Any], operands: Sequence[Any]) -> Any:
        rest = iter(operands)
        place = lambda leaf: next(rest) if self.is_operand(leaf) else constant(leaf)  # noqa: E731
        args = [_map_leaves(place, arg) for arg in self.args]
        kwargs = {name: _map_leaves(place, arg) for name, arg in self.kwargs.items()}
        return self.func(*args, **kwargs)

    def function_of_triples(self) -> tuple[Callable[..., Any], list[Any], list[int]]:
        """(the operation as a function of all triples, of any run; their values in this run; places of its own)."""
        triples = [leaf for leaf in _leaves([*self.args, *self.kwargs.values()]) if isinstance(leaf, Triple)]
        operands = [leaf.value if self.is_operand(leaf) else leaf for leaf in triples]

        def function(*given: Any) -> Any:
            rest = iter(given)
            place = lambda leaf: next(rest) if isinstance(leaf, Triple) else leaf  # noqa: E731
            args = [_map_leaves(place, arg) for arg in self.args]
            return self.func(*args, **{name: _map_leaves(place, arg) for name, arg in self.kwargs.items()})

        return function, operands, [n for n, leaf in enumerate(triples) if self.is_operand(leaf)]

    def lost_gradients(self) -> str | None:
        """Why gradients or derivatives would be lost by this operation; None if they are not."""
        if any(map(torch_compat.comes_from_script, self.triples)):
            return "to the result of torch.jit.script or torch.jit.trace, which loses gradients"
        return self.run.lost_gradients()

    def keep_slots(self, slots: Slots) -> None:
        """Let directions be the slots of the triples, and give the result these slots."""
        self.form, self.slots = slots.form, slots

    def along_all_directions(self) -> Call:
        """The same operation on triples without slots."""
        place = lambda leaf: leaf.along_all_directions() if self.is_operand(leaf) else leaf  # noqa: E731
        args = [_map_leaves(place, arg) for arg in self.args]
        return Call(self.func, args, {name: _map_leaves(place, arg) for name, arg in self.kwargs.items()})

    def options(self) -> Call:
        """The same operation without its operands: what a backward pass may keep without keeping them alive."""
        new = object.__new__(Call)
        new.func, new.kwargs = self.func, self.kwargs
        new.args = [None if isinstance(arg, Triple) else arg for arg in self.args]
        return new

    def is_operand(self, leaf: Any) -> bool:
        """Whether an argument is a triple of this run."""
        return isinstance(leaf, Triple) and leaf.run is self.run

    def argument(self, name: str, default: Any = None) -> Any:
        """An argument by its name in the schema of the operation."""
        if name in self.kwargs:
            return self.kwargs[name]
        names = [a.name for a in self.func._schema.arguments]
        place = names.index(name) if name in names else len(self.args)
        return self.args[place] if place < len(self.args) else default

    def triple(self, value: Any, tangents: Any, applied: Any) -> Any:
        """The triple of a result; a result without derivatives is a plain tensor, unless it is a view."""
        # PyTorch makes the result of a view operation a view itself, and takes none that is one already.
        if tangents is None and applied is None and not self.is_view:
            return value
        # A real operand that meets a complex or a more precise constant has parts of the lesser dtype.
        tangents, applied = (map_part(lambda part: part.to(value.dtype), part) for part in (tangents, applied))
        new = Triple(value, tangents, applied, self.run)
        new.slots = self.slots
        if self.is_view:  # it shares the memory of its operand
            new.writes, new.seen = self.triples[0].writes, self.triples[0].seen
        return new

    @property
    def is_view(self) -> bool:
        """Whether the results are views of the first operand."""
        returns = self.func._schema.returns
        return bool(returns) and returns[0].alias_info is not None


def _leaves(arguments: Sequence[Any]) -> list[Any]:
    """Arguments, and entries of those that are lists: aten operations nest no deeper."""
    return [leaf for arg in arguments for leaf in (arg if isinstance(arg, (list, tuple)) else (arg,))]


def _map_leaves(function: Callable[[Any], Any], arg: Any) -> Any:
    return [function(entry) for entry in arg] if isinstance(arg, (list, tuple)) else function(arg)


def map_part(function: Callable[[Any], Any], part: Any) -> Any:
    """A function of a part of a triple; None stays None."""
    return None if part is None else function(part)


def add_parts(parts: Any) -> Any:
    """The sum of the parts that are not None; None if there is none."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total
