"""The page of operations is what the rules register; `python docs/making/torch_operations.py` makes it."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import dof.torch.rules

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/pytorch-operations.md"
MADE = """
import sys
from docs.making.torch_operations import PAGE, made
sys.stdout.buffer.write(made(PAGE.read_text(encoding="utf-8")).encode())
"""


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="other releases have other operations")
def test_the_page_is_what_the_rules_register():
    # In a process of its own, because rules are registered once more.
    made = subprocess.run([sys.executable, "-c", MADE], cwd=ROOT, capture_output=True, check=True).stdout
    assert PAGE.read_text(encoding="utf-8") == made.decode()


def test_every_file_of_rules_is_imported_and_listed():
    folder = Path(dof.torch.rules.__file__).parent
    files = [file for file in folder.rglob("*.py") if file.name != "__init__.py"]
    assert [f for f in files if f"`torch/rules/{f.relative_to(folder).as_posix()}`" not in PAGE.read_text()] == []
    modules = {".".join(["dof.torch.rules", *f.relative_to(folder).with_suffix("").parts]) for f in files}
    assert modules <= set(sys.modules)
