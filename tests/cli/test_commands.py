"""The command line: what it writes, and how it tells mistakes."""

import json
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import dof
from dof.cli.app import app

RUNNER = CliRunner()


def test_quick_writes_tables_plots_and_samples(tmp_path):
    command = ["bench", "quick", "--budget", "9s", "--cases", "mlp-*", "--out", str(tmp_path / "new")]
    done = subprocess.run([sys.executable, "-m", "dof", *command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "MLP, elliptic" in done.stdout and "hessian" in done.stdout
    data = json.loads((tmp_path / "new/quick.json").read_text())
    (case,) = data["cases"]
    assert case["outcomes"]["dof"]["failure"] is None and len(case["outcomes"]["dof"]["seconds"]) == 7
    assert data["rates"] and data["versions"]["jax"] and data["machine"]["cores"] and data["seed"] == 0
    assert "| dof |" in (tmp_path / "new/quick.md").read_text()
    assert (tmp_path / "new/quick.png").stat().st_size > 10_000
    again = RUNNER.invoke(app, ["bench", "compare", *[str(tmp_path / "new/quick.json")] * 2])
    assert again.exit_code == 0 and "nothing got worse" in again.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["quick", "--budget", "soon"], "is not a time"),
        (["quick", "--budget", "0s"], "is not a time"),
        (["quick", "--cases", "mpl-*"], "no case is called"),
        (["quick", "--rounds", "3"], "rounds"),
        (["quick", "--out", "/proc/none"], "/proc/none"),
        (["compare", "none.json", "none.json"], "cannot be read"),
        (["fast"], "fast"),
    ],
)
def test_mistakes_are_told_in_a_sentence(options, said):
    done = RUNNER.invoke(app, ["bench", *options])
    assert done.exit_code == 2
    assert said in done.output and "Traceback" not in done.output


SOLVE = ["--width=8", "--depth=1", "--points=40", "--adam=4", "--newton=4", "--report=4", "--error-points=64"]
FILE = """
import jax.numpy as jnp
from dof import pde

@pde.residual("x")
def line(u, x):
    return u.xx + jnp.sin(x)

problem = pde.Problem(line, pde.Interval(0, 3), [pde.dirichlet(0.0, on="x=0"), pde.dirichlet(jnp.sin, on="x=3")])
"""


def test_solving_a_file_of_ones_own_with_reports_as_json(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    out = tmp_path / "run"
    done = RUNNER.invoke(app, ["solve", str(tmp_path / "mine.py"), *SOLVE, "--json", "--out", str(out)])
    assert done.exit_code == 0, done.output
    *reports, last = map(json.loads, done.stdout.splitlines())
    assert [report["step"] for report in reports] == [4, 8]
    assert reports[0]["losses"].keys() == {"equation", "dirichlet at x=0", "dirichlet at x=3"}
    assert last["summary"]["error"] is None and (out / "report.html").exists()
    (tmp_path / "mine.py").write_text(FILE + "# changed")
    again = RUNNER.invoke(app, ["solve", "--resume", str(out)])
    assert again.exit_code == 0 and "has changed since the run began" in again.output and "8 steps" in again.output


def test_a_line_for_each_report_where_there_is_no_terminal(tmp_path):
    done = RUNNER.invoke(app, ["solve", "heat", *SOLVE, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert (
        "heat  4/8  residual " in done.output
        and " fitted " in done.output
        and "compiling gauss-newton" in done.output
        and "relative error" in done.output
        and "report.html" in done.output
    )
    assert f"in Python: dof.load('{tmp_path / 'run'}')" in done.output
    again = RUNNER.invoke(app, ["solve", "--resume", str(tmp_path / "run")])
    assert again.exit_code == 0 and "8 steps" in again.output


FOUND = """
from dof import pde

decay = pde.residual("t")(lambda u, t, *, k: u.t + k * u)
measured = pde.data([[0.0], [1.0], [2.0]], [1.0, 0.4, 0.1])
problem = pde.Problem(decay, pde.Time(0, 2), [measured], unknowns={"k": 1.0})
"""


def test_what_is_told_at_the_end_is_short_and_in_options(tmp_path):
    folder = tmp_path / "a" / "long" / "path"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text(FOUND)
    few = ["--width=8", "--depth=1", "--points=10", "--adam=2", "--newton=2", "--report=2"]
    done = RUNNER.invoke(app, ["solve", str(folder / "mine.py"), *few, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "\nmine.py: residual " in done.output and "2/4  residual" in done.output
    assert "Fix: --points 1000, or a smaller `width`" in done.output
    assert len(re.findall(r"^  Fix: --\w+ \d+", done.output, re.MULTILINE)) == 2
    (number,) = re.findall(r"^k = (.*)$", done.output, re.MULTILINE)
    assert len(number) <= 6
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert len(summary["advice"]) == 2 and summary["given_points"] == ["data"]
    page = (tmp_path / "run/report.html").read_text()
    assert "<h1>mine.py</h1>" in page and f"dof solve {folder / 'mine.py'} --" in page
    assert "<td>points are given</td>" in page and "pde.data([[0.0], [1.0], [2.0]]" in page


def test_the_version():
    done = RUNNER.invoke(app, ["--version"])
    assert done.exit_code == 0 and done.output == f"dof {dof.__version__}\n"


def test_problems_are_listed():
    done = RUNNER.invoke(app, ["problems"])
    assert done.exit_code == 0 and "klein-gordon-3d" in done.stdout and "x[100000]" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["heet"], "dof solve heat"),
        ([], "`problem` is missing"),
        (["none.py"], "no file"),
        (["EMPTY"], "has no problem"),
        (["BROKEN"], "cannot be run: ZeroDivisionError"),
        (["heat", "--width", "0"], "`width`"),
        (["heat", "--method", "hesse"], "`method`"),
        (["heat", "--race", "--method", "hessian"], "`race`"),
        (["heat", "--resume", "run"], "`resume`"),
        (["--resume", "nowhere"], "`resume`"),
        (["heat", "--out", "/proc/none"], "/proc/none"),
        (["sine-gordon-100000", "--method", "hessian"], "GB"),
    ],
)
def test_mistakes_in_solving_are_told_in_a_sentence(tmp_path, options, said):
    (tmp_path / "empty.py").write_text("x = 3")
    (tmp_path / "broken.py").write_text("x = 1 / 0")
    files = {"EMPTY": str(tmp_path / "empty.py"), "BROKEN": str(tmp_path / "broken.py")}
    done = RUNNER.invoke(app, ["solve", *(files.get(option, option) for option in options)])
    assert done.exit_code == 2
    assert said in done.output and "Traceback" not in done.output


def test_with_debug_the_error_itself_is_raised():
    done = RUNNER.invoke(app, ["solve", "heet", "--debug"])
    assert isinstance(done.exception, ValueError) and "`problem`" in str(done.exception)


def test_training_that_diverges_says_so_and_can_be_looked_into(tmp_path):
    out = tmp_path / "run"
    done = RUNNER.invoke(app, ["solve", "heat", *SOLVE, "--adam=400", "--rate=1e6", "--out", str(out)])
    assert done.exit_code == 1 and "`equation`" in done.output and "Traceback" not in done.output


RISING = """
from jax.numpy import sqrt
from dof import pde

rising = pde.residual("x")(lambda u, x, *, k: sqrt(1 - k) + 0 * u)
problem = pde.Problem(rising, pde.Interval(0, 1), unknowns={"k": 0.0})
"""


def test_training_that_diverges_late_says_what_is_kept(tmp_path):
    (tmp_path / "mine.py").write_text(RISING)
    command = ["solve", str(tmp_path / "mine.py"), *SOLVE, "--adam=1000", "--rate=0.1", "--out", str(tmp_path / "run")]
    done = RUNNER.invoke(app, command)
    assert done.exit_code == 1 and "The state of step 8 is kept" in done.output
    assert list((tmp_path / "run/checkpoints").glob("step-00000008-*"))


def test_without_its_packages_the_command_says_what_to_install(monkeypatch, capsys):
    from dof.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "dof.cli.app", raising=False)
    for name in ("bench", "solve", "zoo"):
        monkeypatch.delitem(sys.modules, f"dof.cli.{name}", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and 'pip install "dof[cli]"' in capsys.readouterr().err


WITHOUT_BENCHMARK = """
import sys
from typer.testing import CliRunner
from dof.cli.app import app

def loaded():
    return [name for name in sys.modules if name.startswith("dof.bench")]

for command in (["problems"], ["solve", "heat", *sys.argv[1:]]):
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert not loaded(), (command, loaded())
assert "quick" in CliRunner().invoke(app, ["bench", "--help"]).output and loaded()
"""


def test_solving_does_not_import_the_benchmark(tmp_path):
    options = [*SOLVE, "--newton=0", f"--out={tmp_path / 'run'}"]
    done = subprocess.run([sys.executable, "-c", WITHOUT_BENCHMARK, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_commands_are_listed():
    done = RUNNER.invoke(app, ["--help"])
    assert all(f" {name} " in done.output for name in ("solve", "problems", "zoo", "bench"))
