"""Runs: what is written, going on after a kill at any moment, damaged checkpoints, races."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from html import escape

import jax
import numpy as np
import pytest
from safetensors.numpy import load_file

from dof.runs import atomic_write
from dof.runs.hessian_race import race
from dof.runs.report_files import command_of, write_race, write_report
from dof.runs.run_config import read_config
from dof.runs.training_run import begin, resume, train

FEW = {"width": 8, "depth": 1, "points": 40, "error_points": 64, "adam": 8, "newton": 8, "report": 4}


class Killed(BaseException):
    pass


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A function that makes a copy of a run that was stopped right after the report of a step.

    One run is trained for all: what a process that dies during a report leaves is what is in the folder then.
    """
    folder = tmp_path_factory.mktemp("stopped")

    def leave(report):
        shutil.copytree(folder / "run", folder / f"after-{report.step}")
        if report.step == 12:
            raise Killed

    with pytest.raises(Killed):
        train(begin("heat", FEW, folder / "run"), leave)
    return lambda path, after: shutil.copytree(folder / f"after-{after}", path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    run = train(begin("heat", FEW, tmp_path_factory.mktemp("runs") / "whole"), lambda report: None)
    write_report(run)
    return run


def weights(path):
    return load_file(path / "weights.safetensors")


def test_the_report_says_how_to_do_it_again(whole):
    command = command_of(whole)
    assert command in (whole.folder.path / "report.html").read_text()
    given = {f"--{name.replace('_', '-')} {value}" for name, value in {**FEW, "seed": 0}.items()}
    assert command.startswith("dof solve heat --")
    assert {f"--{option}" for option in command.split(" --")[1:]} == given


def test_a_run_leaves_all_its_files(whole):
    path = whole.folder.path
    summary = json.loads((path / "summary.json").read_text())
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    assert summary["error"] == whole.solution.error and summary["steps"] == 16
    assert [line["step"] for line in lines] == [4, 8, 12, 16] and lines[0]["losses"].keys() == {"equation"}
    assert weights(path)["network.0.0"].shape == (8, 2)
    page = (path / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2 and "relative error" in page and "dof solve heat" in page
    (fitted,) = summary["fitted_residuals"].values()
    row = f"<tr><th>equation</th><td>{summary['residuals']['equation']:.1e}</td><td>{fitted:.1e}</td></tr>"
    assert row in page and "<td>by construction</td>" in page
    assert f"<b>{summary['best_step']}</b><span>kept is the state of step</span>" in page
    assert "u.t - " in page and f"dof.load({escape(repr(str(path)))})" in page
    assert all((path / name).stat().st_size > 5_000 for name in ("solution.png", "training.png"))


@pytest.mark.parametrize("after", [4, 8, 12])
def test_going_on_ends_with_the_same_bits(whole, interrupted, tmp_path, after):
    interrupted(tmp_path / "run", after)
    run = resume(tmp_path / "run")
    assert run.state.step == after and [report.step for report in run.reports] == list(range(4, after + 1, 4))
    train(run, lambda report: None)
    expected = weights(whole.folder.path)
    assert all(np.array_equal(array, expected[name]) for name, array in weights(tmp_path / "run").items())


def test_a_run_begun_with_other_names_of_terms_goes_on(interrupted, tmp_path):
    interrupted(tmp_path / "run", 8)
    metrics = tmp_path / "run/metrics.jsonl"
    metrics.write_text(metrics.read_text().replace('"equation"', '"heat"'))
    run = train(resume(tmp_path / "run"), lambda report: None)
    write_report(run)
    assert [list(report.losses) for report in run.reports] == [["heat"], ["heat"], ["equation"], ["equation"]]
    assert (tmp_path / "run/training.png").stat().st_size > 5_000


@pytest.mark.parametrize("damage", ["cut", "flip", "garbage"])
def test_a_damaged_checkpoint_is_recognised(interrupted, tmp_path, damage):
    interrupted(tmp_path / "run", 12)
    *_, newest = sorted((tmp_path / "run/checkpoints").iterdir())
    data = bytearray(newest.read_bytes())
    data[-9] ^= 1
    newest.write_bytes({"cut": newest.read_bytes()[:-100], "flip": bytes(data), "garbage": b"no"}[damage])
    with (tmp_path / "run/metrics.jsonl").open("a") as file:
        file.write('{"step": 16, "pha')
    run = resume(tmp_path / "run")
    assert run.state.step == 8 and [report.step for report in run.reports] == [4, 8]


def test_a_killed_process_goes_on_from_where_it_was(tmp_path):
    command = [sys.executable, "-m", "dof", "solve"]
    options = [f"--{name.replace('_', '-')}={FEW[name]}" for name in ("width", "depth", "points")]
    run = [*command, "heat", *options, "--adam=4000", "--newton=0", "--report=20"]
    process = subprocess.Popen([*run, f"--out={tmp_path / 'run'}"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "run/checkpoints").glob("step-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    source, settings, _ = read_config(tmp_path / "run")
    assert 0 < resume(tmp_path / "run").state.step < 4000 and source == "heat"
    # the same steps up to where it was killed, in one go
    state = resume(tmp_path / "run").state
    straight = begin("heat", settings | {"adam": 4000}, tmp_path / "straight")
    found = straight.state
    with jax.enable_x64(True):
        while found.step < state.step:
            found, _ = straight.training.advance(found)
    assert np.array_equal(found.theta, state.theta)


def test_nothing_but_whole_files_has_a_name(tmp_path, monkeypatch):
    """A process that dies while it writes leaves the file from before."""
    path = tmp_path / "file"
    atomic_write.write_whole(path, b"before")

    def dies(descriptor):
        raise Killed

    monkeypatch.setattr(os, "fsync", dies)
    with pytest.raises(Killed):
        atomic_write.write_whole(path, b"after")
    assert path.read_bytes() == b"before"


def test_a_race_takes_the_same_steps_by_both_methods(tmp_path):
    found = race("heat-2d", FEW, lambda method, report: None)
    ours, theirs = found.reports["dof"], found.reports["hessian"]
    assert [r.step for r in ours] == [r.step for r in theirs] == [4, 8, 12, 16]
    np.testing.assert_allclose([r.loss for r in ours], [r.loss for r in theirs], rtol=1e-4)
    write_race(found, tmp_path)
    assert json.loads((tmp_path / "race.json").read_text())["ratio"] == found.ratio
    assert (tmp_path / "race.png").stat().st_size > 5_000
