"""Solutions in files."""

import numpy as np
import pytest

import dof
from problems import problem_on

SMALL = {"adam": 2, "newton": 0, "points": 16, "edge_points": 8, "width": 4, "depth": 1, "error_points": 64}
POINTS = np.random.default_rng(0).random((5, 2))


@pytest.fixture(scope="module")
def solution():
    return dof.solve(problem_on(), **SMALL)


def test_a_saved_solution_is_the_same_when_it_is_loaded(solution, tmp_path):
    path = tmp_path / "heat.safetensors"
    solution.save(path)
    again = dof.load(path, problem_on())
    np.testing.assert_array_equal(again(POINTS), solution(POINTS))
    assert again.unknowns == solution.unknowns and again.history == solution.history
    assert [file.name for file in tmp_path.iterdir()] == ["heat.safetensors"]


def test_what_cannot_be_written_is_told_with_its_folder(solution, tmp_path):
    (tmp_path / "file").write_text("no folder")
    for folder in ("missing", "file"):
        with pytest.raises(OSError, match=r"heat.safetensors cannot be written into .*" + folder):
            solution.save(tmp_path / folder / "heat.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
