"""Operations that draw random numbers: f would be no function of a point.

Dropout of plain values is refused here, that of recurrent layers in `recurrent.py`, that of attention in
`softmax_and_attention.py`. What draws numbers that do not meet x is found by `row_probe.py`.
"""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS, register


def random_numbers(call: Call) -> Any:
    """Refuse dropout and sampling from values that depend on x."""
    refuse(
        call.func, "which draws random numbers, so that f is no function of x", "net.eval(), or draw them outside of f"
    )


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """`torch.nn.functional.rrelu`, refused in training."""
    if training:
        refuse("rrelu", "in training, which draws random numbers, so that f is no function of x", "net.eval()")
    return torch.nn.functional.leaky_relu(x, (lower + upper) / 2, inplace)


register(
    "refused",
    "native_dropout bernoulli multinomial normal poisson binomial _standard_gamma _sample_dirichlet rrelu_with_noise",
    random_numbers,
)
FUNCTIONS[torch.nn.functional.rrelu] = rrelu
