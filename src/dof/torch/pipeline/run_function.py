"""f on the triple of x: in the context that rules need, and once more where f writes or takes gradients itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

import dof.torch.rules  # noqa: F401 - registers the rules
from dof.errors import ArgumentError, describe
from dof.torch import torch_compat
from dof.torch.in_place import NeedsFunctionalization
from dof.torch.pipeline.propagated import map_outputs
from dof.torch.propagation import NeedsGraph, Propagation
from dof.torch.refusal import refuse, told_as_raised
from dof.torch.rules.detach_and_convert import UsersCalls
from dof.torch.triple import Triple


def run_function(
    f: Callable[[Any], Any], x: Tensor, tangents: Tensor | None, applied: Tensor | None, run: Propagation
) -> Any:
    """f of the triple (x, tangents, applied), checked to have one result for each point."""
    is_constant = tangents is None and applied is None  # for an operator of order zero
    output = f(x) if is_constant else _run(f, lambda: Triple.of_points(x, tangents, applied, run), run)
    map_outputs(lambda y: _require_output(y, x), output)
    return output


def _run(f: Callable[[Any], Any], seed: Callable[[], Triple], run: Propagation) -> Any:
    """f of the triple of x; once more, with a graph of all operations, where f takes gradients itself."""
    # The other backends of attention are fused kernels without rules.
    with sdpa_kernel(SDPBackend.MATH), UsersCalls(), torch_compat.uncompiled(), told_as_raised():
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
    # PyTorch writes some operations out in ones that work in place where an operator is applied to what another gives.
    fix = "write f without it" + (", or apply operators of order two at most" if isinstance(seed.value, Triple) else "")
    return refuse(func, "which writes into memory in a way that dof cannot follow", fix, line=line)


def _require_output(y: Tensor, x: Tensor) -> None:
    points = tuple(x.shape[:-1])
    if isinstance(y, Triple) and torch_compat.comes_from_script(y):
        refuse("torch.jit.script or torch.jit.trace", "which loses gradients", "the module itself, not its script")
    if tuple(y.shape[: len(points)]) != points:
        expected = f"one result for each point, {points} or {str((*points, 0))[:-2]}k)"
        fix = "L(lambda x: net(x).squeeze(-1))(x); means over points come after L"
        raise ArgumentError(describe("f(x)", f"has shape {tuple(y.shape)}", expected, fix))
