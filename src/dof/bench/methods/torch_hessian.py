"""The full Hessian in PyTorch by `torch.func.hessian`, for the networks that are written in it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch  # pyright: ignore[reportMissingImports]

from dof.bench.cases.case import Case
from dof.bench.cases.factored_operators import FactoredOperator


def build(case: Case, operator: FactoredOperator) -> Any:
    """The task of the case, (weights, points) ↦ result, on tensors."""
    phi = case.network.in_torch
    if phi is None:
        raise NotImplementedError("this network is not written in PyTorch")
    matrix = torch.tensor(operator.matrix, dtype=torch.get_default_dtype())
    first = None if operator.first is None else torch.tensor(operator.first, dtype=matrix.dtype)

    def residual(weights: Any, x: Any) -> Any:
        f = partial(phi, weights)
        applied = (matrix * torch.func.hessian(f)(x)).sum()
        if first is not None:
            applied = applied + torch.func.jvp(f, (x,), (first,))[1]
        return case.residual(f(x), applied)

    forward = torch.func.vmap(residual, in_dims=(None, 0))
    if case.task == "forward":
        return torch.no_grad()(forward)

    def step(weights: Any, x: Any) -> Any:
        leaves = [leaf for layer in weights for leaf in layer]
        loss = (forward(weights, x) ** 2).mean()
        # Zeros instead of None for a weight without influence, as the last bias: every array is compared.
        return loss, torch.autograd.grad(loss, leaves, materialize_grads=True)

    return step


def as_tensors(case: Case, weights: Any, x: Any) -> tuple[Any, Any]:
    """Weights and points as tensors; the weights of a training step require gradients."""
    tensor = lambda array: torch.tensor(np.asarray(array))  # noqa: E731
    layers = [tuple(tensor(part).requires_grad_(case.task == "step") for part in layer) for layer in weights]
    return layers, tensor(x)


def as_arrays(result: Any) -> list[np.ndarray]:
    """The tensors of a result as NumPy arrays."""
    leaves = [result] if isinstance(result, torch.Tensor) else [result[0], *result[1]]
    return [leaf.detach().numpy() for leaf in leaves]
