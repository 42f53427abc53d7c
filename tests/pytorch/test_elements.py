"""Functions of elements that need care: jumps, mixed dtypes, powers of zero; few points, and none."""

import pytest
import torch
from differences import assert_close, laplacian_by_differences, parameter_slopes, slope_by_differences

import dof.torch as dof

W = torch.randn(3, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64).mul(0.5).requires_grad_()
C = torch.randn(3, 3, generator=torch.Generator().manual_seed(2), dtype=torch.complex128).mul(0.5).requires_grad_()


def h(x):
    return torch.tanh(x @ W.to(x.device))


def z(x):
    return x.to(torch.complex128) @ C.to(x.device)


SMOOTH = {
    "a complex number to a real power": lambda x: ((2 + 1j) ** h(x)).imag.sum(-1),
    "a complex tensor to a real power": lambda x: ((z(x) + 3) ** h(x)).imag.sum(-1),
    "a real tensor to a complex power": lambda x: ((h(x) + 2) ** z(x)).imag.sum(-1),
    "real times complex": lambda x: (h(x) * z(x)).imag.sum(-1),
    "real by complex": lambda x: (h(x) / (z(x) + 3)).imag.sum(-1),
    "complex results": lambda x: (z(x).tanh() * torch.exp(1j * x)).sum(-1),
    "powers of zero": lambda x: (torch.arange(3.0) ** (h(x) + 3)).sum(-1),
    "complex numbers of pairs": lambda x: (
        torch.view_as_complex(x[..., None] + torch.tensor([0.0, 1.0])) ** 3
    ).imag.sum(-1),
    "zeta": lambda x: torch.special.zeta(torch.tensor(2.5), h(x) + 3).sum(-1),
    "gammainc": lambda x: torch.special.gammainc(torch.tensor(2.5), h(x) + 3).sum(-1),
    "attention to values alone": lambda x: torch.nn.functional.scaled_dot_product_attention(
        *(W, W, h(x)[:, :, None]), attn_mask=torch.ones(3, 3, dtype=torch.bool).tril()
    ).sum((-1, -2)),
}
JUMPS = {
    "floor": lambda x: (torch.floor(3 * h(x)) * h(x) ** 2).sum(-1),
    "sign": lambda x: (torch.sign(h(x)) * h(x) ** 2).sum(-1),
    "sgn": lambda x: (torch.sgn(h(x)) * h(x) ** 2).sum(-1),
    "heaviside": lambda x: (torch.heaviside(h(x), torch.tensor(0.5)) * h(x) ** 2).sum(-1),
    "floor_divide": lambda x: ((h(x) // 0.3) * h(x) ** 2).sum(-1),
    "a power of zero": lambda x: (h(x) ** 0 * h(x) ** 2).sum(-1),
    "nextafter": lambda x: torch.nextafter(h(x), x).pow(2).sum(-1),
    "fill": lambda x: (torch.fill(h(x), W[0, 0]) * h(x) ** 2).sum(-1),
    "grid_sample": lambda x: (
        torch.nn.functional.grid_sample(W.expand(len(x), 1, 3, 3), h(x)[:, None, None, :2], align_corners=False) ** 2
    ).sum((-1, -2, -3)),
}


def loss_of(f, x):
    y = dof.laplacian(f)(x)
    return (torch.arange(1.0, 4.0) * y.abs() ** 2).sum()


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions(name):
    f, x = SMOOTH[name], torch.randn(3, 3) * 0.5
    assert_close(dof.laplacian(f)(x).detach(), laplacian_by_differences(f, x), 1e-8)
    for found, expected in parameter_slopes([W, C], lambda: loss_of(f, x)):
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", JUMPS)
def test_jumps_are_constants_between_them_also_for_gradients(name):
    f, x = JUMPS[name], torch.randn(3, 3) * 0.5
    assert_close(dof.laplacian(f)(x).detach(), laplacian_by_differences(f, x, 1e-4), 1e-5)
    (gradient,) = torch.autograd.grad(loss_of(f, x), W)
    direction, kept = torch.randn(3, 3), W.detach().clone()

    def moved(t):
        W.data.copy_(kept + t * direction)
        found = loss_of(f, x)
        W.data.copy_(kept)
        return found

    # A small step, since differences must not reach over a jump.
    assert float((gradient * direction).sum()) == pytest.approx(float(slope_by_differences(moved, 1e-6)), rel=1e-5)


def test_no_points():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    assert dof.laplacian(net)(torch.zeros(0, 3)).shape == (0, 2)
    (dof.laplacian + 1)(net)(torch.zeros(0, 3)).sum().backward()
    with pytest.raises(dof.ArgumentError, match="at least one row"):
        dof.backward(lambda x: dof.laplacian(net)(x) ** 2, torch.zeros(0, 3))


def test_a_module_for_a_fixed_number_of_rows():
    net, x = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()), torch.randn(5, 3)
    exported = torch.export.export(net, (x,)).module()
    assert_close(dof.laplacian(exported)(x).detach(), dof.laplacian(net)(x).detach(), 1e-14)

    def mixes_five_rows(x):
        assert len(x) == 5
        return (x - x.mean(0)).pow(2).sum(-1)

    with pytest.raises(dof.ArgumentError, match="among others"):
        dof.laplacian(mixes_five_rows)(x)


def test_conjugates_without_elements_have_real_parts():
    f = lambda x: (x + torch.conj(torch.zeros(0, 3) * (1j * x[:1])).real.sum()).sum(-1)  # noqa: E731
    assert_close(dof.laplacian(f)(torch.ones(2, 3)), torch.zeros(2), 1e-15)
