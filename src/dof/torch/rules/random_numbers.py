"""Operations that draw random numbers or mix rows: f is no function of a point."""

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
