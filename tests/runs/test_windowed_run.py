"""Runs in windows of time: what is written, going on after a stop in a later window, loading, the command line."""

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import dof
from dof.cli.app import app
from dof.runs.problem_source import load_problem
from dof.runs.report_files import command_of, write_report
from dof.runs.training_run import begin, resume
from dof.runs.windowed_run import trained

FEW = {"windows": 2, "width": 4, "depth": 1, "points": 20, "error_points": 32, "adam": 0, "newton": 4, "report": 2}
FILE = """
from dof import pde

decay = pde.residual("t")(lambda u, t: u.t + u)
problem = pde.Problem(decay, pde.Time(0, 2), [pde.initial(1.0, hard=True)], reference=lambda t: 2.718281828 ** -t)
"""
POINTS = np.linspace(0, 2, 9)[:, None]


class Stopped(Exception):
    pass


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "decay.py"
    path.write_text(FILE)
    return str(path)


@pytest.fixture(scope="module")
def whole(file, tmp_path_factory):
    run = trained(begin(file, FEW, tmp_path_factory.mktemp("runs") / "whole"), lambda report: None)
    write_report(run)
    return run


@pytest.fixture(scope="module")
def stopped(file, tmp_path_factory):
    """The folder of a run that was stopped after the first report of its second window."""
    path, windows = tmp_path_factory.mktemp("runs") / "stopped", []

    def stop(report):
        if windows == [1, 2]:
            raise Stopped

    with pytest.raises(Stopped):
        trained(begin(file, FEW, path), stop, windows.append)
    return path


def test_a_run_in_windows_leaves_its_files(whole):
    path = whole.folder.path
    summary = json.loads((path / "summary.json").read_text())
    assert summary["steps"] == 8 and summary["error"] == whole.solution.error
    assert summary["residual"] == whole.solution.relative_residual
    assert [report.step for report in whole.reports] == [2, 4, 2, 4]
    assert np.all(np.diff([report.seconds for report in whole.reports]) > 0)
    assert sorted(folder.name for folder in path.glob("window-*/")) == ["window-1", "window-2"]
    assert "--windows 2" in command_of(whole) and "--windows 2" in (path / "report.html").read_text()
    assert (path / "training.png").stat().st_size > 5_000


def test_it_is_what_solve_finds(whole):
    solution = dof.solve(load_problem(whole.source), **FEW)
    assert solution.error < 0.1
    np.testing.assert_array_equal(whole.solution(POINTS), solution(POINTS))
    np.testing.assert_array_equal(dof.load(whole.folder.path)(POINTS), solution(POINTS))


def test_a_run_whose_later_window_has_not_begun_is_no_solution_yet(stopped, tmp_path):
    shutil.copytree(stopped, tmp_path / "run")
    shutil.rmtree(tmp_path / "run/window-2")
    with pytest.raises(dof.ArgumentError, match=r"window-2.*nothing has been trained"):
        dof.load(tmp_path / "run")


def test_a_run_that_was_stopped_in_a_later_window_goes_on_to_the_same_bits(whole, stopped):
    reports = []
    run = trained(resume(stopped), reports.append)
    assert [report.step for report in reports] == [4]
    np.testing.assert_array_equal(run.solution(POINTS), whole.solution(POINTS))


def test_the_command_line_names_the_window(file, tmp_path):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in (FEW | {"newton": 2}).items()]
    done = CliRunner().invoke(app, ["solve", file, *options, "--activation=sin", "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "decay.py  window 1/2  2/2  residual" in done.output and "  window 2/2  2/2  residual" in done.output
    assert "decay.py: relative error" in done.output and ", 4 steps in" in done.output
    assert json.loads((tmp_path / "run/summary.json").read_text())["settings"]["activation"] == "sin"
    both = CliRunner().invoke(app, ["solve", file, "--windows=2", "--race"])
    assert both.exit_code == 2 and "--windows" in both.output
