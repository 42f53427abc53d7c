"""Every example runs, and each of them asserts what it promises."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from dof.jax_compat import enable_x64

EXAMPLES = sorted(
    path for path in (Path(__file__).parents[2] / "examples").glob("*.py") if not path.stem.startswith("torch_")
)
"""All but those for PyTorch, which `make test-torch` runs."""


SMALLER = {
    "helium_ground_state": ["20", "128", "10"],
    "hydrogen_molecule": ["40", "200"],
    "parametric_family": ["15"],
    "korteweg_de_vries": ["10", "8", "150"],
    "sine_gordon_100000_dimensions": ["sine-gordon-10000"],
}
"""Arguments of the examples that take long as they stand."""
LONGER = {"helium_ground_state": 150}
"""Lines of the examples that are a whole method; the others tell one story in 60, blank ones not counted."""


def test_every_example_is_listed():
    folder = Path(__file__).parents[2] / "examples"
    text = (folder / "README.md").read_text()
    assert [path.name for path in folder.glob("*.py") if f"({path.name})" not in text] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch, tmp_path):
    text, arguments = path.read_text(), SMALLER.get(path.stem, [])
    assert len([line for line in text.splitlines() if line.strip()]) <= LONGER.get(path.stem, 60)
    assert "assert" in text
    monkeypatch.chdir(tmp_path)  # pictures go to the folder that one is in
    # To import JAX anew takes two seconds; what sets JAX up needs a process of its own.
    if "jax.config" in text or "os.environ" in text:
        done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
    else:
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        with enable_x64(False):
            runpy.run_path(str(path), run_name="__main__")
