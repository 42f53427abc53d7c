"""Any operation F that PyTorch differentiates twice.

The derivative F'(v)[g] is taken as the transpose of the transpose (two vjps), since a jvp inside of a jvp is wrong in
PyTorch for some operations; its derivative along g again is the curvature. Operations of other libraries are refused:
they may have no derivatives, which shows as zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.func import jvp, vjp, vmap

from dof.torch.operation_call import Call, add_parts
from dof.torch.refusal import NoRuleError, refuse
from dof.torch.triple import Triple, is_smooth


def general(call: Call) -> Any:
    """The triples of the results, direction by direction."""
    if call.func.namespace != "aten" or (call.func in WRONG and call.argument("reduce", "prod") == "prod"):
        refuse(call.func, "which has no derivatives that dof can rely on", FIX, NoRuleError)
    try:
        return _general(call)
    except NoRuleError:
        raise
    except (RuntimeError, NotImplementedError, TypeError) as error:
        reason = f"which PyTorch cannot differentiate twice ({str(error).splitlines()[0][:120]})"
        refuse(call.func, reason, FIX, NoRuleError)


WRONG = {
    torch.ops.aten.as_strided_scatter.default,
    torch.ops.aten.linalg_householder_product.default,
    torch.ops.aten.scatter_reduce.two,
    torch.ops.aten.index_reduce.default,
}
"""Operations whose derivatives PyTorch 2.13 gets wrong, compared with finite differences; of reductions
the products only."""

FIX = "write it out in other operations of PyTorch"


_DIFFERENTIABLE: set[Any] = set()


def require_derivatives(call: Call) -> None:
    """Refuse an operation for which PyTorch has no derivative: it would count as a constant, without an error."""
    if call.func in _DIFFERENTIABLE:
        return
    function, operands, _ = call.function_of_triples()
    with torch.enable_grad():
        found = function(*(_plain(operand).detach().requires_grad_() for operand in operands))
    if not any(y.requires_grad for y in ([found] if isinstance(found, torch.Tensor) else found) if is_smooth(y)):
        refuse(call.func, "which has no derivatives in PyTorch", FIX, NoRuleError)
    _DIFFERENTIABLE.add(call.func)


def _plain(operand: Any) -> Tensor:
    """The value of a triple of any run."""
    return _plain(operand.value) if isinstance(operand, Triple) else operand


def promoted(operands: Sequence[Any], *outputs: Tensor) -> tuple[Any, ...]:
    """The operands, complex where a result is: PyTorch takes the real part of a derivative in a real operand."""
    complexes = [y.dtype for y in outputs if y.is_complex()]
    return tuple(v.to(complexes[0]) if complexes else v for v in operands)


def _general(call: Call) -> Any:
    found = call(*call.values)
    is_single = isinstance(found, torch.Tensor)
    outputs = [found] if is_single else list(found)
    smooth = [n for n, y in enumerate(outputs) if is_smooth(y)]
    if smooth:
        require_derivatives(call)
        parts = _derivatives(call, smooth, [outputs[n] for n in smooth])
        for n, g, s in zip(smooth, *parts, strict=True):
            outputs[n] = call.triple(outputs[n], g, s)
    return outputs[0] if is_single else type(found)(outputs) if isinstance(found, (list, tuple)) else outputs


def _derivatives(call: Call, smooth: list[int], outputs: list[Tensor]) -> tuple[list[Any], list[Any]]:
    """(tangents, applied) of the smooth results."""
    values = promoted(call.values, *outputs)

    def F(*v: Tensor) -> tuple[Tensor, ...]:
        found = call(*v)
        results = [found] if isinstance(found, torch.Tensor) else found
        return tuple(results[n] for n in smooth)

    def derivative(*v_and_g: Any) -> tuple[Tensor, ...]:
        """F'(v)[g]; linear in g."""
        v, g = v_and_g[: len(values)], v_and_g[len(values) :]
        y, pull, *_ = vjp(F, *v)
        return vjp(pull, y)[1](tuple(g))[0]

    tangents: list[Any] = [None] * len(smooth)
    applied: list[Any] = [None] * len(smooth)
    if any(t.applied is not None for t in call.triples):
        s = [t.full_applied().to(v.dtype) for t, v in zip(call.triples, values, strict=True)]
        applied = list(vmap(lambda *s: derivative(*values, *s))(*s))
    if any(t.tangents is not None for t in call.triples):
        g = tuple(t.full_tangents().to(v.dtype) for t, v in zip(call.triples, values, strict=True))
        tangents = list(vmap(lambda *g: derivative(*values, *g))(*g))
        curvature = _curvature(call, derivative, values, g)
        applied = [add_parts(pair) for pair in zip(applied, curvature, strict=True)]
    return tangents, applied


def _curvature(call: Call, derivative: Any, values: Any, g: Any) -> list[Tensor]:
    """Σ_kl q_kl F''(v)[g_k, g_l] for each channel, with one sum over l inside: F''[g_k, Σ_l q_kl g_l]."""
    weighed = [call.form.weigh(stack) for stack in g]

    def along(*pair: Tensor) -> tuple[Tensor, ...]:
        one, two = pair[: len(g)], pair[len(g) :]
        return jvp(lambda *v: derivative(*v, *one), values, tuple(two))[1]

    per_channel = lambda *w: tuple(t.sum(0) for t in vmap(along)(*g, *w))  # noqa: E731
    return list(vmap(per_channel)(*weighed))
