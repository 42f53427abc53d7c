"""Functions that take derivatives themselves: the Laplacian of |∇u|², and its gradients in the weights of u."""

import pytest
import torch
from differences import assert_close
from torch.autograd import forward_ad

import dof.torch as dof

WEIGHTS = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()


def u(x):
    """Tanh and exp save their results for a backward pass."""
    return torch.tanh(x @ WEIGHTS.to(x.device)).exp().sum(-1)


def by_autograd(x):
    x = x.clone().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(u(x).sum() + (x**2).sum(), x, create_graph=True)[0] - 2 * x


def by_autograd_as_people_write_it(x):
    x.requires_grad_()
    return torch.autograd.grad(u(x).sum(), x, create_graph=True)[0]


def with_the_attribute(x):
    x = x.clone()
    x.requires_grad = True
    with torch.enable_grad():
        return torch.autograd.grad(u(x).sum(), x, create_graph=True)[0]


def by_autograd_functional(x):
    return torch.stack([torch.autograd.functional.jacobian(u, p, create_graph=True) for p in x])


def by_forward_mode(x):
    slopes = []
    for direction in torch.eye(3):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, direction.expand_as(x))
            slopes.append(forward_ad.unpack_dual(u(dual)).tangent)
    return torch.stack(slopes, -1)


GRADIENTS = {
    "torch.autograd.grad": by_autograd,
    "torch.autograd.grad without enable_grad": by_autograd_as_people_write_it,
    "requires_grad = True": with_the_attribute,
    "torch.autograd.functional.jacobian": by_autograd_functional,
    "forward_ad": by_forward_mode,
    "torch.func.grad": lambda x: torch.func.grad(lambda x: u(x).sum())(x),
    "torch.func.jacfwd": torch.func.vmap(torch.func.jacfwd(u)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_derivatives_inside_of_f(name):
    x = torch.randn(4, 3)
    found = dof.laplacian(lambda x: (GRADIENTS[name](x) ** 2).sum(-1))(x)
    squared = lambda p: (torch.func.jacrev(u)(p) ** 2).sum()  # noqa: E731
    expected = torch.func.vmap(lambda p: torch.func.hessian(squared)(p).trace())(x)
    assert_close(found.detach(), expected.detach(), 1e-12)
    gradients = [torch.autograd.grad((y**2).sum(), WEIGHTS)[0] for y in (found, expected)]
    assert_close(*gradients, 1e-11)


def test_gradients_of_intermediate_values():
    """The weights make every value require gradients, so that PyTorch can be asked for any of them."""

    def f(x):
        with torch.enable_grad():
            h = torch.tanh(x * WEIGHTS[:, 0])
            return torch.autograd.grad((h @ WEIGHTS).exp().sum() + h.sum(), h, create_graph=True)[0].sum(-1)

    x = torch.randn(4, 3)
    exact = lambda x: (torch.exp(torch.tanh(x * WEIGHTS[:, 0]) @ WEIGHTS) @ WEIGHTS.T).sum(-1)  # noqa: E731
    assert_close(dof.laplacian(f)(x).detach(), dof.laplacian(exact)(x).detach(), 1e-12)
