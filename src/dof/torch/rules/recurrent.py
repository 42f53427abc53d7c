"""Recurrent layers and cells, written out step by step. PyTorch writes them out in operations that work in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS
from dof.torch.rules.matrix_products import linear_layer

Cell = Callable[[Any, Any, Sequence[Any]], Any]
"""(input, state, weights) ↦ state; the state of an LSTM is (h, c)."""


def lstm_cell(
    x: Any, state: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, projection: Any = None
) -> Any:
    """(h, c) of the next step; `projection` is the matrix of `proj_size`."""
    h, c = state
    gates = linear_layer(x, w_ih, b_ih) + linear_layer(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h if projection is None else linear_layer(h, projection), c


def gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """The state of the next step."""
    inner = linear_layer(x, w_ih, b_ih).chunk(3, -1)
    outer = linear_layer(h, w_hh, b_hh).chunk(3, -1)
    reset, update = (torch.sigmoid(a + b) for a, b in zip(inner[:2], outer[:2], strict=True))
    new = torch.tanh(inner[2] + reset * outer[2])
    return new + update * (h - new)


def simple_cell(activation: Callable[[Any], Any]) -> Callable[..., Any]:
    """h ↦ activation(W x + b + V h + d)."""

    def cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return activation(linear_layer(x, w_ih, b_ih) + linear_layer(h, w_hh, b_hh))

    return cell


def recurrent(cell: Callable[..., Any], is_lstm: bool) -> Callable[..., Any]:
    """A layer of cells over a sequence, with the arguments of `torch.lstm`, `torch.gru`, …."""

    def run(
        x: Any,
        initial: Any,
        weights: Any,
        has_biases: bool,
        layers: int,
        dropout: float,
        training: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        if not isinstance(has_biases, bool):
            refuse("a recurrent layer", "on a packed sequence", "the layer on padded sequences")
        if dropout and training and layers > 1:
            refuse("a recurrent layer", "with dropout, so that it is no function of x", "net.eval()")
        starts = initial if is_lstm else (initial,)
        steps = list(x.unbind(1 if batch_first and x.dim() == 3 else 0))
        count, ends = 2 if bidirectional else 1, []
        per_cell = len(weights) // (layers * count)
        for layer in range(layers):
            outputs = []
            for side in range(count):
                number = layer * count + side
                own = list(weights[number * per_cell : (number + 1) * per_cell])
                own = own if has_biases else [*own[:2], None, None, *own[2:]]
                state = tuple(start[number] for start in starts)
                states = _steps(cell, steps[::-1] if side else steps, state if is_lstm else state[0], own)
                ends.append(states[-1] if is_lstm else (states[-1],))
                hidden = [s[0] if is_lstm else s for s in states]
                outputs.append(hidden[::-1] if side else hidden)
            steps = [torch.cat(pair, -1) for pair in zip(*outputs, strict=True)] if count == 2 else outputs[0]
        y = torch.stack(steps, 1 if batch_first and x.dim() == 3 else 0)
        return (y, *(torch.stack(parts) for parts in zip(*ends, strict=True)))

    return run


def _steps(cell: Callable[..., Any], inputs: Sequence[Any], state: Any, weights: Sequence[Any]) -> list[Any]:
    states = []
    for x in inputs:
        state = cell(x, state, *weights)
        states.append(state)
    return states


for _name, _cell in (
    ("gru", gru_cell),
    ("rnn_tanh", simple_cell(torch.tanh)),
    ("rnn_relu", simple_cell(torch.relu)),
):
    FUNCTIONS[getattr(torch, _name)] = recurrent(_cell, is_lstm=False)
    FUNCTIONS[getattr(torch, f"{_name}_cell")] = _cell
FUNCTIONS[torch.lstm] = recurrent(lstm_cell, is_lstm=True)
FUNCTIONS[torch.lstm_cell] = lstm_cell
