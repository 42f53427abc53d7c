"""The examples for PyTorch run, each with fewer steps than as it stands."""

import runpy
import sys
from pathlib import Path

import pytest
import torch

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("torch_*.py"))
FEWER = {"torch_transformer_pinn": ["20"]}
"""Arguments of the examples that take long as they stand."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch):
    assert len([line for line in path.read_text().splitlines() if line.strip()]) <= 60 and "assert" in path.read_text()
    monkeypatch.setattr(sys, "argv", [str(path), *FEWER[path.stem]])
    torch.set_default_dtype(torch.float32)  # as readers have it
    runpy.run_path(str(path), run_name="__main__")
