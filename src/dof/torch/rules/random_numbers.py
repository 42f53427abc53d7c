"""Operations that draw random numbers: f would be no function of a point.

Dropout of plain values is refused here, that of recurrent layers in `recurrent.py`, that of attention in
`softmax_and_attention.py`. What draws numbers that do not meet x is found by `row_probe.py`.
"""

from __future__ import annotations

from typing import Any

from dof.torch.operation_call import Call
from dof.torch.refusal import refuse
from dof.torch.registry import register


def random_numbers(call: Call) -> Any:
    """Refuse dropout and sampling from values that depend on x."""
    refuse(
        call.func, "which draws random numbers, so that f is no function of x", "net.eval(), or draw them outside of f"
    )


register(
    "refused",
    "native_dropout bernoulli multinomial normal poisson binomial _standard_gamma _sample_dirichlet rrelu_with_noise",
    random_numbers,
)
