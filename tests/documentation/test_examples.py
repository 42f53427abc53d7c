"""Every example runs, and each of them asserts what it promises."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from dof.jax_compat import enable_x64

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


SMALLER = {"helium_ground_state": ["20", "128", "10"]}
"""Arguments of the examples that take minutes as they stand."""
LONGER = {"helium_ground_state": 150}
"""Lines of the examples that are a whole method; the others show one thing."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch):
    text, arguments = path.read_text(), SMALLER.get(path.stem, [])
    assert len(text.splitlines()) <= LONGER.get(path.stem, 80) and "assert" in text
    # To import JAX anew takes two seconds; what sets JAX up needs a process of its own.
    if "jax.config" in text or "os.environ" in text:
        done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
    else:
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        with enable_x64(False):
            runpy.run_path(str(path), run_name="__main__")
