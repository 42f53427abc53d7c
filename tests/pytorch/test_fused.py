"""Fused rules: hand-written backward passes beside PyTorch's own derivatives."""

import numpy as np
import pytest
import torch
from torch import nn

import dof.torch as dof
from dof.torch.rules import elementwise
from dof.torch.rules.fused import elementwise as fused_elementwise
from dof.torch.rules.fused import pull_back

ACTIVATIONS = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "sin": torch.sin,
    "cos": torch.cos,
    "exp": lambda x: torch.exp(x / 4),
    "softplus": nn.Softplus(beta=2.0, threshold=1.0),
    "silu": nn.functional.silu,
    "gelu": nn.functional.gelu,
    "gelu by tanh": nn.GELU("tanh"),
}
A, B = np.diag([1.0, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])


class Network(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.layers = nn.ModuleList(map(nn.Linear, (3, 16, 18, 4), (16, 18, 4, 1)))
        self.f = f

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.f(layer(x))
        return self.layers[-1](x)[..., 0]


def by_hessian(net, x):
    """(Σ a_ij ∂²_ij + b · ∇, Laplacian) by PyTorch."""
    hessians, gradients = (
        torch.func.vmap(d(lambda p: net(p[None])[0]))(x) for d in (torch.func.hessian, torch.func.grad)
    )
    return (hessians * torch.tensor(A)).sum((1, 2)) + gradients @ torch.tensor(B), torch.einsum("nii->n", hessians)


def gradients(results, leaves):
    """Gradients of a loss, by a plain backward pass and by a differentiable one, and gradients of those."""
    loss = (results[0] ** 2).sum() + (results[1] ** 3).sum()
    plain = torch.autograd.grad(loss, leaves, retain_graph=True, materialize_grads=True)
    kept = torch.autograd.grad(loss, leaves, create_graph=True, materialize_grads=True)
    second = torch.autograd.grad(sum((g**2).sum() for g in kept), leaves, materialize_grads=True)
    return [*plain, *kept, *second]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_results_and_first_and_second_gradients_of_two_operators(name):
    torch.manual_seed(0)
    net = Network(ACTIVATIONS[name]).double()
    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    found = dof.jointly(dof.Operator(a=A, b=B), dof.laplacian)(net)(x)
    expected = by_hessian(net, x)
    leaves = [x, *net.parameters()]
    for one, other in zip([*found, *gradients(found, leaves)], [*expected, *gradients(expected, leaves)], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    "operator", [dof.Operator(a=A), dof.Operator(b=B), dof.Operator(a=A[0], b=B)], ids="a b ab".split()
)
@pytest.mark.parametrize("name", ["tanh", "sin", "sigmoid", "gelu"])
def test_blocks_of_rows_and_parts_that_are_zero_or_the_same_for_all_points(name, operator, monkeypatch):
    torch.manual_seed(1)
    net = Network(ACTIVATIONS[name]).double()
    x = torch.randn(2, 5, 3, dtype=torch.float64, requires_grad=True)
    leaves = [x, *net.parameters()]

    def found():
        y = operator(net)(x)
        return [y, *torch.autograd.grad((y**2).sum(), leaves, materialize_grads=True)]

    monkeypatch.setattr(fused_elementwise, "BLOCK", 100)  # one row
    in_blocks = found()
    monkeypatch.setattr(elementwise, "_is_fused", lambda call: False)
    for one, other in zip(in_blocks, found(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_directions_some_at_a_time(lanes, monkeypatch):
    torch.manual_seed(2)
    net = Network(torch.tanh).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    net.layers[0] = nn.Linear(4, 16)
    weights = [1.0, 1.0, 1.0, -2.0]
    monkeypatch.setattr(fused_elementwise, "lanes", lambda row, count: min(lanes, count))
    monkeypatch.setattr(pull_back, "lanes", lambda row, count: min(lanes, count))
    found = dof.Operator(a=weights)(net)(x)
    hessians = torch.func.vmap(torch.func.hessian(lambda p: net(p[None])[0]))(x)
    expected = (torch.diagonal(hessians, dim1=1, dim2=2) * torch.tensor(weights, dtype=torch.float64)).sum(1)
    parameters = list(net.parameters())[:-1]
    for one, other in zip(
        [found, *torch.autograd.grad((found**2).sum(), parameters)],
        [expected, *torch.autograd.grad((expected**2).sum(), parameters)],
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)


def test_a_part_that_the_loss_does_not_use_has_no_gradient():
    torch.manual_seed(0)
    net, x = Network(torch.tanh).double(), torch.randn(4, 3, dtype=torch.float64)
    triple = dof.propagate(net, dof.laplacian)
    for part in range(3):
        found = torch.autograd.grad((triple(x)[part] ** 2).sum(), list(net.parameters())[:-1])
        value, slopes, applied = (
            net(x),
            torch.func.vmap(torch.func.grad(lambda p: net(p[None])[0]))(x),
            by_hessian(net, x)[1],
        )
        expected = torch.autograd.grad(((value, slopes, applied)[part] ** 2).sum(), list(net.parameters())[:-1])
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)


def test_many_gradients_at_once():
    torch.manual_seed(0)
    net, x = Network(torch.tanh).double(), torch.randn(4, 3, dtype=torch.float64)
    weights = list(net.parameters())[:-1]
    y = dof.laplacian(net)(x)
    rows = torch.autograd.grad(y, weights, torch.eye(4, dtype=torch.float64), is_grads_batched=True, retain_graph=True)
    for n in range(4):
        for row, one in zip(rows, torch.autograd.grad(y[n], weights, retain_graph=True), strict=True):
            torch.testing.assert_close(row[n], one)


def test_compiled_graphs_and_forward_derivatives_are_those_of_single_operations():
    torch.manual_seed(0)
    net = Network(torch.tanh).double()
    x, v = torch.randn(2, 4, 3, dtype=torch.float64)
    expected = torch.autograd.grad(dof.laplacian(net)(x).sum(), list(net.parameters())[:-1])
    graph = dof.compiled(dof.laplacian(net), x, backend="eager")
    for one, other in zip(torch.autograd.grad(graph(x).sum(), list(net.parameters())[:-1]), expected, strict=True):
        torch.testing.assert_close(one, other)
    with torch.autograd.forward_ad.dual_level():
        dual = dof.laplacian(net)(torch.autograd.forward_ad.make_dual(x, v))
        slope = torch.autograd.forward_ad.unpack_dual(dual).tangent
    step = 1e-5
    differences = (dof.laplacian(net)(x + step * v) - dof.laplacian(net)(x - step * v)) / (2 * step)
    torch.testing.assert_close(slope, differences, rtol=1e-6, atol=1e-8)
