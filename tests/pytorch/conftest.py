"""Tests of `dof.torch`: in double precision, on the GPU if there is one. Without PyTorch they are skipped."""

import pytest

try:
    import torch
except ImportError:
    torch = None

collect_ignore = ["op_db_harness.py", "wrong_peers.py"]

if torch is None:
    collect_ignore_glob = ["*.py"]

    def pytest_report_header():
        return "tests/pytorch is left out: PyTorch is not installed (make test-torch installs it)"


@pytest.fixture(autouse=True)
def double_precision():
    if torch is None:
        yield
        return
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
    if torch is not None:
        from dof.torch import fusing

        monkeypatch.setattr(fusing, "LEAST", 0 if getattr(request, "param", True) else 2**62)
