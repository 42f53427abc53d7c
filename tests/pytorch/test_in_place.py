"""Functions that write into tensors: values and gradients as without writes."""

import pytest
import torch
from differences import assert_close

import dof.torch as dof

WEIGHTS = torch.linspace(-1, 1, 9, dtype=torch.float64).reshape(3, 3).requires_grad_()


def hidden(x):
    return torch.tanh(x @ WEIGHTS.to(x.device))


def writes_into_zeros(x):
    out = torch.zeros(x.shape[0], 4)
    out[:, 0] = x[:, 0] ** 3
    out[:, 1:] = hidden(x)
    out[:, 0] += out[:, 1]
    return (out**2).sum(-1)


def writes_through_a_view(x):
    h = hidden(x)
    first = h[:, 0:1]
    h += x**2
    first.mul_(2)
    return (h**2).sum(-1) + first[:, 0]


def writes_under_a_mask(x):
    h = hidden(x).sin_()
    h *= 2
    h[h > 0.1] = 0.3
    return (h**2).sum(-1)


def changes_shapes(x):
    h = (hidden(x) ** 3).unsqueeze(0)
    return h.squeeze_(0).transpose_(0, 1).sum(0)


def copies(x):
    h = torch.empty_like(x)
    h.copy_(hidden(x))
    h[:, 1] *= h[:, 0]
    return h.exp().sum(-1)


def fills_a_matrix(x):
    h = torch.zeros(x.shape[0], 3, 3)
    h[:, range(3), range(3)] = hidden(x).exp()
    h[:, 0, 1] = x[:, 2]
    return h[:, 0, 0] * h[:, 1, 1] * h[:, 2, 2] + h[:, 0, 1] ** 3


def raises_to_powers(x):
    """Names of overloads differ from those without writes: pow_.Scalar is pow.Tensor_Scalar."""
    return (hidden(x) + 2).pow_(3).pow_(x).sum(-1)


def fills_with_constants(x):
    h = hidden(x) * 1.0
    h[:, 0] = WEIGHTS[0, 0]
    h[:, 1].fill_(2.0)
    return (h**2 * x**2).sum(-1)


def doubled_first(h):
    return torch.cat([2 * h[..., :1], h[..., 1:]], -1)


def bent(p):
    return torch.tanh(p @ WEIGHTS.to(p.device))


PAIRS = {
    writes_into_zeros: lambda p: (p[0] ** 3 + bent(p)[0]) ** 2 + (bent(p) ** 2).sum(),
    writes_through_a_view: lambda p: (doubled_first(bent(p) + p**2) ** 2).sum() + 2 * (bent(p) + p**2)[0],
    writes_under_a_mask: lambda p: (torch.where(2 * bent(p).sin() > 0.1, 0.3, 2 * bent(p).sin()) ** 2).sum(),
    changes_shapes: lambda p: (bent(p) ** 3).sum(),
    copies: lambda p: torch.stack([bent(p)[0], bent(p)[1] * bent(p)[0], bent(p)[2]]).exp().sum(),
    fills_a_matrix: lambda p: bent(p).exp().prod() + p[2] ** 3,
    raises_to_powers: lambda p: ((bent(p) + 2) ** 3).pow(p).sum(),
    fills_with_constants: lambda p: WEIGHTS[0, 0] ** 2 * p[0] ** 2 + 4 * p[1] ** 2 + bent(p)[2] ** 2 * p[2] ** 2,
}


@pytest.mark.parametrize("f", PAIRS, ids=lambda f: f.__name__)
def test_writes_in_place(f):
    x = torch.randn(4, 3)
    found = dof.laplacian(f)(x)
    expected = torch.func.vmap(lambda p: torch.func.hessian(PAIRS[f])(p).trace())(x)
    assert_close(found.detach(), expected.detach(), 1e-12)
    gradients = [torch.autograd.grad((y**2).sum(), WEIGHTS)[0] for y in (found, expected)]
    assert_close(*gradients, 1e-11)


def test_points_that_are_written_to_stay_as_they_are():
    def f(x):
        x += 1
        return x.sin().sum(-1)

    x = torch.randn(4, 3)
    kept = x.clone()
    assert_close(dof.laplacian(f)(x), -(kept + 1).sin().sum(-1), 1e-14)
    assert torch.equal(x, kept)
