"""Residuals as on paper: all derivatives from one propagation."""

import pytest
import torch
from differences import assert_close
from torch import nn

import dof.torch as dof
from dof.torch import pde


@pde.residual("x y t")
def heat(u, x, y, t, *, k=1.0):
    return u.t - k * u.laplacian + x * u**2 + torch.sin(u) + 0.3 * u.xy


def reference(net, z, k):
    def point(p):
        return net(p[None])[0, 0]

    u, g = net(z)[:, 0], torch.func.vmap(torch.func.jacrev(point))(z)
    h = torch.func.vmap(torch.func.jacfwd(torch.func.jacrev(point)))(z)
    return g[:, 2] - k * (h[:, 0, 0] + h[:, 1, 1]) + z[:, 0] * u**2 + torch.sin(u) + 0.3 * h[:, 0, 1]


def test_a_residual_is_what_it_says():
    net, z = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(6, 3)
    k = torch.nn.Parameter(torch.tensor(0.7))
    assert_close(heat(net, k=k)(z).detach(), reference(net, z, k).detach(), 1e-13)
    parameters = [k, *net.parameters()]
    found = torch.autograd.grad((heat(net, k=k)(z) ** 2).mean(), parameters)
    expected = torch.autograd.grad((reference(net, z, k) ** 2).mean(), parameters)
    for one, two in zip(found, expected, strict=True):
        assert_close(one, two, 1e-12)


@pde.residual("x[2] t", fields="u[2] p")
def flow(u, p, x, t):
    return pde.dt(u) + pde.advect(u, u) + pde.grad(p) - pde.laplacian(u), pde.div(u), u[0].t


def test_fields_with_components():
    def net(z):
        return torch.stack([z[..., 0] ** 2 * z[..., 2], z[..., 1] ** 3, z[..., 0] * z[..., 1]], -1)

    z = torch.randn(5, 3)
    momentum, divergence, first = flow(net)(z)
    x, y, t = z.unbind(-1)
    expected = torch.stack([x**2 + x**2 * t * 2 * x * t + y - 2 * t, y**3 * 3 * y**2 + x - 6 * y], -1)
    assert_close(momentum, expected, 1e-12)
    assert_close(divergence, 2 * x * t + 3 * y**2, 1e-12)
    assert_close(first, x**2, 1e-12)


def test_operators_of_the_user_and_residuals_that_change_what_they_read():
    L = dof.Operator(a=[1.0, 2.0])
    residual = pde.residual("x y")(lambda u, x, y, *, second=False: u.apply(L) if second else u.x)
    z, net = torch.randn(4, 2), lambda z: (z**3).sum(-1)
    assert_close(residual(net)(z), 3 * z[:, 0] ** 2, 1e-13)
    assert_close(residual(net, second=True)(z), 6 * z[:, 0] + 12 * z[:, 1], 1e-13)


def test_derivatives_of_higher_order():
    """Those of the Korteweg-de Vries and the Kuramoto-Sivashinsky equation, in one network with a layer norm."""
    net = nn.Sequential(nn.Linear(2, 6), nn.LayerNorm(6), nn.Tanh(), nn.Linear(6, 1))
    equation = pde.residual("x t")(lambda u, x, t: (u.t + u.xxxx + u.xx, u.xxx + u * u.x, u.xxt))
    z = torch.randn(4, 2) * 0.5
    found = equation(net)(z)

    # The fused layer norm of PyTorch has wrong higher derivatives: the same written out.
    def plain(p):
        h = net[0](p)
        h = (h - h.mean()) / (h.var(correction=0) + net[1].eps).sqrt()
        return net[3](torch.tanh(h * net[1].weight + net[1].bias))[0]

    first, second, third, fourth = (torch.func.vmap(d) for d in derivatives(plain, 4))
    at = lambda d, *places: d(z)[(slice(None), *places)]  # noqa: E731
    u = torch.func.vmap(plain)(z)
    fourth_order = at(first, 1) + at(fourth, 0, 0, 0, 0) + at(second, 0, 0)
    third_order = at(third, 0, 0, 0) + u * at(first, 0)
    for one, other in zip(found, (fourth_order, third_order, at(third, 0, 0, 1)), strict=True):
        assert_close(one.detach(), other.detach(), 1e-11)
        gradients = [torch.autograd.grad((y**2).sum(), net[0].weight, retain_graph=True)[0] for y in (one, other)]
        assert_close(*gradients, 1e-10)


def derivatives(f, order):
    for _ in range(order):
        f = torch.func.jacrev(f)
        yield f


def test_what_is_no_derivative_is_refused():
    z = torch.randn(4, 2)
    with pytest.raises(dof.ArgumentError, match="order 3"):
        pde.residual("x[2]")(lambda u, x: u.d("x", "x", "x"))(lambda z: z.sum(-1))(z)
    with pytest.raises(AttributeError, match="no derivative"):
        pde.residual("x y")(lambda u, x, y: u.z)(lambda z: z.sum(-1))(z)
    with pytest.raises(dof.ArgumentError, match="points"):
        pde.residual("x y")(lambda u, x, y: u.x)(lambda z: z.sum(-1))(torch.randn(4, 3))
    with pytest.raises(dof.ArgumentError, match="arguments"):
        pde.residual("x y")(lambda u, x: u.x)


@pytest.mark.parametrize(
    ("fields", "net", "found", "fix"),
    [
        ("u p", lambda z: z.sum(), "()", "(4, 2) from net"),
        ("u p", lambda z: z.sum(-1), "(4,)", "(4, 2) from net"),
        (None, lambda z: z.sum(), "()", "(4, 1) from net"),
        (None, lambda z: z[..., None], "(4, 2, 1)", "(4, 1) from net"),
        (None, lambda z: z, "(4, 2)", 'fields="u[2]"'),
    ],
)
def test_outputs_of_a_wrong_shape_are_refused_with_what_to_write(fields, net, found, fix):
    function = (lambda u, x, y: u.x) if fields is None else (lambda u, p, x, y: u.x + p.y)
    with pytest.raises(dof.ArgumentError) as error:
        pde.residual("x y", fields)(function)(net)(torch.randn(4, 2))
    assert f"has shape {found};" in str(error.value) and fix in str(error.value)
