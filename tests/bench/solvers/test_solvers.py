"""References, clocks, files and tables of `dof bench solvers`; DeepXDE itself is run where it is installed."""

import importlib.util
import time

import numpy as np
import pytest

from dof.bench.solvers import references
from dof.bench.solvers.races import RACES
from dof.bench.solvers.solver_process import SolverResult, Timing, lines_of, run_solver
from dof.bench.solvers.solver_results import SolverRun, load_or_begin, save
from dof.bench.solvers.stopwatch import Watch
from dof.bench.solvers.write_solvers import first_for_good, plot_solvers, solver_table

needs_deepxde = pytest.mark.skipif(importlib.util.find_spec("deepxde") is None, reason="DeepXDE is not installed")


def laplacian(f, points, h=1e-3):
    """By differences of order two."""
    steps = h * np.concatenate([np.eye(2), -np.eye(2)])
    return sum(f(points + step) - f(points) for step in steps) / h**2


def test_the_reference_on_an_l_solves_its_equation_and_is_zero_on_the_boundary():
    inside = np.array([[-0.3, -0.2], [-0.5, 0.5], [0.5, -0.5]])
    np.testing.assert_allclose(laplacian(references.l_shape, inside), -1, atol=1e-4)
    # Between the points that were fitted.
    assert np.abs(references.l_shape(references._l_boundary(333))).max() < 3e-6


def test_the_reference_of_allen_cahn_solves_its_equation():
    z, h = np.array([[0.3, 0.5], [-0.7, 0.2]]), 1e-3
    u, ahead, behind, right, left = (
        references.allen_cahn(z + step) for step in ([0, 0], [0, h], [0, -h], [h, 0], [-h, 0])
    )
    rate, second = (ahead - behind) / (2 * h), (right - 2 * u + left) / h**2
    np.testing.assert_allclose(rate, 0.001 * second + 5 * (u - u**3), atol=1e-4)
    start = np.array([[0.3, 0.0], [1.0, 0.4]])
    np.testing.assert_allclose(references.allen_cahn(start), [0.09 * np.cos(0.3 * np.pi), -1], atol=1e-8)


@pytest.mark.parametrize("name", RACES)
def test_every_race_has_points_of_its_domain_and_finite_values(name):
    points, values = RACES[name].points_and_values()
    assert points.shape == (4096, len(RACES[name].low)) and values.shape == (4096,)
    assert np.isfinite(values).all() and RACES[name].inside(points).all() and np.abs(values).max() > 0.1


def test_the_clock_stands_still_while_errors_are_measured():
    found = []
    watch = Watch(np.ones(4), found.append, limit=100.0)

    def slow():
        time.sleep(0.2)
        return np.full(4, 1.5)

    watch.look(slow)
    assert found[0][1] == 0.5 and watch.seconds < 0.2 and not watch.is_due and not watch.is_over


@pytest.mark.parametrize("solver", ["dof", pytest.param("DeepXDE", marks=needs_deepxde)])
def test_a_solver_runs_in_a_process_of_its_own_and_says_what_it_reached(solver):
    race = RACES["diffusion"]
    found = run_solver(solver, race, *race.points_and_values(), timing=Timing(0.5))
    assert found.failure is None and found.lines > 5
    assert found.found and all(0 < error < 2 and at > 0 for at, error in found.found)


@needs_deepxde
@pytest.mark.parametrize("name", RACES)
def test_every_problem_is_written_for_both(name):
    assert lines_of("dof", name) < lines_of("DeepXDE", name)


def a_run():
    ours = SolverResult(6, [(5.0, 1.0), (10.0, 1e-3), (20.0, 1e-2), (30.0, 1e-4)])
    theirs = SolverResult(14, [(60.0, 0.1), (90.0, 5e-3), (120.0, 2e-2)])
    return SolverRun(
        {"processor": "a", "cores": 1}, {"dof": "0"}, Timing(), {"burgers": {"dof": ours, "DeepXDE": theirs}}
    )


def test_the_table_says_when_dof_had_what_deepxde_reached_at_best(tmp_path):
    (row,) = solver_table(a_run()).rows
    assert row == ["Burgers", "5.0e-03", "90 s", "14", "1.0e-04", "30 s", "6", "30.0 s", "3.0×"]
    assert first_for_good(a_run().problems["burgers"]["dof"], 1e-5) is None
    plot_solvers(a_run(), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5_000


def test_results_of_other_problems_are_kept(tmp_path):
    save(a_run(), tmp_path)
    assert load_or_begin(tmp_path) == a_run()
    assert load_or_begin(tmp_path, Timing(60.0)).problems == a_run().problems
