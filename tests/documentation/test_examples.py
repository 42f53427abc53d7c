"""Every example runs, and each of them asserts what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


SMALLER = {"helium_ground_state": ["20", "128", "10"]}
"""Arguments of the examples that take minutes as they stand."""
LONGER = {"helium_ground_state": 150}
"""Lines of the examples that are a whole method; the others show one thing."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    assert len(path.read_text().splitlines()) <= LONGER.get(path.stem, 80) and "assert" in path.read_text()
    done = subprocess.run(
        [sys.executable, path, *SMALLER.get(path.stem, [])], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
