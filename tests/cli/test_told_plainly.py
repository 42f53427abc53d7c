"""Mistakes in a user's file and interrupts, as the command line tells them: in sentences, with the user's line."""

import linecache
import re
import signal
import sys
from io import StringIO

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from dof import user_line
from dof.cli import INTERRUPTED, run_solve
from dof.cli.app import app
from dof.cli.plain_errors import told_plainly
from dof.cli.sentences import say
from dof.cli.training_progress import _shortened

RUNNER = CliRunner()
FEW = ["--width=4", "--depth=1", "--points=20", "--error-points=16", "--adam=2", "--newton=0"]
FILE = """
import sys
import jax.numpy as jnp
from dof import pde

kept = []

@pde.residual("x")
def line(u, x):
    {body}

problem = pde.Problem(line, pde.Interval(0, 1), {conditions})
"""
ENDS = "[pde.dirichlet(0.0)]"


def solved(tmp_path, body, *options, conditions=ENDS, name="mine.py"):
    (tmp_path / name).write_text(FILE.format(body=body, conditions=conditions))
    return RUNNER.invoke(app, ["solve", str(tmp_path / name), *FEW, *options, "--out", str(tmp_path / "run")])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return u.xx - k", ["NameError: name 'k' is not defined", "mine.py, line 10: return u.xx - k"]),
        ("return u.xz", ["`u.xz` is no derivative", "mine.py, line 10: return u.xz"]),
        ("return u.xx + 1j * u", ["`equation` has complex values", 'fields="u: complex"']),
        ("return (1 * u).x", ["is a derivative of an array"]),
        ("kept.append(u.x); return kept[0] + u.x", ["`u.x` is of an earlier call"]),
        ("kept.append(1 * u.x); return kept[0] + u.x", ["`line` uses a value of an earlier call"]),
        ("return u.xx", ["cannot be run: it calls sys.exit", "Fix: without it", "mine.py, line 12"]),
        ("sys.exit(3)", ["cannot be run: it calls sys.exit", "mine.py, line 10: sys.exit(3)"]),
    ],
)
def test_mistakes_in_a_residual_are_told_with_the_names_of_the_user(tmp_path, body, said):
    conditions = "sys.exit(3)" if "mine.py, line 12" in said else ENDS
    done = solved(tmp_path, body, conditions=conditions)
    assert done.exit_code == 2, done.exception
    assert all(part in done.output for part in said), done.output
    assert "raceback" not in done.output and not (tmp_path / "run").exists()
    assert "Python that defines" not in done.output, "a mistake inside of a problem is no missing problem"


def test_a_line_is_the_users_in_a_folder_whose_name_begins_as_that_of_dof_does():
    beside = f"{user_line.PACKAGE}-runs/mine.py"
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0", beside, "exec"))
    linecache.cache[beside] = 5, None, ["1 / 0"], beside
    assert f"{beside}, line 1: 1 / 0" in user_line.user_line(caught.value)


def test_an_exit_once_training_has_begun_is_told(capsys):
    with pytest.raises(typer.Exit) as ended, told_plainly():
        sys.exit(3)
    said = capsys.readouterr().err
    assert ended.value.exit_code == 2 and "Ended by sys.exit" in said and "test_told_plainly.py, line" in said


def test_a_value_that_a_condition_keeps_is_told(tmp_path):
    done = solved(tmp_path, "return u.xx", conditions="[pde.dirichlet(lambda x: kept.append(x) or kept[0] * x)]")
    assert done.exit_code == 2 and "uses a value of an earlier call" in done.output, done.exception


def test_a_mistake_that_dof_finds_in_a_file_has_one_fix(tmp_path):
    done = solved(tmp_path, "return u.xx", conditions="[pde.dirichlet('a')]")
    assert done.exit_code == 2 and "`g` of `dirichlet` is of type str" in done.output
    assert done.output.count("Fix: ") == 1 and "mine.py, line 12" in done.output


def test_a_network_that_does_not_fit_into_memory_is_refused_with_its_size(tmp_path):
    done = RUNNER.invoke(app, ["solve", "heat", "--width", "200000", "--out", str(tmp_path / "run")])
    assert done.exit_code == 2 and "40,001,000,001 parameters" in done.output and "GB are free" in done.output
    assert "lbfgs" not in done.output, "θ alone takes 320 GB"


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--points", "100000000000"], "points take 800.0 GB of memory"),
        (["--error-points", "100000000000"], "take 800.0 GB of memory"),
        (["--width", "1" + 22 * "0"], "`width` is 1000000000000000000000"),
        (["--depth", "1001"], "at most 1,000"),
        (["--rate", "inf"], "`rate` is inf"),
        (["--seed", "-1"], "`seed` is -1"),
        (["--seed", str(2**63)], "`seed` is 9223372036854775808"),
    ],
)
def test_numbers_that_nothing_can_be_done_with_are_told(tmp_path, option, said):
    done = solved(tmp_path, "return u.x - 1", *option)
    assert done.exit_code == 2 and said in done.output.replace("\n", "") and not (tmp_path / "run").exists()


@pytest.mark.parametrize("error", [MemoryError("no room"), RuntimeError("RESOURCE_EXHAUSTED: no room")])
def test_memory_that_ends_is_told(error, capsys):
    with pytest.raises(typer.Exit), told_plainly():
        raise error
    assert "not enough memory" in capsys.readouterr().err


def test_reports_further_apart_than_there_are_steps_take_no_longer(tmp_path):
    assert solved(tmp_path, "return u.x - 1", "--report", str(10**9)).exit_code == 0


def test_names_with_signs_of_markup_are_printed_as_they_are(tmp_path):
    folder = tmp_path / "[" / "b]"
    folder.mkdir(parents=True)
    done = solved(folder, "return u.x - 1")
    assert done.exit_code == 0 and "[/b]/run/report.html" in done.output.replace("\n", "")


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ("[]", "`line` has no conditions"),
        ("[pde.data([[0.5], [1.0], [1.5]], [0.0, 0.0, 0.0])]", "1 of 3 points of `data` are outside"),
    ],
)
def test_what_is_doubtful_is_said_before_training(tmp_path, conditions, said):
    done = solved(tmp_path, "return u.x - 1", conditions=conditions)
    page = (tmp_path / "run/report.html").read_text().replace("<code>", "`").replace("</code>", "`")
    assert done.exit_code == 0 and said in done.output and said in page


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    done = RUNNER.invoke(app, ["solve", "heat", *FEW, "--out", str(tmp_path / "file/run")])
    assert done.exit_code == 2 and "config.toml cannot be written into" in done.output and "Errno" not in done.output


def test_an_interrupt_in_training_says_how_to_go_on(tmp_path, monkeypatch):
    def interrupted(run, on_report, on_window):
        for _ in range(100):  # an interrupt that falls into a callback of the garbage collector is lost
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(run_solve, "trained", interrupted)
    (tmp_path / "a b").mkdir()
    done = solved(tmp_path / "a b", "return u.x - 1")
    assert done.exit_code == INTERRUPTED and f"dof solve --resume '{tmp_path}/a b/run'" in done.output


def test_an_interrupt_before_training_is_told_too(capsys):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(typer.Exit) as ended, told_plainly():
        raise KeyboardInterrupt
    assert ended.value.exit_code == INTERRUPTED and "Interrupted before the first step" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is before


def test_faults_of_dof_keep_their_traceback():
    with pytest.raises(ZeroDivisionError), told_plainly(debug=True):
        raise ZeroDivisionError


def test_the_defaults_are_in_the_help():
    said = " ".join(RUNNER.invoke(app, ["solve", "--help"], env={"COLUMNS": "160"}).output.split())
    assert "Units in each of its layers. [default: 32]" in said and "[default: by parameters]" in said


def test_the_live_line_fits_the_terminal():
    rest = "  300/300  residual 1.2e-04  fitted 1e-05  error 1.2e-04  123 s left"
    line = _shortened("sine-gordon-100000" + rest, 78)
    assert len(line) == 78 and line.startswith("sine-gord…  300/300")
    assert _shortened("sine-gordon-100000" + rest, 70) == rest.strip()
    assert _shortened("heat" + "  1/2", 78) == "heat  1/2"


@pytest.mark.parametrize(("is_terminal", "widest"), [(True, 40), (False, 120)])
def test_sentences_are_wrapped_between_words_and_commands_stay_whole(is_terminal, widest):
    sentence, fix = "the network can be right at all points and wrong between them", "  Fix: dof solve heat " + "x" * 60
    console = Console(file=StringIO(), width=40, force_terminal=is_terminal, no_color=True)
    say(f"{sentence}\n{fix}", "yellow", console)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue()).splitlines()
    assert lines[-1] == fix and max(map(len, lines[:-1])) <= widest
    assert " ".join(line.strip() for line in lines[:-1]) == sentence
