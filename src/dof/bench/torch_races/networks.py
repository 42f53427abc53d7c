"""The networks of `dof bench torch`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch  # pyright: ignore[reportMissingImports]


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
