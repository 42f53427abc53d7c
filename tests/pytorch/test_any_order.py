"""Operators of any order: columns beside nested autograd and beside nesting, in values and gradients."""

from functools import reduce
from operator import matmul

import pytest
import torch
from differences import FIRST, assert_close
from torch import nn

import dof.torch as dof
from dof.torch import pde
from dof.torch.pipeline import any_order

dx, dy, dt = dof.derivatives(3)
OPERATORS = {
    "∂t + ∂x³": (dt + dx**3, {(2,): 1, (0, 0, 0): 1}),
    "∂t + ∂x² + ∂x⁴": (dt + dx**2 + dx**4, {(2,): 1, (0, 0): 1, (0, 0, 0, 0): 1}),
    "∂x ∂y ∂t − 2 ∂x + 3": (dx @ dy @ dt - 2 * dx + 3, {(0, 1, 2): 1, (0,): -2, (): 3}),
    "(∂x + 2 ∂y)³": ((dx + 2 * dy) ** 3, {(0, 0, 0): 1, (0, 0, 1): 6, (0, 1, 1): 12, (1, 1, 1): 8}),
    "∂y⁶": (dy**6, {(1,) * 6: 1}),
}
ACTIVATIONS = (
    "Tanh Sigmoid SiLU GELU Softplus ELU Mish LogSigmoid Softsign Tanhshrink SELU CELU ReLU LeakyReLU Hardtanh".split()
)


def mlp(activation=nn.Tanh, inputs=3):
    return nn.Sequential(nn.Linear(inputs, 12), activation(), nn.Linear(12, 12), activation(), nn.Linear(12, 2))


def by_autograd(f, monomials, x):
    """Σ c ∂^e f by nested autograd.grad, output by output."""
    x = x.clone().requires_grad_()

    def along(u, e):
        for i in e:
            u = torch.autograd.grad(u.sum(), x, create_graph=True, materialize_grads=True)[0][..., i]
        return u

    return torch.stack([sum(c * along(u, e) for e, c in monomials.items()) for u in f(x).unbind(-1)], -1)


def by_nesting(monkeypatch, apply):
    with monkeypatch.context() as patched:
        patched.setattr(any_order, "MOST_PRODUCTS", -1)
        return apply()


def slopes(y, f):
    return torch.autograd.grad((y**2).mean(), list(f.parameters()), materialize_grads=True)


@pytest.mark.parametrize("name", OPERATORS)
def test_values_and_gradients_are_those_of_nested_autograd(name):
    L, monomials = OPERATORS[name]
    net, x = mlp(), torch.randn(4, 3)
    found, expected = L(net)(x), by_autograd(net, monomials, x)
    assert_close(found.detach(), expected.detach(), 1e-11)
    for one, two in zip(slopes(found, net), slopes(expected, net), strict=True):
        assert_close(one, two, 1e-10)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    net, x = mlp(getattr(nn, name)), torch.randn(5, 3)
    L, monomials = OPERATORS["∂t + ∂x² + ∂x⁴"]
    assert_close(L(net)(x).detach(), by_autograd(net, monomials, x).detach(), 1e-10)
    assert dof.explain(L, net, x).why == ""


FUNCTIONS = {
    "tan": lambda x: torch.tan(x),
    "gelu by tanh": lambda x: nn.functional.gelu(x, approximate="tanh"),
    "softplus with a line": lambda x: nn.functional.softplus(3 * x, beta=2.0, threshold=4.0),
    "exp and logarithms": lambda x: torch.log(1 + torch.exp(x)) + torch.log1p(x**2) + torch.exp2(x) + torch.expm1(x),
    "trigonometric": lambda x: torch.sin(x) * torch.cos(x) + torch.sinh(x) - torch.cosh(x) + torch.erf(x),
    "roots and powers": lambda x: torch.sqrt(2 + x**2) + torch.rsqrt(3 + x) + (x + 4) ** 2.5 + x**3 + x**-2,
    "quotients": lambda x: x[..., :1] / (2 + x**2) + 1 / (3 + x),
    "two operands": lambda x: torch.atan2(x[..., :1], 3 + x[..., 1:]) + torch.hypot(x[..., :1], x[..., 1:]),
    "a power of both": lambda x: (3 + x[..., :1]) ** x[..., 1:],
    "a square": lambda x: x * x * torch.square(x),
    "choices": lambda x: torch.where(x > 0, x**3, torch.sin(x)) + torch.maximum(x**3, torch.cos(x)) + x.abs() ** 3,
    "softmax": lambda x: torch.softmax(x**2, -1) * torch.logsumexp(x, -1, keepdim=True),
    "norms": lambda x: torch.linalg.vector_norm(x, dim=-1, keepdim=True) + nn.functional.layer_norm(x, (3,)),
    "products": lambda x: torch.einsum("ni,nj->nij", torch.sin(x), x**2).sum(-1) + torch.cumprod(x, -1),
    "indexing": lambda x: torch.cat([x[:, [2, 0]] ** 3, torch.roll(x, 1, -1)[:, :1] ** 4], -1),
    "determinant": lambda x: torch.linalg.slogdet(torch.eye(3) * 4 + x[..., None] * torch.sin(x)[:, None])[1][:, None],
    "inverse": lambda x: torch.linalg.inv(torch.eye(3) * 4 + x[..., None] * torch.sin(x)[:, None]).sum(-1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, monkeypatch):
    f, x = FUNCTIONS[name], torch.rand(4, 3) + 0.3
    for operator in ("∂t + ∂x² + ∂x⁴", "∂x ∂y ∂t − 2 ∂x + 3"):
        L = OPERATORS[operator][0]
        assert_close(L(f)(x), by_nesting(monkeypatch, lambda L=L: L(f)(x)), 1e-9)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x):
        return self.cell(torch.stack([x, x**2], -2))[0][..., -1, :]


NETWORKS = {
    "LayerNorm": lambda: nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 1)),
    "transformer": lambda: nn.Sequential(
        nn.Linear(3, 16),
        nn.Unflatten(-1, (2, 8)),
        nn.TransformerEncoderLayer(8, 2, 8, batch_first=True, dropout=0.0, activation="gelu"),
        nn.Flatten(-2),
        nn.Linear(16, 1),
    ),
    "convolution": lambda: nn.Sequential(
        nn.Linear(3, 8), nn.Unflatten(-1, (1, 8)), nn.Conv1d(1, 3, 3), nn.GELU(), nn.Flatten(-2), nn.Linear(18, 1)
    ),
    "bilinear": lambda: nn.Sequential(nn.Linear(3, 6), nn.Tanh(), Squared(nn.Bilinear(6, 6, 1))),
    "LSTM": Lstm,
}


class Squared(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x, torch.sin(x))


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, monkeypatch):
    net, x, (L, _) = NETWORKS[name](), torch.randn(3, 3), OPERATORS["∂t + ∂x³"]
    found, expected = L(net)(x), by_nesting(monkeypatch, lambda: L(net)(x))
    is_nested = name == "bilinear"  # whose operation has the general rule, of order two
    assert dof.explain(L, net, x).columns == (("by nesting",) if is_nested else ("1", "∂₀", "∂₀²", "∂₀³ + ∂₂"))
    assert_close(found.detach(), expected.detach(), 1e-10)
    for one, two in zip(slopes(found, net), slopes(expected, net), strict=True):
        assert_close(one, two, 1e-9)


def test_columns_are_those_of_the_span():
    f = lambda x: torch.sin(x).sum(-1)  # noqa: E731
    for n, columns in ((2, 9), (3, 14), (5, 27)):
        assert len(dof.explain(dof.laplacian**2, f, torch.ones(1, n)).columns) == columns


def test_a_rule_of_order_two_only_leads_to_nesting():
    found = dof.explain(dt + dx**3, FUNCTIONS["determinant"], torch.rand(2, 3))
    assert found.columns == ("by nesting",)
    assert "test_any_order.py" in found.why and "order two" in found.why
    assert "one operator after another" in str(found)
    assert "_linalg_slogdet" in [step.operation for step in found.steps]
    assert all("test_any_order.py" in step.source for step in found.steps)


def test_what_depends_on_known_coefficients_only_is_computed_once(monkeypatch):
    calls, symbol_at = [], any_order.symbol_at
    monkeypatch.setattr(any_order, "_PLANS", any_order.Kept())
    monkeypatch.setattr(any_order, "symbol_at", lambda *args: calls.append(1) or symbol_at(*args))
    x, f = torch.rand(1, 3), lambda x: torch.sin(x).sum(-1)
    for _ in range(3):
        dx, dy, dt = dof.derivatives(3)  # made anew, with the same numbers
        (dx**3 + 2.0 * dy)(f)(x)
    assert len(calls) == 1
    (dx**3 + 2.5 * dy)(f)(x), (dx**3 + 2.0 * dt)(f)(x), (dx**3)(f)(x), dof.jointly(dx**3, 2.0 * dy)(f)(x)
    assert len(calls) == 6  # two of them for the last


@pytest.mark.parametrize("scales", [(1.0, 1 + 0j), (1 + 0j, 1.0)])
def test_complex_and_real_scales_that_are_equal_are_kept_apart(monkeypatch, scales):
    monkeypatch.setattr(any_order, "_PLANS", any_order.Kept())
    x, f = torch.rand(2, 3), lambda x: torch.sin(x).sum(-1)
    for scale in scales:
        found = (scale * dx**3)(f)(x)
        assert found.is_complex() == isinstance(scale, complex)
        assert_close(found.real, -torch.cos(x[:, 0]), 1e-13)


def test_coefficients_that_change_are_read_at_each_call():
    scale, x = torch.ones((), requires_grad=True), torch.rand(2, 3)
    rate = torch.tensor(1.0)
    f = lambda x: torch.sin(x).sum(-1)  # noqa: E731
    L = scale * dx**3
    M = (lambda x: rate * x[..., 0]) * dx**3
    one, other = L(f)(x), M(f)(x)
    with torch.no_grad():
        scale.mul_(3)
        rate.mul_(2)
    assert_close(L(f)(x), 3 * one, 1e-14)
    assert_close(M(f)(x), 2 * other, 1e-14)


def test_coefficients(monkeypatch):
    """Functions of x and learned numbers on the left stay columns; on the right they lead to nesting."""
    net, x, k = mlp(), torch.randn(4, 3), torch.tensor(0.7, requires_grad=True)
    weight = lambda z: torch.sin(z[..., 0])  # noqa: E731
    matrix = dof.Operator(a=lambda z: torch.eye(3) * z[..., 0, None, None] ** 2, b=lambda z: -z, c=weight)
    for L, is_nested in (
        (weight * dx**3 + 2 * dy, False),
        (k * dof.laplacian**2, False),
        (matrix @ dof.laplacian, False),
        (dof.Operator(a=dof.Factored(lambda_rows := torch.tensor([[1.0, 2.0, 0.5]]), (-1,))) @ dx, False),
        (dx @ (weight * dx) @ dx, True),
        (dof.laplacian @ matrix, True),
        (dof.Operator(a=1j) @ dof.laplacian, False),
    ):
        found, expected = L(net)(x), by_nesting(monkeypatch, lambda L=L: L(net)(x))
        assert bool(dof.explain(L, net, x).why) is is_nested
        assert_close(found.detach(), expected.detach(), 1e-10)
    assert lambda_rows.shape == (1, 3)
    (slope,) = torch.autograd.grad((k * dof.laplacian**2)(net)(x).sum(), k)
    assert_close(slope, (dof.laplacian**2)(net)(x).sum().detach(), 1e-11)


def test_functions_of_x_are_added_to_operators_of_any_order():
    """In values and gradients, on either side, also where the sum stands on the right of @."""
    net, x, learned = mlp(), torch.randn(4, 3), nn.Linear(3, 1)

    def k(x):
        return learned(x)[..., 0].tanh()

    def times_net(x):
        return k(x)[:, None] * net(x)

    fourth, kept = by_autograd(net, {(0,) * 4: 1}, x), times_net(x)
    composed = by_autograd(times_net, {(1,): 1}, x) + by_autograd(net, {(0, 0, 1): 1}, x)
    for L, expected in ((dx**4 + k, fourth + kept), (k - dx**4, kept - fourth), (dy @ (k + dx**2), composed)):
        found = L(net)(x)
        assert_close(found.detach(), expected.detach(), 1e-11)
        pairs = (
            torch.autograd.grad((y**2).mean(), list(learned.parameters()), retain_graph=True) for y in (found, expected)
        )
        for one, two in zip(*pairs, strict=True):
            assert_close(one, two, 1e-9)
    assert repr(k * dx**4 + k) == "<dof operator of order 4: k(x) ∂₀⁴ + k(x)>"
    assert repr(dx**2 - learned) == "<dof operator of order 2: ∂₀² − Linear(x)>"


def test_products_of_order_two_are_operators_of_order_two():
    net, x = mlp(), torch.randn(4, 3)
    L = dx @ dy - 2 * dt**2 + dx + 1
    assert dof.explain(L, net, x).directions == 3
    expected = by_autograd(net, {(0, 1): 1, (2, 2): -2, (0,): 1, (): 1}, x)
    assert_close(L(net)(x).detach(), expected.detach(), 1e-12)


def test_every_way_to_apply_them():
    net, x, (L, _) = mlp(), torch.randn(6, 3), OPERATORS["∂t + ∂x³"]
    plain = L(net)(x).detach()
    value, applied = L.with_value(net)(x)
    assert_close(value.detach(), net(x).detach(), 1e-14)
    assert_close(applied.detach(), plain, 1e-14)
    first, second, third = dof.jointly(L, dof.laplacian, dx)(net)(x)
    assert_close(first.detach(), plain, 1e-13)
    assert_close(second.detach(), dof.laplacian(net)(x).detach(), 1e-12)
    assert_close(third.detach(), dx(net)(x).detach(), 1e-12)
    assert_close(dof.batched(L(net), chunk=4)(x).detach(), plain, 1e-13)
    assert_close(L(net)(x.reshape(2, 3, 3)).reshape(6, 2).detach(), plain, 1e-13)
    assert_close(dof.laplacian(L(net))(x).detach(), (dof.laplacian @ L)(net)(x).detach(), 1e-10)
    assert dof.check(L, net, x).error < 1e-6
    both = L(lambda z: {"a": net(z), "b": (net(z) ** 2, z)})(x)
    assert_close(both["a"].detach(), plain, 1e-13)
    assert both["b"][1].abs().max() <= 1  # ∂t of t


def test_gradients_in_blocks():
    net, x, (L, _) = mlp(), torch.randn(6, 3), OPERATORS["∂t + ∂x³"]
    expected = slopes(L(net)(x).sum(-1), net)
    net.zero_grad()
    dof.backward(lambda rows: L(net)(rows).sum(-1) ** 2, x, chunk=2)
    for parameter, slope in zip(net.parameters(), expected, strict=True):
        grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        assert_close(grad, slope, 1e-12)


def test_other_dtypes():
    x = torch.randn(4, 3)
    wave = lambda z: torch.exp(1j * (z**2).sum(-1))  # noqa: E731
    L = OPERATORS["∂t + ∂x³"][0]
    slope = 2j * x[:, 2] + (2j * x[:, 0]) ** 3 + 3 * 2j * (2j * x[:, 0])
    assert_close(L(wave)(x), slope * wave(x), 1e-12)
    net = mlp().float()
    single = L(net)(x.float())
    assert single.dtype == torch.float32
    assert_close(single.detach().double(), L(net.double())(x).detach(), 1e-4)


def test_derivatives_without_points_or_coordinates():
    assert (dx**3)(lambda z: z.sum(-1))(torch.zeros(0, 3)).shape == (0,)
    with pytest.raises(dof.ArgumentError, match="derivatives\\(2\\)"):
        dof.derivatives(0)
    with pytest.raises(dof.ArgumentTypeError, match="any order"):
        dof.propagate(lambda z: z.sum(-1), dx**3)


def test_residuals_of_any_order():
    @pde.residual("x t")
    def korteweg_de_vries(u, x, t):
        return u.t + 6 * u * u.x + u.xxx

    z = torch.randn(20, 2)
    soliton = lambda z: 0.8 / torch.cosh(0.8**0.5 / 2**0.5 * (z[..., 0] - 1.6 * z[..., 1])) ** 2  # noqa: E731
    assert korteweg_de_vries(soliton)(z).abs().max() < 1e-13

    @pde.residual("x y t")
    def plate(u, x, y, t):
        return u.tt + u.biharmonic, u.d("x", "x", "y"), u.xxyy

    bend = lambda z: torch.sin(z[..., 0]) * torch.cos(2 * z[..., 1]) * torch.exp(z[..., 2])  # noqa: E731
    z = torch.randn(5, 3)
    first, second, third = plate(bend)(z)
    assert_close(first, 26 * bend(z), 1e-12)
    assert_close(second, 2 * torch.sin(z[:, 0]) * torch.sin(2 * z[:, 1]) * torch.exp(z[:, 2]), 1e-12)
    assert_close(third, 4 * bend(z), 1e-12)


def test_long_products():
    L = reduce(matmul, [dx, dof.laplacian, dy])
    net, x = mlp(), torch.randn(3, 3)
    expected = by_autograd(net, {(0, 0, 0, 1): 1, (0, 1, 1, 1): 1, (0, 1, 2, 2): 1}, x)
    assert_close(L(net)(x).detach(), expected.detach(), 1e-11)


@pytest.mark.parametrize("name", ["sinc", "special.i0", "special.i1"])
def test_removable_singularities(name):
    """At zero, where PyTorch's own are wrong, next to it, and on both sides of where the power series ends."""
    f = reduce(getattr, name.split("."), torch)
    (d,) = dof.derivatives(1)
    x = torch.tensor([[0.0], [1e-8], [1e-4], [0.1], [0.3], [0.32], [0.9], [1.1], [2.5]])
    step = 0.02
    for order in (1, 2, 3, 4):
        lower = (lambda z: f(z)) if order == 1 else (d ** (order - 1))(f)
        slope = sum(c * (lower(x + n * step) - lower(x - n * step)) for n, c in enumerate(FIRST[1:], 1)) / step
        assert_close((d**order)(f)(x), slope, 1e-9)
    assert_close(dof.laplacian(torch.sinc)(torch.zeros(1, 1)), torch.full((1, 1), -(torch.pi**2) / 3), 1e-14)


def test_detached_values_are_constants_for_outer_runs_too(monkeypatch):
    f, x = lambda x: (x.detach() * x**4).sum(-1), torch.rand(2, 3) + 0.5
    for L, expected in (
        (dx**3, 24 * x[:, 0] ** 2),
        (dx @ ((lambda z: 1 + 0 * z[..., 0]) * dx), 12 * x[:, 0] ** 3),
    ):
        assert_close(L(f)(x), expected, 1e-12)
        assert_close(by_nesting(monkeypatch, lambda L=L: L(f)(x)), expected, 1e-12)
    assert_close(dof.laplacian(dof.laplacian(f))(x), 24 * x.sum(-1), 1e-12)


def test_users_who_catch_exceptions_do_not_catch_those_of_dof():
    def inverse(x):
        try:
            return torch.linalg.inv(4 * torch.eye(3) + x[..., None] * torch.sin(x)[:, None])[:, 0, 0]
        except Exception:
            return x[:, 0] ** 3

    def written(x):
        y = torch.zeros(len(x))
        try:
            y[:] = x[:, 0] ** 3
        except Exception:
            return x[:, 0]
        return y

    x = torch.rand(1, 3) + 0.5
    assert dof.check(dx**3, inverse, x).error < 1e-6
    assert_close(dof.laplacian(written)(x), 6 * x[:, 0], 1e-13)


def test_small_divisors_and_the_default_dtype():
    torch.set_default_dtype(torch.float32)
    x = torch.rand(3, 3) + 1
    f = lambda x: (x[:, 0] * 1e-20) / ((2 + x[:, 0] ** 2) * 1e-20)  # noqa: E731
    exact = lambda x: x[:, 0] / (2 + x[:, 0] ** 2)  # noqa: E731
    for L in (dof.laplacian, dx**4):
        assert_close(L(f)(x).double(), L(exact)(x.double()), 1e-4)
    slope = (dx**3)(lambda x: nn.functional.leaky_relu(x**3))(-torch.ones(1, 3, dtype=torch.float64))
    assert_close(slope[:, 0], torch.tensor([0.06], dtype=torch.float64), 1e-15)


def test_systems_with_fewer_matrices_than_right_sides(monkeypatch):
    x, sides = torch.rand(2, 3) + 0.5, torch.randn(5, 1, 3, 1)
    f = lambda x: torch.linalg.solve(4 * torch.eye(3) + x[..., None] * torch.sin(x)[:, None], sides).sum((0, -1))  # noqa: E731
    for L in (dof.laplacian, dof.laplacian**2, dx @ dy @ dt):
        assert dof.check(L, f, x).error < 1e-5


def test_nested_operators_keep_their_dtypes(monkeypatch):
    both = dof.jointly(dx, dof.Operator(a=1j) @ dof.laplacian)
    first, second = by_nesting(monkeypatch, lambda: both(mlp())(torch.randn(2, 3)))
    assert first.dtype == torch.float64 and second.dtype == torch.complex128


def test_columns_that_would_overflow_are_nested():
    net, x = mlp().half(), torch.randn(2, 3).half()
    L = dt + 1e-6 * dx**3
    assert "overflow" in dof.explain(L, net, x).why
    assert L(net)(x).isfinite().all()


def test_results_without_numbers_or_that_are_no_numbers():
    x = torch.randn(3, 3)
    assert (dx**3)(lambda x: torch.log(-(x**2)) * x**3)(x)[:, 0].isnan().all()
    assert not (dx**3)(lambda x: x > 0)(x).any()
