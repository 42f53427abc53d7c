"""Results whose derivatives are zero: detached values, roundings, comparisons, new tensors like another."""

from __future__ import annotations

from typing import Any

from dof.torch.operation_call import Call
from dof.torch.refusal import refuse
from dof.torch.registry import register


def constant(call: Call) -> Any:
    """The result without derivatives, for PyTorch as well."""
    return call(*(value.detach() for value in call.values))


def become_number(call: Call) -> Any:
    """A value that becomes a Python number loses its derivatives, if it has any."""
    name, reason = "float(…), .item() or a similar conversion", "which makes a value that depends on x a Python number"
    if not call.is_constant:
        refuse(name, reason, "keep it a tensor, or write float(h.detach()) if it is to count as a constant")
    return call(*call.values)


register(
    "constant",
    """zeros_like ones_like full_like empty_like new_zeros new_ones new_empty new_full new_empty_strided
    rand_like.default randn_like.default sign floor ceil round trunc argmax argmin isnan isinf isfinite heaviside
    floor_divide signbit nonzero eq ne lt le gt ge logical_and logical_or logical_not logical_xor any all isclose
    searchsorted.Tensor bucketize.Tensor count_nonzero is_nonzero fix argsort histc bincount allclose equal
    logical_not isposinf isneginf randint_like _is_zerotensor _has_same_storage_numel
    _new_zeros_with_same_feature_meta _nested_tensor_from_mask_left_aligned""",
    constant,
)
register("refused", "_local_scalar_dense item", become_number)
