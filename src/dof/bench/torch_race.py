"""`dof bench torch`: dof.torch beside what people write in PyTorch, by turns in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch  # pyright: ignore[reportMissingImports]

import dof.torch as dof
from dof.text_table import TextTable

Run = Callable[[], Any]


@dataclass(frozen=True)
class TorchRace:
    """Ways to compute the same, of which the first is dof's.

    Attributes:
        name: of the network, the operator and the task.
        ways: by name, functions without arguments that do the work once.
    """

    name: str
    ways: dict[str, Run]


class Perceptron(torch.nn.Module):
    """Dense layers with tanh between them, and one number for each point."""

    def __init__(self, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        sizes = [inputs, *[hidden] * (layers - 1), 1]
        self.layers = torch.nn.ModuleList(map(torch.nn.Linear, sizes[:-1], sizes[1:]))

    def forward(self, x: Any) -> Any:
        """(…, inputs) to (…)."""
        *hidden, last = self.layers
        for layer in hidden:
            x = torch.tanh(layer(x))
        return last(x).squeeze(-1)


class BlockPerceptron(torch.nn.Module):
    """Σ_o Π_b net(x_b)_o: one network for each block of the inputs, as in the paper's second table."""

    def __init__(self, blocks: int, inputs: int, hidden: int, layers: int, outputs: int) -> None:
        super().__init__()
        sizes = [inputs, *[hidden] * (layers - 1), outputs]
        shapes = [(blocks, i, o) for i, o in pairwise(sizes)]
        self.blocks, self.inputs = blocks, inputs
        self.weights = torch.nn.ParameterList(torch.randn(s) / s[1] ** 0.5 for s in shapes)

    def forward(self, x: Any) -> Any:
        """(n, blocks · inputs) to (n,)."""
        h = x.reshape(*x.shape[:-1], self.blocks, self.inputs)
        for n, weight in enumerate(self.weights):
            h = torch.einsum("npi,pio->npo", h, weight)  # h[..., None, :] @ weight takes far longer in PyTorch itself
            h = torch.tanh(h) if n + 1 < len(self.weights) else h
        return h.prod(-2).sum(-1)


def by_hessian(net: Any, a: Any, hessian: Callable[..., Any] = torch.func.hessian) -> Callable[[Any], Any]:
    """Σ a_ij ∂²_ij by the whole Hessian at each point."""
    return lambda x: (torch.func.vmap(hessian(lambda p: net(p[None])[0]))(x) * a).sum((-1, -2))


def reverse_twice(f: Callable[..., Any]) -> Callable[..., Any]:
    """The Hessian of f by reverse over reverse; `torch.func.hessian` is forward over reverse."""
    return torch.func.jacrev(torch.func.jacrev(f))


def by_hessian_rows(net: Any, a: Any) -> Callable[[Any], Any]:
    """Σ a_ij ∂²_ij by the rows of the Hessian of all points, one after the other."""

    @torch.enable_grad()
    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        rows = (torch.autograd.grad(g[:, i].sum(), x, retain_graph=True)[0] for i in range(len(a)))
        return sum(row @ weights for row, weights in zip(rows, a, strict=True))

    return run


def by_nested_autograd(net: Any, second: list[float], first: list[float]) -> Callable[[Any], Any]:
    """Σ second_i ∂_i² + Σ first_i ∂_i by gradients of gradients, as PINN codes have it."""

    def run(x: Any) -> Any:
        x = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        total = (g * torch.tensor(first)).sum(-1)
        for i, weight in enumerate(second):
            if weight:
                total = total + weight * torch.autograd.grad(g[:, i].sum(), x, create_graph=True)[0][:, i]
        return total

    return run


def forwards(name: str, net: Any, x: Any, ways: dict[str, Callable[[Any], Any]]) -> TorchRace:
    """L f at all points, without gradients."""

    def run(g: Callable[[Any], Any]) -> Run:
        return torch.no_grad()(lambda: g(x))

    return TorchRace(f"{name}, forward", {way: run(g) for way, g in ways.items()})


def training(name: str, net: Any, x: Any, ways: dict[str, Callable[[Any], Any]]) -> TorchRace:
    """The gradient of mean((L f)²) in all weights."""

    def run(g: Callable[[Any], Any]) -> Run:
        def step() -> Any:
            net.zero_grad()
            loss = (g(x) ** 2).mean()
            loss.backward()
            return loss.detach()

        return step

    return TorchRace(f"{name}, training step", {way: run(g) for way, g in ways.items()})


def races(scale: int = 1) -> list[TorchRace]:
    """The races; numbers of points and widths are divided by `scale`, for tests."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    n, hidden = max(64 // scale, 4), max(256 // scale, 4)
    # Results are wanted at many points; in a training step the Hessian's stored values are what limits their number.
    net, many = Perceptron(n, hidden, 8), torch.randn(max(1024 // scale, 2), n)
    x = many[: max(128 // scale, 2)]
    alpha = rng.normal(size=(n, n))
    matrices = {
        "elliptic": alpha @ alpha.T,
        "low rank": alpha[:, : n // 2] @ alpha[:, : n // 2].T,
        "general": np.diag([-1.0] + [1.0] * (n - 1)),
    }
    found = []
    for name, a in matrices.items():
        dense = torch.tensor(a, dtype=torch.float32)
        ways = {
            "dof": dof.Operator(a=a)(net),
            "hessian": by_hessian(net, dense),
            "hessian, reverse twice": by_hessian(net, dense, reverse_twice),
        }
        found += [forwards(f"mlp {name}", net, many, ways), training(f"mlp {name}", net, x, ways)]
    return [*found, _blocks(scale), *_small(scale)]


def _blocks(scale: int) -> TorchRace:
    count, size = max(16 // scale, 2), 4
    net, x = BlockPerceptron(count, size, max(256 // scale, 4), 8, 8), torch.randn(max(64 // scale, 2), count * size)
    a = np.eye(size) + np.ones((size, size))
    L = dof.Operator(a=dof.BlockDiagonal(np.tile(a, (count, 1, 1))))
    dense = torch.block_diag(*[torch.tensor(a, dtype=torch.float32)] * count)
    # Rows are the faster way here: 1.2 s of CPU time for 32 points, where `torch.func.hessian` took 7 s for two.
    return forwards("block mlp", net, x, {"dof": L(net), "hessian by rows": by_hessian_rows(net, dense)})


def _small(scale: int) -> list[TorchRace]:
    """PINNs with few inputs."""
    second, first = [1.0, 1.0, 0.0], [0.0, 0.0, -1.0]
    heat, x = Perceptron(3, max(64 // scale, 4), 5), torch.rand(max(8192 // scale, 4), 3)
    L = dof.Operator(a=second, b=first)
    ways = {"dof": L(heat), "nested autograd": by_nested_autograd(heat, second, first)}
    tiny, z = Perceptron(2, 20, 3), torch.rand(max(256 // scale, 4), 2)
    compiled = {
        "dof": dof.compiled(dof.laplacian(tiny), z),
        "nested autograd": by_nested_autograd(tiny, [1.0, 1.0], [0.0] * 2),
    }
    return [training("heat 3-64-64-64-64-1", heat, x, ways), training("2-20-20-1, compiled", tiny, z, compiled)]


def run_races(found: list[TorchRace], rounds: int, clock: Callable[[], float] = time.perf_counter) -> TextTable:
    """Medians of all ways, taken by turns, after one run of each whose results are compared."""
    table = TextTable("dof.torch", ["case", "way", "median ms", "times dof"])
    for race in found:
        results = [torch.as_tensor(run()) for run in race.ways.values()]
        for other in results[1:]:
            torch.testing.assert_close(results[0], other, rtol=1e-2, atol=1e-2 * float(other.abs().max()))
        taken: dict[str, list[float]] = {way: [] for way in race.ways}
        for _ in range(rounds):
            for way, run in race.ways.items():
                start = clock()
                run()
                taken[way].append(clock() - start)
        own = taken["dof"]
        for way, seconds in taken.items():
            # The median of ratios of neighbours: both see the same load of the machine.
            ratio = statistics.median(s / o for s, o in zip(seconds, own, strict=True))
            table.rows.append([race.name, way, f"{1000 * statistics.median(seconds):.1f}", f"{ratio:.2f}"])
    return table
