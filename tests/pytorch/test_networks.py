"""Networks that people train PINNs and wave functions with: L f and all gradients, against finite differences."""

import pytest
import torch
from differences import assert_close, laplacian_by_differences, parameter_slopes
from torch import nn

import dof.torch as dof

ACTIVATIONS = [
    *(nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.GELU(approximate="tanh"), nn.SiLU(), nn.Mish(), nn.Softplus(), nn.ELU()),
    *(nn.SELU(), nn.CELU(), nn.Softsign(), nn.LogSigmoid(), nn.Tanhshrink(), nn.Hardswish(), nn.Softmax(-1)),
    *(nn.ReLU(), nn.LeakyReLU(), nn.Hardtanh(), nn.PReLU(), nn.GLU()),
]


KINKS = ("ReLU", "LeakyReLU", "Hardtanh", "PReLU", "Hardswish")


def has_kinks(name):
    return name.split(" ")[0] in KINKS or name in KINKS


def mlp(*layers, inputs=3):
    return nn.Sequential(nn.Linear(inputs, 8), *layers)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.inner, self.end = nn.Linear(3, 6), nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x):
        h = torch.tanh(self.start(x))
        h = h + nn.functional.silu(self.inner(h))
        return self.end(h)


class FourierFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", torch.randn(3, 5))
        self.net = nn.Sequential(nn.Linear(10, 6), nn.Tanh(), nn.Linear(6, 1))

    def forward(self, x):
        phase = x @ self.frequencies
        return self.net(torch.cat([phase.sin(), phase.cos()], -1))


class Siren(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.end = nn.Linear(3, 6), nn.Linear(6, 6), nn.Linear(6, 1)

    def forward(self, x):
        return self.end(torch.sin(3 * self.two(torch.sin(3 * self.one(x)))))


class Tokens(nn.Module):
    """Coordinates as tokens, through a layer of tokens."""

    def __init__(self, layer):
        super().__init__()
        self.embed, self.layer, self.end = nn.Linear(1, 4), layer, nn.Linear(4, 1)

    def forward(self, x):
        h = self.layer(self.embed(x[..., None]))
        return self.end((h[0] if isinstance(h, tuple) else h).mean(-2))


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, h):
        return self.attention(h, h, h)[0]


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(3, 3)

    def forward(self, x):
        return torch.tanh(x[..., None] * self.table(torch.arange(3))).sum(-1)


class FourierOperator(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(3, 3, 3, dtype=torch.complex128))
        self.embed, self.end = nn.Linear(1, 3), nn.Linear(3, 1)

    def forward(self, x):
        h = self.embed(x[..., None]).mT
        modes = torch.einsum("bik,iok->bok", torch.fft.rfft(h), self.weights)
        return self.end(nn.functional.gelu(torch.fft.irfft(modes, n=h.shape[-1]) + h).mT).sum(-2)


class WrittenFourierOperator(FourierOperator):
    """Low frequencies written into zeros, as most codes have it."""

    def forward(self, x):
        h = self.embed(x[..., None]).mT
        modes = torch.fft.rfft(h)
        low = torch.zeros(modes.shape, dtype=modes.dtype, device=x.device)
        low[:, :, :2] = torch.einsum("bik,iok->bok", modes[:, :, :2], self.weights[..., :2])
        low[..., -1:] = modes[..., -1:] * self.weights[0, 0, 0]
        return self.end(nn.functional.gelu(torch.fft.irfft(low, n=h.shape[-1]) + h).mT).sum(-2)


class Orbitals(nn.Module):
    """Per-particle network, log |det| of its orbitals."""

    def __init__(self, read):
        super().__init__()
        self.net, self.read = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 3)), read

    def forward(self, x):
        return self.read(self.net(x.reshape(*x.shape[:-1], 3, 2)) + torch.eye(3))


class Splines(nn.Module):
    """Sums of Gaussian bumps of each coordinate, as KAN layers have."""

    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(3, 5, 4))

    def forward(self, x):
        bumps = torch.exp(-((x[..., None] - torch.linspace(-1, 1, 5)) ** 2) * 4)
        return torch.einsum("bik,iko->bo", bumps, self.weights).sin()


class BSplines(nn.Module):
    """Cubic B-splines of each coordinate by the recursion of de Boor, as KAN layers have."""

    def __init__(self):
        super().__init__()
        self.register_buffer("knots", torch.linspace(-5, 5, 12))
        self.weights = nn.Parameter(torch.randn(3, 8))

    def forward(self, x):
        t, x = self.knots, x[..., None]
        basis = ((x >= t[:-1]) & (x < t[1:])).to(x.dtype)
        for k in (1, 2, 3):
            rising = (x - t[: -k - 1]) / (t[k:-1] - t[: -k - 1])
            falling = (t[k + 1 :] - x) / (t[k + 1 :] - t[1:-k])
            basis = rising * basis[..., :-1] + falling * basis[..., 1:]
        return torch.einsum("bik,ik->b", basis, self.weights).sin()


class Einsums(nn.Module):
    """Products of several operands, with indices that occur more than twice or on a diagonal."""

    def __init__(self):
        super().__init__()
        self.core = nn.Parameter(torch.randn(3, 4, 4))

    def forward(self, x):
        matrices = torch.einsum("bi,ijk->bjk", x, self.core).tanh()
        pairs = torch.einsum("bij,bjk,bi,bk->b", matrices, matrices, *[torch.einsum("bii->bi", matrices)] * 2)
        return pairs + torch.einsum("bij,bij,bij->b", matrices, matrices, matrices)


class DeepSet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = mlp(nn.Tanh(), inputs=2), nn.Linear(8, 1)

    def forward(self, x):
        h = self.inner(x.reshape(*x.shape[:-1], 3, 2))
        return self.outer(torch.tanh(h.sum(-2) + h.logsumexp(-2)))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layer = getattr(nn, kind)(1, 3, batch_first=True, **options)
        self.end = nn.LazyLinear(1)

    def forward(self, x):
        return self.end(self.layer(x[..., None])[0][:, -1])


def convolutions(kind):
    if kind == 1:
        body = nn.Conv1d(1, 3, 3, padding=1), nn.GELU(), nn.Conv1d(3, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8, 1)
        return nn.Sequential(nn.Unflatten(1, (1, 6)), *body)
    body = nn.Conv2d(1, 4, 3, padding=1, padding_mode="circular"), nn.GroupNorm(2, 4), nn.SiLU(), nn.AvgPool2d(2)
    return nn.Sequential(nn.Unflatten(1, (1, 4, 4)), *body, nn.Flatten(), nn.Linear(16, 1))


class Masked(nn.Module):
    """An encoder with padding and PyTorch's own defaults, which look at the mask."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 6, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, h):
        return self.encoder(h, src_key_padding_mask=torch.arange(3).expand(len(h), 3) == 2)[:, :2]


def encoder():
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


NETWORKS = {
    **{
        f"{type(a).__name__} {n}": (lambda a=a: mlp(a.double(), nn.LazyLinear(2)), 3) for n, a in enumerate(ACTIVATIONS)
    },
    "residual": (Residual, 3),
    "Fourier features": (FourierFeatures, 3),
    "SIREN": (Siren, 3),
    "LayerNorm": (lambda: mlp(nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 1)), 3),
    "RMSNorm": (lambda: mlp(nn.RMSNorm(8), nn.GELU(), nn.Linear(8, 1)), 3),
    "GroupNorm": (lambda: mlp(nn.GroupNorm(2, 8), nn.Tanh(), nn.Linear(8, 1)), 3),
    "BatchNorm in eval": (lambda: mlp(nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1)).eval(), 3),
    "MultiheadAttention": (lambda: Tokens(SelfAttention()), 3),
    "TransformerEncoder": (lambda: Tokens(encoder()), 3),
    "TransformerEncoder in eval": (lambda: Tokens(encoder()).eval(), 3),
    "TransformerEncoder with padding": (lambda: Tokens(Masked()).eval(), 3),
    "convolutions, 1-D": (lambda: convolutions(1), 6),
    "convolutions, 2-D": (lambda: convolutions(2), 16),
    "GRU": (lambda: Recurrent("GRU"), 3),
    "LSTM": (lambda: Recurrent("LSTM", num_layers=2, bidirectional=True), 3),
    "LSTM with projections": (lambda: Recurrent("LSTM", proj_size=2), 3),
    "RNN": (lambda: Recurrent("RNN"), 3),
    "embedding": (Embedded, 3),
    "Fourier operator": (FourierOperator, 4),
    "Fourier operator that writes": (WrittenFourierOperator, 4),
    "slogdet": (lambda: Orbitals(lambda m: torch.linalg.slogdet(m)[1]), 6),
    "det": (lambda: Orbitals(torch.linalg.det), 6),
    "solve": (lambda: Orbitals(lambda m: torch.linalg.solve(m, torch.ones(3)).sum(-1)), 6),
    "inv": (lambda: Orbitals(lambda m: torch.linalg.inv(m).sum((-1, -2))), 6),
    "cholesky": (lambda: Orbitals(lambda m: torch.linalg.cholesky(m @ m.mT + torch.eye(3)).sum((-1, -2))), 6),
    "complex slogdet": (lambda: Orbitals(lambda m: torch.linalg.slogdet(m * (1 + 0.3j * m))[1]), 6),
    "splines": (Splines, 3),
    "B-splines": (BSplines, 3),
    "einsum": (Einsums, 3),
    "deep set": (DeepSet, 6),
    "weight norm": (lambda: mlp(nn.Tanh(), nn.utils.parametrizations.weight_norm(nn.Linear(8, 1))), 3),
}


@pytest.mark.parametrize("fused_rules", [True, False], indirect=True)
@pytest.mark.parametrize("name", NETWORKS)
def test_values_and_gradients_of_a_network(name):
    make, inputs = NETWORKS[name]
    net = make()
    points = torch.randn(3, inputs, generator=torch.Generator(torch.get_default_device()).manual_seed(1)) * 0.5
    net(points)  # lazy layers get their shapes
    # Differences must not reach over a kink: there the step is small, and the second derivatives are zero anyway.
    step, tolerance = (1e-4, 1e-5) if has_kinks(name) else (1e-2, 1e-7)
    assert_close(dof.laplacian(net)(points).detach(), laplacian_by_differences(net, points, step), tolerance)
    weights = torch.rand(3)

    def loss():
        y = dof.laplacian(net)(points)
        return (weights * (y**2).reshape(3, -1).sum(-1)).sum()

    for found, expected in parameter_slopes(net.parameters(), loss):
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_gradients_in_x():
    net, x = mlp(nn.Tanh(), nn.Linear(8, 1)), torch.randn(4, 3).requires_grad_()
    (slopes,) = torch.autograd.grad((dof.laplacian(net)(x) ** 2).sum(), x)
    expected = torch.func.grad(lambda x: sum(torch.func.hessian(lambda p: net(p)[0])(p).trace() ** 2 for p in x))(x)
    assert_close(slopes, expected, 1e-11)
