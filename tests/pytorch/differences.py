"""Finite differences: the reference that does not depend on PyTorch's derivatives."""

import torch

from dof.torch.api.check import FIRST, SECOND


def laplacian_by_differences(f, x, step=1e-2):
    """Σ_i ∂²f/∂x_i², by central differences of order eight."""
    total = 0
    with torch.no_grad():
        for direction in torch.eye(x.shape[-1]):

            def along(n, d=direction):
                return f(x + n * step * d)

            total = total + SECOND[0] * f(x) + sum(c * (along(n) + along(-n)) for n, c in enumerate(SECOND[1:], 1))
    return total / step**2


def slope_by_differences(function, step=1e-3):
    """The derivative of a function of one number at zero."""
    with torch.no_grad():
        return sum(c * (function(n * step) - function(-n * step)) for n, c in enumerate(FIRST[1:], 1)) / step


def parameter_slopes(parameters, loss, seed=0):
    """(by backward, by differences): the derivative of a loss along a random direction of each parameter in turn."""
    parameters = [p for p in parameters if p.requires_grad]
    value = loss()
    zeros = [torch.zeros_like(p) for p in parameters]  # for networks whose second derivatives are all zero
    gradients = torch.autograd.grad(value, parameters, materialize_grads=True) if value.requires_grad else zeros
    generator = torch.Generator(device=parameters[0].device).manual_seed(seed)
    pairs = []
    for p, gradient in zip(parameters, gradients, strict=True):
        direction = torch.randn(p.shape, generator=generator, dtype=p.dtype)
        kept = p.detach().clone()

        def moved(t, p=p, kept=kept, direction=direction):
            p.data.copy_(kept + t * direction)
            value = loss()
            p.data.copy_(kept)
            return value

        found = (gradient.conj() * direction).real.sum() if p.is_complex() else (gradient * direction).sum()
        pairs.append((float(found), float(slope_by_differences(moved))))
    return pairs


def assert_close(found, expected, tolerance):
    scale = max(float(torch.as_tensor(expected).abs().max()), 1.0)
    distance = float((torch.as_tensor(found) - torch.as_tensor(expected)).abs().max())
    assert distance <= tolerance * scale, (distance, scale)
