"""Pages of the documentation that are for PyTorch: their code runs, and every public name is in the reference."""

import re
from pathlib import Path

import pytest
import torch

import dof.torch.pde

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", flags=re.S)
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if "import dof.torch" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code(page):
    torch.set_default_dtype(torch.float32)  # as readers have it
    scope = {}
    for block in BLOCK.findall(page.read_text()):
        exec(compile(block, page, "exec"), scope)


def test_the_block_of_the_readme():
    (block,) = [b for b in BLOCK.findall((ROOT / "README.md").read_text()) if "import dof.torch" in b]
    scope = {}
    exec(compile(block, "README.md", "exec"), scope)
    assert all(parameter.grad is not None for parameter in scope["net"].parameters())


def test_there_are_pages():
    assert {"from-nested-autograd", "pytorch-libraries", "pytorch-second-derivatives", "transformer-pinn-pytorch"} <= {
        page.stem for page in PAGES
    }


def test_every_public_name_is_in_the_reference():
    text = (ROOT / "docs/reference/torch.md").read_text()
    assert [name for name in (*dof.torch.__all__, *dof.torch.pde.__all__) if name not in text] == []
