"""A transformer that solves a PDE, in PyTorch: attention and LayerNorm, whose gradients nested autograd gets wrong.

u_t = u_xx / 10 on [0, 1], u = sin(πx) at the start. The network sees a point and three later ones as a sequence.
"""

import math
import sys

import torch

import dof.torch as dof
from dof.torch import pde


@pde.residual("x t")
def heat(u, x, t):
    return u.t - u.xx / 10


class Transformer(torch.nn.Module):
    """Four tokens: the point at t, t + 0.1, t + 0.2, t + 0.3."""

    def __init__(self, width=16):
        super().__init__()
        self.enter, self.leave = torch.nn.Linear(2, width), torch.nn.Linear(4 * width, 1)
        self.block = torch.nn.TransformerEncoderLayer(
            width, 2, 2 * width, 0.0, torch.nn.functional.gelu, batch_first=True
        )

    def forward(self, z):
        ahead = torch.stack([z + z.new_tensor([0.0, shift]) for shift in (0.0, 0.1, 0.2, 0.3)], dim=1)
        x, t = z[:, 0], z[:, 1]
        n = self.leave(self.block(self.enter(ahead)).flatten(1)).squeeze(-1)
        # The value at the start and at both ends holds by construction.
        return torch.sin(math.pi * x) + t * x * (1 - x) * n


def exact(z):
    return torch.exp(-(math.pi**2) * z[:, 1] / 10) * torch.sin(math.pi * z[:, 0])


def main(steps=600):
    torch.manual_seed(0)
    net = Transformer()
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        optimiser.zero_grad()
        loss = (heat(net)(torch.rand(256, 2)) ** 2).mean()
        loss.backward()
        optimiser.step()
        schedule.step()
    points = torch.rand(2000, 2)
    with torch.no_grad():
        error = (net(points) - exact(points)).norm() / exact(points).norm()
    print(f"relative error {error:.1e}")
    print(dof.check(dof.laplacian, net.double(), points[:4].double()))
    assert error < (2e-2 if steps >= 600 else 1.0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
