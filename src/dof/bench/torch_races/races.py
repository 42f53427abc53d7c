"""The races: for each a network, an operator, a task, and the ways to do it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch  # pyright: ignore[reportMissingImports]

import dof.torch as dof
from dof.bench.torch_races.networks import BlockPerceptron, Perceptron
from dof.bench.torch_races.peers import (
    by_gradients,
    by_hessian,
    by_hessian_rows,
    by_nested_autograd,
    by_two_laplacians,
    reverse_twice,
)

Run = Callable[[], Any]
Race = dict[str, Callable[[], Run]]
"""By the name of a way, what builds a function without arguments that does the work once; dof's own is the first."""
Ways = dict[str, Callable[[Any], Any]]
"""By name, L f as a function of points."""


def forwards(x: Any, ways: Ways) -> Race:
    """L f at all points, without gradients; by dof also in blocks of a sixteenth of them."""
    in_blocks: Ways = {"dof in blocks": dof.batched(ways["dof"], chunk=max(len(x) // 16, 1))}

    def run(g: Callable[[Any], Any]) -> Run:
        return torch.no_grad()(lambda: g(x))

    return {way: partial(run, g) for way, g in (ways | in_blocks).items()}


def training(net: Any, x: Any, ways: Ways) -> Race:
    """The gradient of mean((L f)²) in all weights; by dof also in blocks of a sixteenth of the points."""

    def step_in_blocks() -> Any:
        net.zero_grad()
        return dof.backward(lambda rows: ways["dof"](rows) ** 2, x, chunk=max(len(x) // 16, 1))

    at_once = {way: partial(partial, _step, net, x, g) for way, g in ways.items()}
    return at_once | {"dof in blocks": lambda: step_in_blocks}


def _step(net: Any, x: Any, g: Callable[[Any], Any]) -> Any:
    net.zero_grad()
    loss = (g(x) ** 2).mean()
    loss.backward()
    return loss.detach()


def _paper(name: str, train: bool, scale: int) -> Race:
    """The paper's MLP, with one of its three operators."""
    n, hidden = max(64 // scale, 4), max(256 // scale, 4)
    net = Perceptron(n, hidden, 8)
    alpha = np.random.default_rng(0).normal(size=(n, n))
    matrices = {
        "elliptic": alpha @ alpha.T,
        "low rank": alpha[:, : n // 2] @ alpha[:, : n // 2].T,
        "general": np.diag([-1.0] + [1.0] * (n - 1)),
    }
    a = matrices[name]
    dense = torch.tensor(a, dtype=torch.float32)
    ways = {
        "dof": dof.Operator(a=a)(net),
        "hessian": by_hessian(net, dense),
        "hessian, reverse twice": by_hessian(net, dense, reverse_twice),
    }
    # Results are wanted at many points; in a training step the Hessian's stored values are what limits their number.
    x = torch.randn(max((256 if train else 1024) // scale, 2), n)
    return training(net, x, ways) if train else forwards(x, ways)


def _blocks(scale: int) -> Race:
    """The paper's second network: blocks of inputs, with a block-diagonal A."""
    count, size = max(16 // scale, 2), 4
    net, x = BlockPerceptron(count, size, max(256 // scale, 4), 8, 8), torch.randn(max(64 // scale, 2), count * size)
    a = np.eye(size) + np.ones((size, size))
    L = dof.Operator(a=dof.BlockDiagonal(np.tile(a, (count, 1, 1))))
    dense = torch.block_diag(*[torch.tensor(a, dtype=torch.float32)] * count)
    # Rows are the faster way here: 1.2 s of CPU time for 32 points, where `torch.func.hessian` took 7 s for two.
    return forwards(x, {"dof": L(net), "hessian by rows": by_hessian_rows(net, dense)})


def _heat(scale: int) -> Race:
    """A PINN for the heat equation in two dimensions and time."""
    second, first = [1.0, 1.0, 0.0], [0.0, 0.0, -1.0]
    net, x = Perceptron(3, max(64 // scale, 4), 5), torch.rand(max(8192 // scale, 4), 3)
    L = dof.Operator(a=second, b=first)
    return training(net, x, {"dof": L(net), "nested autograd": by_nested_autograd(net, second, first)})


def _higher_order(name: str, scale: int) -> Race:
    """A PINN for an equation of order three or four."""
    inputs = 3 if name == "biharmonic 3-D" else 2
    net, x = Perceptron(inputs, max(64 // scale, 4), 5), torch.rand(max(8192 // scale, 4), inputs)
    dx, dt = dof.derivatives(2)
    ways = {
        "Korteweg–de Vries": (dt + dx**3, by_gradients(net, {(1,): 1.0, (0, 0, 0): 1.0})),
        "Kuramoto–Sivashinsky": (
            dt + dx**2 + dx**4,
            by_gradients(net, {(1,): 1.0, (0, 0): 1.0, (0, 0, 0, 0): 1.0}),
        ),
    }
    L, nested = ways.get(name, (dof.laplacian**2, by_two_laplacians(net)))
    return training(net, x, {"dof": L(net), "nested autograd": nested})


def _small(scale: int) -> Race:
    """A network so small that calls cost more than arithmetic; dof's is compiled."""
    net, x = Perceptron(2, 20, 3), torch.rand(max(256 // scale, 4), 2)

    def build(way: str) -> Run:
        """Compiled only where it is asked for: in the process of this way."""
        g = dof.compiled(dof.laplacian(net), x) if way == "dof" else by_nested_autograd(net, [1.0, 1.0], [0.0] * 2)
        return partial(_step, net, x, g)

    return {way: partial(build, way) for way in ("dof", "nested autograd")}


RACES: dict[str, Callable[[int], Race]] = {
    **{
        f"mlp {name}, {task}": partial(_paper, name, task == "training step")
        for name in ("elliptic", "low rank", "general")
        for task in ("forward", "training step")
    },
    "block mlp, forward": _blocks,
    "heat 3-64-64-64-64-1, training step": _heat,
    **{
        f"{name}, 4 × 64, training step": partial(_higher_order, name)
        for name in ("Korteweg–de Vries", "Kuramoto–Sivashinsky", "biharmonic 2-D", "biharmonic 3-D")
    },
    "2-20-20-1, compiled, training step": _small,
}
"""By name, what makes a race; numbers of points and widths are divided by its argument, for tests."""
