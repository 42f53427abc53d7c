"""A small transformer that solves a heat equation in PyTorch: trained with dof.torch, and by nested autograd.grad.

u_t = u_xx + (π² − 1) e^{−t} sin πx on 0 < x < 1, 0 < t < 1, with the solution e^{−t} sin πx. Nested autograd.grad has
wrong gradients for LayerNorm and attention, so that its training is slower and ends at a larger residual.

    python docs/making/transformer_pinn_picture.py [--steps 800] [--picture transformer.png]
"""

import argparse

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import dof.torch as dof

heat = dof.Operator(a=[-1.0, 0.0], b=[0.0, 1.0])


def exact(z):
    return torch.exp(-z[:, 1]) * torch.sin(torch.pi * z[:, 0])


def source(z):
    return (torch.pi**2 - 1) * exact(z)


class Network(nn.Module):
    """Tokens of x and t through one layer of a transformer; conditions hold by construction."""

    def __init__(self, width=16):
        super().__init__()
        self.embed, self.place = nn.Linear(1, width), nn.Parameter(torch.randn(2, width))
        self.layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.end = nn.Linear(width, 1)

    def forward(self, z):
        x, t = z[:, 0], z[:, 1]
        tokens = self.layer(self.embed(z[..., None]) + self.place)
        return torch.sin(torch.pi * x) + t * x * (1 - x) * self.end(tokens.mean(1))[:, 0]


def residual(net, z):
    return heat(net)(z) - source(z)


def nested_residual(net, z):
    z = z.clone().requires_grad_()
    with sdpa_kernel(SDPBackend.MATH):  # the default attention cannot be differentiated twice
        (g,) = torch.autograd.grad(net(z).sum(), z, create_graph=True)
        (second,) = torch.autograd.grad(g[:, 0].sum(), z, create_graph=True)
    return g[:, 1] - second[:, 0] - source(z)


def train(of, steps, seed=0):
    """Losses, and the largest error of u at the end, after Adam with the gradients of mean(of(net, z)²)."""
    torch.manual_seed(seed)
    net, losses = Network(), []
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        loss = (of(net, torch.rand(256, 2)) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(float(loss.detach()))
    points = torch.rand(2000, 2)
    with torch.no_grad():
        return losses, float((net(points) - exact(points)).abs().max())


def draw(trainings, path):
    """Losses of both trainings, as means over fifty steps."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    for name, (losses, error) in trainings.items():
        means = torch.tensor(losses).unfold(0, min(50, len(losses)), 1).mean(-1)
        axes.semilogy(means, label=f"{name}: largest error {error:.0e}")
    axes.set(xlabel="steps of Adam", ylabel="mean squared residual")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--picture")
    given = parser.parse_args()
    ways = {"dof.torch": residual, "nested autograd.grad": nested_residual}
    trainings = {name: train(of, given.steps) for name, of in ways.items()}
    for name, (losses, error) in trainings.items():
        print(f"{name}: mean squared residual {sum(losses[-50:]) / 50:.1e}, largest error of u {error:.1e}")
    if given.picture:
        draw(trainings, given.picture)


if __name__ == "__main__":
    main()
