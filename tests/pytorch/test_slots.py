"""Tangents in slots, one set of directions for each particle, beside Hessians in double precision."""

import numpy as np
import pytest
import torch
from torch import nn

import dof.torch as dof

M, B = 3, 2
RNG = np.random.default_rng(0)
HALF = RNG.normal(size=(M, B, B))
BLOCKS = HALF @ HALF.swapaxes(1, 2)
COEFFICIENTS = {
    "blocks": (dof.BlockDiagonal(BLOCKS), torch.block_diag(*map(torch.tensor, BLOCKS)).numpy()),
    "laplacian": (1.0, np.eye(M * B)),
    "both signs for each particle": (np.tile([1.0, -2.0], M), np.diag(np.tile([1.0, -2.0], M))),
    "other signs for one particle": (np.array([1.0, -2.0, 1.0, 1.0, 1.0, -2.0]),) * 2,
    "particles that are coupled": (np.eye(M * B) + 1,) * 2,
}


class Particles(nn.Module):
    """A network for all particles, or one for each, and a function of all of their results."""

    def __init__(self, join, is_shared):
        super().__init__()
        self.join, self.is_shared = join, is_shared
        self.first, self.second, self.mix = nn.Linear(B, 5), nn.Linear(5, 4), nn.Linear(M, 2)
        self.each = nn.Parameter(torch.randn(M, B, 5))

    def forward(self, x):
        h = x.unflatten(-1, (M, B))
        h = torch.tanh(self.first(h) if self.is_shared else (h.unsqueeze(-2) @ self.each).squeeze(-2))
        return self.join(self, torch.sin(self.second(h)) * h[..., :1].exp())


JOINS = {
    "sum": lambda net, h: h.sum((-1, -2)),
    "sum over particles, then a function": lambda net, h: h.sum(-2).tanh().sum(-1),
    "mean with axes kept": lambda net, h: (h * h.mean(-2, keepdim=True)).sum((-2, -1)),
    "sum over features first": lambda net, h: (h.sum(-1) ** 2).mean(-1),
    "product": lambda net, h: h.prod(-2).sum(-1),
    "transposed, a layer over particles": lambda net, h: net.mix(h.mT).tanh().sum((-1, -2)),
    "permuted": lambda net, h: (h.permute(1, 2, 0).cos() * 2).permute(2, 0, 1).flatten(1).sum(-1),
    "pairs": lambda net, h: (h[:, :, None] - h[:, None]).square().sum((1, 2, 3)),
    "attention": lambda net, h: (torch.softmax(h @ h.mT, -1) @ h).sum((-1, -2)),
    "one particle": lambda net, h: h[:, 1].prod(-1) + h.unbind(-2)[0].sum(-1),
    "divided by a sum": lambda net, h: (h / (2 + h.square().sum(-1, keepdim=True))).sum(-1).exp().sum(-1),
    "stacked and concatenated": lambda net, h: (
        torch.stack([torch.cat([h, h * h], -2), torch.cat([h, h], -2)]).prod(0).sum((1, 2))
    ),
    "written in place": lambda net, h: h.clone().mul_(h).add_(1).log().sum((-1, -2)),
    "views with other axes": lambda net, h: h.reshape(h.shape[0], 1, M, 2, 2).squeeze(1).prod(-1).sum((1, 2)),
    "sliced and selected": lambda net, h: (
        (h[:, :, 1:3] * h.select(-1, 0)[..., None]).sum((1, 2)) + h[:, 1:, 0].prod(-1)
    ),
    "einsum": lambda net, h: torch.einsum("npi,pji->npj", h, net.each[..., :4]).tanh().sum((1, 2)),
    "einsum over particles": lambda net, h: torch.einsum("npi,pji->nj", h, net.each[..., :4]).tanh().sum(1),
    "squeezed and expanded": lambda net, h: h[:, None].expand(-1, 2, -1, -1).sum(1).tanh().sum((1, 2)),
}


def by_hessian(net, a, x):
    hessians = torch.func.vmap(torch.func.hessian(lambda p: net(p[None])[0]))(x)
    return (hessians * torch.tensor(np.diag(a) if a.ndim == 1 else a)).sum((1, 2))


def assert_as_by_hessian(net, a, dense):
    x = torch.randn(4, M * B, dtype=torch.float64, requires_grad=True)
    leaves = [x, *net.parameters()]
    found, expected = dof.Operator(a=a)(net)(x), by_hessian(net, dense, x)
    slopes = [torch.autograd.grad((y**2).sum(), leaves, materialize_grads=True) for y in (found, expected)]
    for one, other in zip([found, *slopes[0]], [expected, *slopes[1]], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", JOINS)
def test_results_and_gradients_for_functions_of_particles(name):
    torch.manual_seed(0)
    for is_shared in (True, False):
        assert_as_by_hessian(Particles(JOINS[name], is_shared).double(), *COEFFICIENTS["blocks"])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_results_and_gradients_for_operators(name):
    torch.manual_seed(0)
    assert_as_by_hessian(Particles(JOINS["product"], False).double(), *COEFFICIENTS[name])


def test_tangents_have_the_directions_of_one_particle_until_particles_are_mixed():
    net = Particles(JOINS["sum over particles, then a function"], True).double()
    x = torch.randn(4, M * B, dtype=torch.float64)
    lines = str(dof.explain(dof.Operator(a=COEFFICIENTS["blocks"][0]), net, x)).splitlines()
    assert "in slots" in lines[3] and "in slots" not in lines[-1]
    counts = lambda a: [step.tangents[0] for step in dof.explain(dof.Operator(a=a), net, x).steps]  # noqa: E731
    slots = counts(COEFFICIENTS["blocks"][0])
    first_sum = slots.index(M * B)
    assert set(slots[:first_sum]) == {B} and set(slots[first_sum:]) == {M * B} and first_sum >= 6
    assert set(counts(COEFFICIENTS["other signs for one particle"][0])) == {M * B}
    assert set(counts(COEFFICIENTS["particles that are coupled"][0])) == {M * B}


def test_propagated_tangents_are_along_all_directions():
    x = torch.randn(4, M * B, dtype=torch.float64)
    triple = dof.propagate(lambda x: x.unflatten(-1, (M, B)).sin(), dof.laplacian)(x)
    expected = torch.diag_embed(x.cos()).movedim(-1, 0).reshape(M * B, 4, M, B)
    torch.testing.assert_close(triple.tangents, expected)
