"""PyTorch's own second derivatives of common layers: the table of the documentation, for the installed version."""

from pathlib import Path

import pytest
import torch
from wrong_second_derivatives import NETWORKS, PAGE, made, table

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    rows = table()
    torch.set_default_dtype(before)
    return rows


def test_dof_agrees_with_finite_differences_everywhere(found):
    assert len(found) == len(NETWORKS)
    for name, ways in found.items():
        assert ways["dof.torch"] == pytest.approx(ways["finite differences"], rel=1e-6), name


def test_the_page_is_of_this_version_of_pytorch(found):
    page = (ROOT / PAGE).read_text()
    if f"PyTorch {torch.__version__.partition('+')[0]}" not in page:
        pytest.skip("the page is for another version; python tests/pytorch/wrong_second_derivatives.py makes it")
    assert made(found) in page
