"""What goes wrong with the folder of a run: damage, a full disk, two processes, other folders."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load, save
from typer.testing import CliRunner

import dof
from dof.cli.app import app
from dof.errors import ArgumentError, DofError
from dof.runs import atomic_write, run_config
from dof.runs.folder_lock import locked
from dof.runs.problem_source import load_problem
from dof.runs.report_files import command_of
from dof.runs.run_config import read_config
from dof.runs.training_run import begin, resume, train
from dof.runs.windowed_run import trained

FEW = {"width": 6, "depth": 1, "points": 30, "error_points": 32, "adam": 8, "newton": 0, "report": 4}
FILE = """
from dof import pde

line = pde.residual("x")(lambda u, x: u.x - 1.0)
problem = pde.Problem(line, pde.Interval(0, 1), [pde.dirichlet(0.0, on="x=0")])
"""

DECAY = """
from dof import pde

decay = pde.residual("t")(lambda u, t: u.t + u)
problem = pde.Problem(decay, pde.Time(0, 2), [pde.initial(1.0, hard=True)])
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of a file in a folder whose name a shell would divide."""
    folder = tmp_path_factory.mktemp("with spaces") / "my problem"
    folder.mkdir()
    (folder / "line.py").write_text(FILE)
    before = os.getcwd()
    os.chdir(folder)
    run = train(begin("line.py", FEW, folder / "run"), lambda report: None)
    os.chdir(before)
    return run


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished.folder.path, tmp_path / "run")


def test_a_run_goes_on_from_another_folder(copy, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert resume(copy).state.step == 8


def test_the_command_for_the_same_run_is_quoted(finished):
    source = str(finished.folder.path.parent / "line.py")
    assert f"dof solve '{source}' --" in command_of(resume(finished.folder.path))


def test_where_all_checkpoints_are_damaged_new_ones_are_kept(copy):
    for file in (copy / "checkpoints").iterdir():
        file.write_bytes(b"no")
    run = resume(copy)
    assert run.state.step == 0 and run.reports == []

    class Stopped(Exception):
        pass

    def stop(report):
        raise Stopped

    with pytest.raises(Stopped):
        train(run, stop)
    assert resume(copy).state.step == 4


def test_reports_that_two_processes_have_written_are_kept_once(copy):
    lines = (copy / "metrics.jsonl").read_text()
    (copy / "metrics.jsonl").write_text(2 * lines)
    assert [report.step for report in resume(copy).reports] == [4, 8]
    assert (copy / "metrics.jsonl").read_text() == lines


def test_one_process_at_a_time_is_in_a_folder(tmp_path):
    code = f"""
from pathlib import Path
from dof.runs.folder_lock import locked
with locked(Path({str(tmp_path)!r}), "resume"):
    print("in", flush=True)
    input()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline() == b"in\n"
        said = f"`resume` .* in use by the process {other.pid}"
        with pytest.raises(ArgumentError, match=said), locked(tmp_path, "resume"):
            pass
        other.kill()
    with locked(tmp_path, "resume"):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def forged(step, arrays):
    data = save(arrays)
    return f"step-{step:08}-{hashlib.sha256(data).hexdigest()[:16]}.safetensors", data


def change_types(checkpoints):
    for path in checkpoints.iterdir():
        arrays = {name: array.astype(np.float32) for name, array in load(path.read_bytes()).items()}
        name, data = forged(int(path.stem.split("-")[1]), arrays)
        path.unlink()
        path.with_name(name).write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda run: (run / "metrics.jsonl").unlink(), "has no report of step 8"),
        (lambda run: (run / "config.toml").write_text("problem = 3\nsettings = 4\nfingerprint = 5"), "cannot be read"),
        (lambda run: (run / "config.toml").write_text("problem ="), "cannot be read"),
        (
            lambda run: replace_in(run / "config.toml", "width = 6", 'width = "six"'),
            "config.toml' has .* `width` is 'six'",
        ),
        (
            lambda run: replace_in(run / "config.toml", "width = 6", "wide = 6"),
            "config.toml' has .* `wide` is no setting",
        ),
        (
            lambda run: replace_in(run / "config.toml", "width = 6", "width = 7"),
            "config.toml' has .* other settings than the run began with",
        ),
        (
            lambda run: replace_in(run / "config.toml", 'activation = "tanh"', 'activation = "sin"'),
            "config.toml' has .* other settings than the run began with",
        ),
        (lambda run: replace_in(run / "config.toml", "adam = 8", ""), "config.toml' has .* `adam` is not there"),
        (lambda run: replace_in(run / "config.toml", "depth = 1", f"depth = 1{22 * '0'}"), "`depth` is 1000"),
        (lambda run: (run / "metrics.jsonl").write_bytes(b"\xff\xfe"), "has no report of step 8"),
        (lambda run: replace_in(run / "metrics.jsonl", '"step": 8', '"step": "8"'), "has no report of step 8"),
        (lambda run: change_types(run / "checkpoints"), "array of type float32, where float64"),
        (
            lambda run: (replace_in(run / "config.toml", "line.py", "gone.py"), (run / "problem.py").unlink()),
            "gone.py' is gone since the run began, and .*problem.py', the copy of it, is not there",
        ),
        (
            lambda run: (
                replace_in(run / "config.toml", "fingerprint = ", "fingerprint = 'edited' # "),
                (run / "problem.py").write_text(FILE + "# edited"),
            ),
            "has changed since the run began, and .*problem.py', the copy of it, has changed too",
        ),
        (lambda run: forge(run, *forged(9, {"0000": np.zeros(3)})), "is no state of this training"),
    ],
)
def test_a_folder_that_was_changed_is_refused_with_a_sentence(copy, spoil, said):
    spoil(copy)
    with pytest.raises(DofError, match=said) as caught:
        resume(copy)
    assert "Fix: " in str(caught.value)


def test_weights_are_not_loaded_with_settings_that_were_edited(copy):
    """Those of tanh in a network of sin are another function."""
    replace_in(copy / "config.toml", 'activation = "tanh"', 'activation = "sin"')
    with pytest.raises(ArgumentError, match="other settings than the run began with"):
        dof.load(copy)


def test_another_problem_of_the_zoo_is_not_gone_on_with(tmp_path):
    begin("heat", FEW, tmp_path / "run")
    replace_in(tmp_path / "run/config.toml", 'problem = "heat"', 'problem = "burgers"')
    with pytest.raises(ArgumentError, match="another problem or other settings"):
        resume(tmp_path / "run")


@pytest.mark.parametrize(
    ("change", "said", "command"),
    [
        (lambda file: file.write_text("problem = 1 / 0"), "has changed", "line.py, for a new run of the file as it is"),
        (lambda file: file.unlink(), "is gone", "run/problem.py, for a new run of the file as it was"),
    ],
    ids=["changed", "gone"],
)
def test_a_run_whose_file_is_another_one_now_goes_on_as_it_began(tmp_path, change, said, command):
    file, folder = tmp_path / "line.py", tmp_path / "run"
    (tmp_path / "numbers.txt").write_text("1.0")
    beside = "float((__import__('pathlib').Path(__file__).parent / 'numbers.txt').read_text())"
    file.write_text(FILE.replace("1.0", beside))
    run = train(begin(str(file), FEW, folder), lambda report: None)
    change(file)
    with pytest.warns(UserWarning, match="the file as it was, .*problem.py"):
        again = dof.load(folder)
    np.testing.assert_array_equal(again([0.3]), run.solution([0.3]))
    assert resume(folder).state.step == 8
    done = CliRunner().invoke(app, ["solve", "--resume", str(folder)])
    assert done.exit_code == 0 and f"line.py' {said} since the run began" in done.output
    assert read_config(folder).change.endswith(command)


def test_the_copy_of_a_file_that_is_gone_is_solved_by_the_command_that_is_told(tmp_path):
    file, folder = tmp_path / "lines.py", tmp_path / "run"
    file.write_text(FILE.replace("problem =", "other = 3\nmine ="))
    begin(f"{file}:mine", FEW, folder)
    file.unlink()
    told = read_config(folder).change.split("dof solve ")[1].split(",")[0]
    assert told == f"{folder}/problem.py:mine" and load_problem(told).equation


@pytest.mark.parametrize("source", ["line.py", "problem.py"])
def test_a_run_does_not_write_over_a_file_of_the_users(tmp_path, source):
    (tmp_path / source).write_text(FILE)
    (tmp_path / "problem.py").write_text(FILE + "# mine")
    with pytest.raises(ArgumentError, match=r"has a file problem.py already.*\n  Fix: --out with another folder"):
        begin(str(tmp_path / source), FEW, tmp_path)
    assert (tmp_path / "problem.py").read_text() == FILE + "# mine"
    assert {path.name for path in tmp_path.iterdir()} == {source, "problem.py"}


def test_a_run_that_was_killed_between_its_first_two_files_can_be_begun_again(tmp_path, monkeypatch):
    file, folder = tmp_path / "line.py", tmp_path / "run"
    file.write_text(FILE)

    def write_and_die(path, data):
        atomic_write.write_whole(path, data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(run_config, "write_whole", write_and_die)
        begin(str(file), FEW, folder)
    assert [path.name for path in folder.iterdir()] == ["problem.py"]
    begin(str(file), FEW, folder)
    assert read_config(folder).code.data == FILE.encode()


def test_what_is_kept_is_what_was_run_also_if_the_file_changes_meanwhile(tmp_path):
    file, folder = tmp_path / "line.py", tmp_path / "run"
    text = FILE + "if __name__: open(__file__, 'a').write('# edited')\n"
    file.write_text(text)
    begin(str(file), FEW, folder)
    assert file.read_text() == text + "# edited" and (folder / "problem.py").read_text() == text
    assert "has changed since the run began" in read_config(folder).change


def spoil_checkpoints(folder):
    """Checkpoints in the place of those that are there, of a state with other parts."""
    for path in folder.iterdir():
        path.unlink()
        name, data = forged(int(path.stem.split("-")[1]), {"0000": np.zeros(3)})
        path.with_name(name).write_bytes(data)


@pytest.mark.parametrize("windows", [1, 2])
def test_a_checkpoint_of_another_version_is_told_as_one(tmp_path, windows):
    file, folder = tmp_path / "decay.py", tmp_path / "run"
    file.write_text(DECAY)
    trained(begin(str(file), FEW | {"windows": windows}, folder), lambda report: None)
    for checkpoints in folder.rglob("checkpoints"):
        spoil_checkpoints(checkpoints)
    for weights in folder.rglob("weights.safetensors"):
        weights.unlink()
    replace_in(folder / "config.toml", f'dof = "{dof.__version__}"', 'dof = "0.0.1"')
    said = f"dof 0.0.1 began, and dof {dof.__version__} cannot read it"
    with pytest.raises(ArgumentError, match=said) as caught:
        trained(resume(folder), lambda report: None)
    assert "shapes" not in str(caught.value) and "Fix: pip install dof==0.0.1" in str(caught.value)
    with pytest.raises(ArgumentError, match=said):
        dof.load(folder)


def replace_in(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def forge(run, name, data):
    (run / "checkpoints" / name).write_bytes(data)


def test_a_full_disk_is_told_with_file_and_folder_and_nothing_is_left(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: file cannot be written into '.*'") as caught:
        atomic_write.write_whole(tmp_path / "file", b"1")
    assert str(tmp_path) in str(caught.value) and caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match=r"metrics.jsonl cannot be written into"):
        atomic_write.append_line(tmp_path / "metrics.jsonl", "{}")


@pytest.mark.parametrize(
    ("number", "fix"), [(errno.EROFS, "permission to write"), (errno.EPERM, "permission"), (errno.EFBIG, "free some")]
)
def test_a_folder_that_cannot_be_written_needs_no_space(tmp_path, number, fix):
    with pytest.raises(OSError, match=f"Fix: {fix}"), atomic_write.told_where(tmp_path / "file"):
        raise OSError(number, os.strerror(number))


def test_what_is_written_has_the_residual_on_fresh_points(finished):
    path = finished.folder.path
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    summary = json.loads((path / "summary.json").read_text())
    assert summary["residual"] == min(line["residual"] for line in lines) > 0
    assert summary["quality"] == finished.solution.quality and summary["fitted"] > 0
    assert summary["conditions"] == ["dirichlet at x=0"] and summary["date"][:2] == "20"
    assert lines[0]["residuals"].keys() == lines[0]["fresh_losses"].keys() == {"equation", "dirichlet at x=0"}
