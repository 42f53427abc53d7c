"""Tests of `dof.torch`, run by `make test-torch`: in double precision, on the GPU if there is one."""

import pytest
import torch

from dof.torch import fusing

collect_ignore = ["op_db_harness.py", "wrong_second_derivatives.py"]


@pytest.fixture(autouse=True)
def double_precision():
    before = torch.get_default_dtype(), torch.get_default_device()
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before[0])
    torch.set_default_device(before[1])


@pytest.fixture(autouse=True)
def fused_rules(request, monkeypatch):
    """Fused rules for tensors of any size, or for none if a test asks for that."""
    monkeypatch.setattr(fusing, "LEAST", 0 if getattr(request, "param", True) else 2**62)
