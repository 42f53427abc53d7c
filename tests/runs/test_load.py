"""Solutions from files and from folders of runs, and files and problems that do not fit."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save_file

import dof
from dof import pde
from dof.runs.training_run import begin, train
from problems import problem_on

SMALL = {"adam": 2, "newton": 0, "points": 16, "edge_points": 8, "width": 4, "depth": 1, "error_points": 64}
POINTS = np.random.default_rng(0).random((5, 2))


@pytest.fixture(scope="module")
def solution():
    return dof.solve(problem_on(), **SMALL)


def test_files_that_do_not_fit_are_refused(solution, tmp_path):
    path = tmp_path / "heat.safetensors"
    solution.save(path)
    with pytest.raises(dof.ArgumentError, match="no problem is given"):
        dof.load(path)
    with pytest.raises(dof.ArgumentError, match="`problem` is poisson"):
        dof.load(path, "poisson")
    with pytest.raises(dof.ArgumentError, match="weights of another network"):
        dof.load(path, problem_on(), network=dof.solving.Network(lambda key: jnp.ones(3), lambda w, z: w @ w))
    with pytest.raises(dof.ArgumentError, match="another u of these weights"):
        dof.load(path, problem_on(initial=lambda x, t: x**2 * (1 - x)))
    (tmp_path / "text").write_text("no weights")
    save_file({"a": np.ones(2)}, tmp_path / "other")
    for name in ("text", "other", "missing"):
        with pytest.raises(dof.ArgumentError, match="`path` is"):
            dof.load(tmp_path / name, problem_on())
    with pytest.raises(dof.ArgumentError, match="where nothing is"):
        dof.load(tmp_path / "missing")


def test_the_problem_may_be_a_file(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("from dof.zoo import problem_named\n\nproblem = problem_named('heat')\n")
    solution = dof.solve("heat", **SMALL)
    solution.save(tmp_path / "heat.safetensors")
    np.testing.assert_array_equal(dof.load(tmp_path / "heat.safetensors", str(file))(POINTS), solution(POINTS))


def test_the_folder_of_a_run_is_a_solution_at_its_end_and_before(tmp_path):
    run = begin("heat", SMALL, tmp_path / "run")
    with pytest.raises(dof.ArgumentError, match="nothing has been trained"):
        dof.load(tmp_path / "run")
    run = train(run, lambda report: None)
    np.testing.assert_array_equal(dof.load(tmp_path / "run")(POINTS), run.solution(POINTS))
    np.testing.assert_array_equal(dof.load(tmp_path / "run", "heat")(POINTS), run.solution(POINTS))
    with pytest.raises(dof.ArgumentError, match="`problem` is poisson"):
        dof.load(tmp_path / "run", "poisson")
    other = replace(run.training.problem, conditions=[pde.dirichlet(0.0, hard=True), pde.initial(0.0, hard=True)])
    with pytest.raises(dof.ArgumentError, match="another u of these weights"):
        dof.load(tmp_path / "run", other)
    with pytest.raises(dof.ArgumentError, match=r"a file of the run in '.*run'; expected the folder"):
        dof.load(tmp_path / "run" / "weights.safetensors", "heat")
    run.solution.save(tmp_path / "run" / "mine.safetensors")
    assert dof.load(tmp_path / "run" / "mine.safetensors", "heat").error == run.solution.error
    (tmp_path / "run" / "weights.safetensors").unlink()
    loaded = dof.load(tmp_path / "run")
    np.testing.assert_array_equal(loaded(POINTS), run.solution(POINTS))
    assert len(loaded.history) == 1


def test_a_problem_with_another_equation_or_other_soft_conditions_is_refused(tmp_path):
    def wall_at(value, factor):
        @pde.residual("x")
        def poisson(u, x):
            return u.xx + factor

        return pde.Problem(poisson, pde.Interval(0, 1), [pde.dirichlet(value)])

    path = tmp_path / "poisson.safetensors"
    dof.solve(wall_at(0.0, 1.0), **SMALL).save(path)
    assert dof.load(path, wall_at(0.0, 1.0)).history
    with pytest.raises(dof.ArgumentError, match="another residual in `equation`"):
        dof.load(path, wall_at(0.0, 2.0))
    with pytest.raises(dof.ArgumentError, match="another residual in `dirichlet`"):
        dof.load(path, wall_at(1.0, 1.0))
