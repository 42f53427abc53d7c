"""Makes the table of second derivatives that PyTorch gets wrong: `python tests/pytorch/wrong_second_derivatives.py`."""

from pathlib import Path

import torch
from torch import nn

import dof.torch as dof
from dof.torch.api.check import FIRST, SECOND

PAGE = "docs/explanation/pytorch-second-derivatives.md"
MARKS = "<!-- table -->", "<!-- end of table -->"


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.end = nn.Linear(1, 8), nn.Linear(8, 1)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu", batch_first=True)

    def forward(self, x):
        return self.end(self.layer(self.embed(x[..., None])).mean(-2))[..., 0]


class Matrix(nn.Module):
    def __init__(self, read):
        super().__init__()
        self.net, self.read = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 9)), read

    def forward(self, x):
        return self.read(self.net(x).unflatten(-1, (3, 3)) + torch.eye(3))


def layers(*body):
    return nn.Sequential(nn.Linear(3, 8), *body, nn.Linear(8, 1), nn.Flatten(-2))


NETWORKS = {
    "tanh MLP": lambda: layers(nn.Tanh()),
    "LayerNorm, Tanh": lambda: layers(nn.LayerNorm(8), nn.Tanh()),
    "GroupNorm, Tanh": lambda: layers(nn.GroupNorm(2, 8), nn.Tanh()),
    "TransformerEncoderLayer": Tokens,
    "log abs det of a 3 × 3 network": lambda: Matrix(lambda m: torch.linalg.slogdet(m)[1]),
    "solve with a 3 × 3 network": lambda: Matrix(lambda m: torch.linalg.solve(m, torch.ones(3)).sum(-1)),
}


def by_differences(net, x, step=1e-2):
    total = 0
    for d in torch.eye(x.shape[-1]):

        def along(n, d=d):
            return net(x + n * step * d)

        total = total + SECOND[0] * net(x) + sum(c * (along(n) + along(-n)) for n, c in enumerate(SECOND[1:], 1))
    return total / step**2


def by_nested_autograd(net, x):
    x = x.clone().requires_grad_()
    (slopes,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    seconds = (torch.autograd.grad(slopes[:, i].sum(), x, create_graph=True)[0][:, i] for i in range(x.shape[1]))
    return sum(seconds)


def by_hessian(net, x):
    """`torch.func.hessian` at all points by vmap."""

    def functional(p):
        return net(p[None])[0]

    return torch.func.vmap(torch.func.hessian(functional))(x).diagonal(dim1=1, dim2=2).sum(-1)


WAYS = {
    "dof.torch": lambda net, x: dof.laplacian(net)(x),
    "nested autograd.grad": by_nested_autograd,
    "vmap(torch.func.hessian)": by_hessian,
}


def slope(net, x, direction, way):
    """The derivative of mean((Δf)²) along a direction of all parameters, by backward."""
    parameters = list(net.parameters())
    try:
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            loss = (way(net, x) ** 2).mean()
            gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
    except RuntimeError:
        return float("nan")
    return sum(float((g * d).sum()) for g, d in zip(gradients, direction, strict=True))


def slope_by_differences(net, x, direction, step=2e-3):
    parameters, kept = list(net.parameters()), [p.detach().clone() for p in net.parameters()]

    def loss(t):
        for p, k, d in zip(parameters, kept, direction, strict=True):
            p.data.copy_(k + t * d)
        return float((by_differences(net, x) ** 2).mean())

    with torch.no_grad():
        found = sum(c * (loss(n * step) - loss(-n * step)) for n, c in enumerate(FIRST[1:], 1)) / step
        loss(0.0)
    return found


def table():
    rows = {}
    for name, make in NETWORKS.items():
        torch.manual_seed(0)
        net, x = make(), torch.randn(4, 3)
        direction = [torch.randn_like(p) for p in net.parameters()]
        expected = slope_by_differences(net, x, direction)
        rows[name] = {"finite differences": expected} | {w: slope(net, x, direction, f) for w, f in WAYS.items()}
    return rows


def made(rows):
    """The table as Markdown; what is off by more than a thousandth is bold."""
    heads = ["network", *next(iter(rows.values()))]
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    for name, ways in rows.items():
        right = ways["finite differences"]
        lines.append("| " + " | ".join([name, *(_shown(v, right) for v in ways.values())]) + " |")
    return "\n".join(lines)


def _shown(value, right):
    if value != value:
        return "fails"
    text = f"{value:.4g}"
    return text if abs(value - right) <= 1e-3 * abs(right) else f"**{text}**"


def main():
    torch.set_default_dtype(torch.float64)
    path = Path(__file__).parents[2] / PAGE
    before, _, rest = path.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    path.write_text(f"{before}{MARKS[0]}\n{made(table())}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
