"""The command line: what it writes, and how it tells mistakes."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

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


def test_without_its_packages_the_command_says_what_to_install(monkeypatch, capsys):
    from dof.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "dof.cli.app", raising=False)
    monkeypatch.delitem(sys.modules, "dof.cli.bench", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and 'pip install "dof[bench]"' in capsys.readouterr().err
