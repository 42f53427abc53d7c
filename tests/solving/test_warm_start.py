"""A solution as the start of another training."""

import numpy as np
import pytest

import dof
from dof import pde
from problems import problem_on

SMALL = {"adam": 2, "newton": 0, "points": 16, "edge_points": 8, "width": 4, "depth": 1, "error_points": 64}
POINTS = np.random.default_rng(0).random((5, 2))


@pytest.fixture(scope="module")
def solution():
    return dof.solve(problem_on(), **SMALL)


def test_training_starts_from_another_solution(solution):
    # With a rate of nearly zero the first steps leave θ as it is.
    again = dof.solve(problem_on(), start=solution, **SMALL | {"rate": 1e-300})
    np.testing.assert_allclose(again.theta, solution.theta, rtol=1e-12)
    assert again.unknowns == solution.unknowns
    with pytest.raises(dof.ArgumentError, match="`start` has weights of shapes"):
        dof.solve(problem_on(), "mlp", start=solution, **SMALL | {"width": 5})
    for name, value in {"width": 5, "depth": 2, "activation": "sin"}.items():
        with pytest.raises(dof.ArgumentError, match=f"`{name}` is .*, and `start` has a network with {name}="):
            dof.solve(problem_on(), start=solution, **SMALL | {name: value})


def test_a_start_that_does_not_fit_is_told_as_such(solution):
    line = pde.Problem(pde.residual("x")(lambda u, x: u.xx + 1), pde.Interval(0, 1), [pde.dirichlet(0.0, hard=True)])
    with pytest.raises(dof.ArgumentError, match="`start` has a network of 2 features"):
        dof.solve(line, start=solution, **SMALL)
    with pytest.raises(dof.ArgumentTypeError, match=r"start=dof.load\(path, problem\)"):
        dof.solve(problem_on(), start="heat.safetensors", **SMALL)


def test_what_started_from_a_solution_of_another_size_is_loaded_again(solution, tmp_path):
    defaults = {name: value for name, value in SMALL.items() if name not in ("width", "depth")}
    again = dof.solve(problem_on(), start=solution, **defaults)
    assert again.training.settings.width == solution.training.settings.width
    again.save(tmp_path / "heat.safetensors")
    np.testing.assert_array_equal(dof.load(tmp_path / "heat.safetensors", problem_on())(POINTS), again(POINTS))


def test_a_solution_is_the_initial_data_of_the_next_window(solution):
    later = dof.solve(problem_on(1.0, 2.0, initial=solution), start=solution, **SMALL)
    x = np.linspace(0, 1, 7)
    np.testing.assert_allclose(later(x, 1.0), solution(x, 1.0), rtol=1e-12, atol=1e-15)
    assert np.abs(later(x[1:-1], 1.5) - solution(x[1:-1], 1.0)).min() > 0
