"""The whole way of a propagation: coefficients at x → directions and form → triple of x → f → operators read off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

import dof.torch.rules  # noqa: F401 - registers the rules
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.torch import compat, rows
from dof.torch.directions import seed_parts
from dof.torch.in_place import NeedsFunctionalization
from dof.torch.propagation import NeedsGraph, Propagation
from dof.torch.reading import Reading, channels_of
from dof.torch.refusal import refuse, told_as_raised
from dof.torch.rules.functions import UsersCalls
from dof.torch.triple import Triple


@dataclass(frozen=True)
class Propagated:
    """The result of a propagation.

    Attributes:
        output: f(x): a triple, or a tensor that does not depend on x; or a tuple, list or dict of such.
        directions: how many directions were propagated.
        readings: for each operator, how it is read off an output.
    """

    output: Any
    directions: int
    readings: list[Reading]
    run: Propagation

    def each(self, read: Callable[[Tensor, Tensor | None, Tensor | None], Any]) -> Any:
        """`read(value, applied, tangents)` in place of each output."""
        return map_outputs(lambda y: read(*self._parts(y)), self.output)

    def _parts(self, y: Any) -> tuple[Tensor, Tensor | None, Tensor | None]:
        if isinstance(y, Triple) and y.run is self.run:
            y = y.along_all_directions()
            return y.value, y.applied, y.tangents
        return y, None, None


def propagate_operators(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None = None
) -> Propagated:
    """One pass through f for all operators at the points x."""
    _require_points(x)
    rows.require_function_of_rows(f, x, lambda points: _propagated(f, operators, points, None))
    with nullcontext() if isinstance(x, Triple) else rows.without_random_numbers():
        return _propagated(f, operators, x, log)


def _propagated(f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None) -> Propagated:
    channels, readings = channels_of(operators, x)
    tangents, form, applied = seed_parts(channels, x)
    run = Propagation(form, log)
    is_constant = tangents is None and applied is None  # for an operator of order zero
    output = f(x) if is_constant else _run(f, lambda: Triple.of_points(x, tangents, applied, run), run)
    map_outputs(lambda y: _require_output(y, x), output)
    return Propagated(output, form.directions, readings, run)


def _run(f: Callable[[Any], Any], seed: Callable[[], Triple], run: Propagation) -> Any:
    """f of the triple of x; once more, with a graph of all operations, where f takes gradients itself."""
    # The other backends of attention are fused kernels without rules.
    with sdpa_kernel(SDPBackend.MATH), UsersCalls(), compat.uncompiled(), told_as_raised():
        try:
            return _followed(f, seed)
        except NeedsGraph:
            run.keeps_graph = True
            return _followed(f, seed)
        except NotImplementedError as error:
            if "HOP" not in str(error):  # what PyTorch calls operations that take functions
                raise
            reason = f"which takes functions ({str(error).splitlines()[0][:80]})"
            return refuse("torch.cond, map, scan or the like", reason, "if, for and while of Python")


def _followed(f: Callable[[Any], Any], seed: Callable[[], Triple]) -> Any:
    """f of the triple of x; functionalized where f writes into memory that others look at."""
    try:
        return f(seed())
    except NeedsFunctionalization as error:
        return _functionalized(f, seed(), error)


def _functionalized(f: Callable[[Any], Any], seed: Triple, cause: NeedsFunctionalization) -> Any:
    try:
        return torch.func.functionalize(f)(seed)
    except NeedsFunctionalization as error:
        # Operations that are written in C++ and work in place inside are not functionalized.
        func, line = error.args
    except RuntimeError:  # an assertion inside of PyTorch, if f runs with plain points
        with torch.no_grad():
            f(seed.value.clone())
        func, line = cause.args
    return refuse(func, "which writes into memory in a way that dof cannot follow", "write f without it", line=line)


def map_outputs(function: Callable[[Any], Any], output: Any) -> Any:
    """A function of each tensor in a tuple, list or dict of tensors, or of a single one."""
    if isinstance(output, torch.Tensor):
        return function(output)
    if isinstance(output, dict):
        return {name: map_outputs(function, entry) for name, entry in output.items()}
    if isinstance(output, (list, tuple)):
        entries = [map_outputs(function, entry) for entry in output]
        return type(output)(*entries) if hasattr(output, "_fields") else type(output)(entries)
    found, fix = f"returns a value of type {type(output).__name__}", "return a tensor"
    raise ArgumentTypeError(describe("f", found, "a tensor, or a tuple, list or dict of tensors", fix))


def _require_points(x: Any) -> None:
    if compat.functorch_is_active():
        found = "is given to an operator inside of torch.func.grad, vmap, jvp or another transformation"
        fix = "L(f)(x) with all points in the rows of x, and torch.autograd.grad or .backward() for gradients"
        raise ArgumentError(describe("x", found, "plain points in rows, since gradients would be lost", fix))
    if not isinstance(x, torch.Tensor) or not (x.is_floating_point() or x.is_complex()) or x.dim() == 0:
        kind = f"has dtype {x.dtype} and shape {tuple(x.shape)}" if isinstance(x, torch.Tensor) else f"is {type(x)}"
        fix = "x = torch.as_tensor(x, dtype=torch.float32), with N coordinates on the last axis"
        raise ArgumentTypeError(describe("x", kind, "a floating or complex tensor (…, N)", fix))


def _require_output(y: Tensor, x: Tensor) -> None:
    points = tuple(x.shape[:-1])
    if isinstance(y, Triple) and compat.comes_from_script(y):
        refuse("torch.jit.script or torch.jit.trace", "which loses gradients", "the module itself, not its script")
    if tuple(y.shape[: len(points)]) != points:
        expected = f"one result for each point, {points} or {(*points, 'k')}"
        fix = "L(lambda x: net(x).squeeze(-1))(x); means over points come after L"
        raise ArgumentError(describe("f(x)", f"has shape {tuple(y.shape)}", expected, fix))
