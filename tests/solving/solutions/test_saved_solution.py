"""Solutions in files and from folders, as a start of training, and as data of another problem; weights of terms."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save_file

import dof
from dof import pde
from dof.runs.training_run import begin, train

SMALL = {"adam": 2, "newton": 0, "points": 16, "edge_points": 8, "width": 4, "depth": 1, "error_points": 64}
POINTS = np.random.default_rng(0).random((5, 2))


@pde.residual("x t")
def heat(u, x, t, *, k):
    return u.t - k * u.xx


def problem_on(start=0.0, end=1.0, initial=lambda x, t: x * (1 - x)):
    conditions = [pde.dirichlet(0.0, hard=True), pde.initial(initial, hard=True)]
    return pde.Problem(heat, pde.Interval(0, 1) * pde.Time(start, end), conditions, unknowns={"k": 0.5})


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


def test_what_cannot_be_written_is_told_with_its_folder(solution, tmp_path):
    (tmp_path / "file").write_text("no folder")
    for folder in ("missing", "file"):
        with pytest.raises(OSError, match=r"heat.safetensors cannot be written into .*" + folder):
            solution.save(tmp_path / folder / "heat.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


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


def test_a_solution_is_the_initial_data_of_the_next_window(solution):
    later = dof.solve(problem_on(1.0, 2.0, initial=solution), start=solution, **SMALL)
    x = np.linspace(0, 1, 7)
    np.testing.assert_allclose(later(x, 1.0), solution(x, 1.0), rtol=1e-12, atol=1e-15)
    assert np.abs(later(x[1:-1], 1.5) - solution(x[1:-1], 1.0)).min() > 0


def test_weights_by_hand_multiply_those_of_the_terms():
    residual = pde.residual("x")(lambda u, x: u.xx - 1)
    soft = lambda weight: [pde.dirichlet(0.0, on="x=0", weight=weight), pde.dirichlet(1.0, on="x=1")]  # noqa: E731

    def weights(factor, **settings):
        training = dof.solve(pde.Problem(residual, pde.Interval(0, 1), soft(factor)), **SMALL | settings).training
        state = training.start()
        return np.asarray(training._weights(state, training.batch(state)))

    np.testing.assert_allclose(weights(10.0, balance=False), [1, 10, 1])
    np.testing.assert_allclose(weights(10.0) / weights(1.0), [1, 10, 1], rtol=1e-6)
    with pytest.raises(dof.ArgumentError, match="`weight` is -1"):
        pde.Problem(residual, pde.Interval(0, 1), soft(-1.0))
