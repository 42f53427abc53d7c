"""Compare an operator with finite differences in double precision, and nested autograd with them too."""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.frameworks import refuse_jax
from dof.operators.higher_order import HigherOrder, products_of
from dof.torch.api.apply import require_function
from dof.torch.api.operator import Operator
from dof.torch.directions import seed_parts
from dof.torch.jets.symbol_at import in_pairs
from dof.torch.readout import channels_of

FIRST = (0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
SECOND = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
"""Central differences of order eight, for n = 0 … 4 steps to either side."""
STEP = 1e-2
"""Truncation is below 1e-14 for functions that vary over lengths of one, rounding about 1e-11."""
STEPS = (1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3)
"""Tried for L₁ @ L₂, where rounding grows with the order: the one is taken at which the result changes least."""

MOST_SAID = 120
"""Characters of an error of nested autograd that are shown."""


@dataclass(frozen=True)
class Check:
    """How far L f is from finite differences, relative to their largest entry.

    Finite differences are the reference, since nested autograd of PyTorch is wrong for some layers.

    Attributes:
        value: L f by dof.
        reference: L f by central differences of order eight in float64, those of one factor after another for L₁ @ L₂.
        error: distance of dof from the reference.
        autograd_error: distance of nested `torch.autograd.grad` from the reference; None if it fails.
        autograd_failure: why it fails, in the words of PyTorch.
    """

    value: Tensor
    reference: Tensor
    error: float
    autograd_error: float | None
    autograd_failure: str = ""

    def __str__(self) -> str:
        nested = (
            f": {self.autograd_error:.1e}" if self.autograd_error is not None else f" fails: {self.autograd_failure}"
        )
        return f"dof is {self.error:.1e} away from finite differences in float64 (nested autograd{nested})"


def check(L: Any, f: Callable[[Any], Any], x: Tensor) -> Check:
    """Compute L f at the points x with dof, by finite differences, and by nested autograd, and compare.

    Args:
        L: an operator.
        f: a module, which is copied to float64, or a function; for a function x must be in float64 already.
        x: points (…, N).

    Examples:
        >>> import torch, dof.torch as dof
        >>> dof.check(dof.laplacian, lambda x: x.sin().sum(-1), torch.ones(2, 3, dtype=torch.float64)).error < 1e-9
        True
    """
    refuse_jax("L", L)
    if not isinstance(L, (Operator, HigherOrder)):
        raise ArgumentTypeError(describe("L", f"is {type(L).__name__}", "an operator", "dof.check(L, net, x)"))
    require_function(f)
    value = L(f)(x).detach()
    if x.dtype == torch.float64:
        double = f
    elif isinstance(f, torch.nn.Module):
        double = copy.deepcopy(f).double()
    else:
        fix = "net.double() for each module that f uses, then dof.check(L, f, x.double()); net.float() takes it back"
        expected = "float64, since f is a function: only a module itself can be copied to float64"
        raise ArgumentError(describe("x", f"has dtype {x.dtype}", expected, fix))
    points = x.detach().double()
    with torch.no_grad():
        reference = _by_differences(L, double, points)
    scale = float(reference.abs().max()) or 1.0
    distance = lambda found: float((found.to(reference.dtype) - reference).abs().max()) / scale  # noqa: E731
    failure = ""
    try:
        nested = distance(_one_after_another(_by_autograd, L, double, points.requires_grad_()).detach())
    except RuntimeError as error:
        nested, failure = None, _first_sentence(error)
    return Check(value, reference, distance(value), nested, failure)


def _first_sentence(error: Exception) -> str:
    """The first sentence of an error of PyTorch, some of which go on with advice; of a long one its beginning."""
    said = " ".join(str(error).split()).split(". ")[0].removesuffix(".")
    return textwrap.shorten(said, MOST_SAID, placeholder=" …") or type(error).__name__


def _one_after_another(apply: Callable[..., Tensor], L: Any, f: Callable[[Any], Any], x: Tensor) -> Tensor:
    """L f for an operator of any order, where `apply` is for a factor of it, a function, and points."""
    # Each factor takes nine times as many points.
    products = [in_pairs(product, x) for product in products_of(L)]
    each = [reduce(lambda g, factor: partial(apply, factor, g), reversed(product), f) for product in products]
    return sum((function(x) for function in each[1:]), each[0](x))


def _by_differences(L: Any, f: Callable[[Any], Any], x: Tensor) -> Tensor:
    """L f by finite differences."""
    if isinstance(L, Operator):
        return _with_step(STEP, L, f, x)
    found = [_one_after_another(partial(_with_step, step), L, f, x) for step in STEPS]
    changes = [float((one - two).abs().max()) / (float(two.abs().max()) or 1.0) for one, two in pairwise(found)]
    return found[changes.index(min(changes)) + 1]


def _with_step(step: float, L: Any, f: Callable[[Any], Any], x: Tensor) -> Tensor:
    """L f of order two by f at points x ± n step d along the directions d of A and b."""

    def along(direction: Tensor, coefficients: tuple[float, ...], order: int) -> Tensor:
        # Along unit vectors, since coefficients may be of any size.
        length = direction.norm(dim=-1, keepdim=True).expand(*x.shape[:-1], 1)
        unit = direction / length.clamp(min=torch.finfo(x.dtype).tiny)
        total = coefficients[0] * f(x)
        for n, c in enumerate(coefficients[1:], 1):
            ahead, behind = f(x + n * step * unit), f(x - n * step * unit)
            total = total + c * (ahead - behind if order == 1 else ahead + behind)
        return total * (length / step).reshape(x.shape[:-1] + (1,) * (total.ndim - x.ndim + 1)) ** order

    return _read(L, f, x, lambda d: along(d, SECOND, 2), lambda d: along(d, FIRST, 1))


def _by_autograd(L: Any, f: Callable[[Any], Any], x: Tensor) -> Tensor:
    """L f by nested `torch.autograd.grad`, as PINN codes have it, at points that require gradients."""
    with torch.enable_grad():
        outputs = f(x)
        columns = outputs.reshape(*x.shape[:-1], -1)
        slopes = [_gradient(columns[..., k].sum(), x, None) for k in range(columns.shape[-1])]

        def first(d: Tensor) -> Tensor:
            return torch.stack([(slope * d).sum(-1) for slope in slopes], -1).reshape(outputs.shape)

        def second(d: Tensor) -> Tensor:
            # d as the vector of the product: it may depend on x, and is not to be differentiated.
            each = [(_gradient(slope, x, d.expand_as(slope)) * d).sum(-1) for slope in slopes]
            return torch.stack(each, -1).reshape(outputs.shape)

        return _read(L, f, x, second, first)


def _gradient(y: Tensor, x: Tensor, vector: Tensor | None) -> Tensor:
    """(∂y/∂x)ᵀ · vector."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (found,) = torch.autograd.grad(y, x, vector, create_graph=True, materialize_grads=True)
    return found


def _mixed(second: Callable[[Any], Tensor], d: Tensor, e: Tensor) -> Tensor:
    """2 ∂_d ∂_e f from second derivatives along directions: ((d + s e)² − d² − (s e)²) / s."""
    # Of one size, since otherwise the smaller one is lost to rounding: to 4e-6 for A = 1e4 (1 + x xᵀ).
    sizes = float(d.detach().norm()), float(e.detach().norm())
    s = sizes[0] / sizes[1] if min(sizes) > 0 else 1.0
    return (second(d + s * e) - second(d) - second(s * e)) / s


def _read(L: Any, f: Any, x: Tensor, second: Callable[[Any], Tensor], first: Callable[[Any], Tensor]) -> Tensor:
    """L f from second derivatives along directions, and first ones along b."""
    channels, (reading,) = channels_of([L], x)
    rows, form, b = seed_parts(channels, x)
    units = torch.eye(form.directions, dtype=torch.float64, device=x.device)
    q = form.contract(units[:, :, None].expand(-1, -1, form.directions), units[:, None].expand(-1, form.directions, -1))
    q = (q + q.mT) / 2
    value = f(x)
    applied = [torch.zeros_like(value) for _ in channels]
    for k in range(form.directions):
        for l in range(k + 1):
            if bool((q[:, k, l] != 0).any()):
                d, e = rows[k], rows[l]  # pyright: ignore[reportOptionalSubscript]
                found = second(d) if k == l else _mixed(second, d, e)
                applied = [a + weight * found for a, weight in zip(applied, q[:, k, l], strict=True)]
    if b is not None:
        applied = [a + first(direction.expand(x.shape)) for a, direction in zip(applied, b, strict=True)]
    return reading.of(value, torch.stack(applied))
