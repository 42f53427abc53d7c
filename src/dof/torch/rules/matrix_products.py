"""Matrix products. In a product of two triples the sum over directions joins the contraction."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch import torch_compat
from dof.torch.fusing import can_fuse
from dof.torch.operation_call import Call, map_part
from dof.torch.registry import FUNCTIONS, aten, register
from dof.torch.rules.bilinear import product_rule
from dof.torch.rules.fused.dense import FusedDense
from dof.torch.triple import Triple


def matrix_product(call: Call) -> Any:
    """Products (…, m, p) · (…, p, n) of matrices with the same number of axes: mm, bmm."""
    x, y = call.args[:2]
    if not call.is_operand(y):
        part = lambda stack: _for_each(_as_value(stack, x, x.dim()), y)  # noqa: E731
        return call.triple(call(*call.values), map_part(part, x.tangents), map_part(part, x.applied))
    cross = lambda g, h: summed_product(call.form.weigh(_even(g, x, -1)), _even(h, y, -2))  # noqa: E731
    B = lambda a, b: torch.matmul(_contracted(a, x, -1), _contracted(b, y, -2))  # noqa: E731
    single = lambda a, b: torch.matmul(_even(a, x, -1), _even(b, y, -2))  # noqa: E731
    return product_rule(call, x, y, call(*call.values), B, cross, single)


def _even(stack: Tensor, operand: Any, axis: int) -> Tensor:
    """A stack whose contracted axis is written out."""
    shape = list(stack.shape)
    shape[axis] = operand.value.shape[axis]
    return stack.expand(shape)


def _contracted(a: Tensor, operand: Any, axis: int) -> Tensor:
    is_stack = isinstance(operand, Triple) and a is not operand.value
    return _even(a, operand, axis) if is_stack else a


def summed_product(weighed: Tensor, h: Tensor) -> Tensor:
    """Σ_k g_k h_k: (c, r, …, m, p) and (r, …, p, n) to (c, …, m, n), the r joined with the contracted p."""
    channels, r, *batch, m, p = weighed.shape
    n = h.shape[-1]
    # Each stack may have size one on axes of the batch.
    batch = list(torch.broadcast_shapes(batch, h.shape[1:-2]))
    left = weighed.expand(channels, r, *batch, m, p).movedim(1, -2).reshape(channels, *batch, m, r * p)
    right = h.expand(r, *batch, p, n).movedim(0, -3).reshape(*batch, r * p, n)
    return torch.matmul(left, right)


def linear_layer(x: Any, weight: Any, bias: Any = None) -> Any:
    """x Wᵀ + b over the last axis of x, for x of any number of axes."""
    is_plain = isinstance(x, Triple) and not isinstance(weight, Triple) and not isinstance(bias, Triple)
    if not is_plain or x.is_constant:
        product = (
            torch.matmul(x, weight.mT)
            if x.dim() > 1 and weight.dim() > 1
            else matmul(x, weight.mT if weight.dim() > 1 else weight)
        )
        return product if bias is None else product + bias
    call = Call(aten.linear.default, (x, weight, bias), {})
    return dense_layer(call, weight, bias) if _is_direct(call) else aten.linear(x, weight, bias)


def _is_direct(call: Call) -> bool:
    """Whether a rule may be called before autograd. If not, `dispatch.py` gets the operation, and says why."""
    (x,) = call.triples
    if torch_compat.is_transformed():  # vmap may have many of the other operand, jvp needs its own derivatives
        return False
    return not x.run.keeps_graph and call.lost_gradients() is None and x.seen == x.writes[0]


def _over_last_axis(call: Call, x: Triple) -> tuple[Call, Triple]:
    """The call, with slots kept unless particles are on the last axis, which a product mixes."""
    if x.slots is not None and x.slots.axis == -1:
        return call, x.along_all_directions()
    if x.slots is not None:
        call.keep_slots(x.slots)
    return call, x


def _product_for_each(call: Call, matrices: Tensor) -> Any:
    """x (…, *p, n, i) times constant matrices (*p, i, o), one for each particle p, without copies of them."""
    call, x = _over_last_axis(call, call.triples[0])
    part = lambda stack: _for_each(_as_value(stack, x, matrices.dim()), matrices)  # noqa: E731
    result = call.triple(_for_each(x.value, matrices), map_part(part, x.tangents), map_part(part, x.applied))
    _log(call, result)
    return result


def _as_value(stack: Tensor, x: Triple, axes: int) -> Tensor:
    """A stack with its last axes written out."""
    return stack.expand(*stack.shape[:-axes], *x.shape[-axes:])


def _for_each(stack: Tensor, matrices: Tensor) -> Tensor:
    # All other axes become rows of one product for each matrix. The result keeps this order in memory, so that the next
    # layer finds it without copies.
    count = matrices.dim() - 2
    if not count:
        return torch.matmul(stack, matrices)
    axes = [d - 2 for d in range(-count, 0)]
    rows = stack.movedim(axes, list(range(count)))
    product = torch.matmul(rows.flatten(count, -2), matrices)
    return product.unflatten(count, rows.shape[count:-1]).movedim(list(range(count)), axes)


def dense_layer(call: Call, weight: Tensor, bias: Tensor | None) -> Any:
    """x Wᵀ + b for the only triple x of a call."""
    call, x = _over_last_axis(call, call.triples[0])
    result = _product_with_weight(call, x, weight, bias)
    _log(call, result)
    return result


def _product_with_weight(call: Call, x: Triple, weight: Tensor, bias: Tensor | None) -> Any:
    """One product for each part."""
    if weight.dim() == 2 and can_fuse(x, weight, bias):
        stacks = (map_part(lambda stack: _even(stack, x, -1), part) for part in (x.tangents, x.applied))
        return call.triple(*FusedDense.apply(weight, bias, x.value, *stacks))
    part = lambda stack: torch.nn.functional.linear(_even(stack, x, -1), weight)  # noqa: E731
    value = torch.nn.functional.linear(x.value, weight, bias)
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def _log(call: Call, result: Any) -> None:
    from dof.torch.trace_log import Step

    if call.run.log is not None:
        call.run.log.append(Step.of(call.func, "bilinear", result))


def matmul(x: Any, y: Any) -> Any:
    """x @ y: a constant matrix on the right is a linear layer without bias; vectors become matrices."""
    if y.dim() == 1:
        return matmul(x, y[:, None])[..., 0]
    if isinstance(x, Triple) and not isinstance(y, Triple) and y.dim() == 2:
        return linear_layer(x, y.mT)
    is_each = isinstance(x, Triple) and not isinstance(y, Triple) and x.dim() >= y.dim() > 2
    if is_each and x.shape[-y.dim() : -2] == y.shape[:-2]:
        call = Call(aten.matmul.default, (x, y), {})
        return _product_for_each(call, y) if _is_direct(call) else torch.matmul(x, y)
    return matmul(x[None], y)[..., 0, :] if x.dim() == 1 else torch.matmul(x, y)


def _reflected(x: Any, y: Any) -> Any:
    return matmul(y, x)


register("bilinear", "mm.default bmm.default", matrix_product)
FUNCTIONS[torch.nn.functional.linear] = linear_layer
FUNCTIONS |= dict.fromkeys((torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__), matmul)
FUNCTIONS[torch.Tensor.__rmatmul__] = _reflected
