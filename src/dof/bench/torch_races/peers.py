"""Operators by what PyTorch has itself: Hessians and gradients of gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # pyright: ignore[reportMissingImports]


def by_hessian(net: Any, a: Any, hessian: Callable[..., Any] = torch.func.hessian) -> Callable[[Any], Any]:
    """Σ a_ij ∂²_ij by the whole Hessian at each point."""
    return lambda x: (torch.func.vmap(hessian(lambda p: net(p[None])[0]))(x) * a).sum((-1, -2))


def reverse_twice(f: Callable[..., Any]) -> Callable[..., Any]:
    """The Hessian of f by reverse over reverse; `torch.func.hessian` is forward over reverse."""
    return torch.func.jacrev(torch.func.jacrev(f))


def by_hessian_rows(net: Any, a: Any) -> Callable[[Any], Any]:
    """Σ a_ij ∂²_ij by the rows of the Hessian of all points, one after the other."""

    @torch.enable_grad()
    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        rows = (torch.autograd.grad(g[:, i].sum(), x, retain_graph=True)[0] for i in range(len(a)))
        return sum(row @ weights for row, weights in zip(rows, a, strict=True))

    return run


def by_nested_autograd(net: Any, second: list[float], first: list[float]) -> Callable[[Any], Any]:
    """Σ second_i ∂_i² + Σ first_i ∂_i by gradients of gradients, as PINN codes have it."""

    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        total = (g * torch.tensor(first)).sum(-1)
        for i, weight in enumerate(second):
            if weight:
                total = total + weight * torch.autograd.grad(g[:, i].sum(), x, create_graph=True)[0][:, i]
        return total

    return run


def by_gradients(net: Any, monomials: dict[tuple[int, ...], float]) -> Callable[[Any], Any]:
    """Σ c ∂^e by gradients of gradients; what two derivatives have in common is computed once."""

    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        values, gradients = {(): net(x)}, {}

        def derivative(e: tuple[int, ...]) -> Any:
            if e not in values:
                before = derivative(e[:-1])
                if e[:-1] not in gradients:
                    (gradients[e[:-1]],) = torch.autograd.grad(before.sum(), x, create_graph=True)
                values[e] = gradients[e[:-1]][:, e[-1]]
            return values[e]

        return sum(c * derivative(e) for e, c in monomials.items())

    return run


def by_two_laplacians(net: Any) -> Callable[[Any], Any]:
    """Δ² by gradients of gradients of the Laplacian."""

    def laplacian(u: Any, x: Any) -> Any:
        (g,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        return sum(torch.autograd.grad(g[:, i].sum(), x, create_graph=True)[0][:, i] for i in range(x.shape[1]))

    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        return laplacian(laplacian(net(x), x), x)

    return run
