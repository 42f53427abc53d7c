"""What people read first is true: code runs as it stands, links lead somewhere, commands exist."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jax
import pytest
from typer.testing import CliRunner

from dof.cli.app import app

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```(\w*)\n(.*?)```", flags=re.S)
TORCH = "import dof.torch"


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def name(page):
    return str(page.relative_to(ROOT))


def is_for_torch(page):
    """Whether the code of a page is for PyTorch: tests/pytorch/test_pages.py runs it, and that block of the README."""
    return page != README and any(TORCH in block for block in blocks(page, "python"))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python") and not is_for_torch(p)], ids=name)
def test_code(page):
    scope = run(page)
    if page == README:
        values, slopes, hessians = (jax.vmap(d(scope["f"]))(POINTS) for d in (lambda f: f, jax.grad, jax.hessian))
        expected = (scope["A"] * hessians).sum((1, 2)) - (POINTS * slopes).sum(1) + 2 * values
        assert abs(scope["y"] - expected).max() < 1e-9 * abs(expected).max()


POINTS = jax.random.normal(jax.random.key(2), (9, 3))
"""Those of the README."""


def run(page):
    scope = {}
    text = page.read_text()
    for found in BLOCK.finditer(text):
        if found[1] == "python" and TORCH not in found[2]:
            above = "\n" * text.count("\n", 0, found.start(2))  # so that errors have the lines of the page
            exec(compile(above + found[2], page, "exec"), scope)
    return scope


@pytest.mark.parametrize("page", ["mini-dof", "mini-any-order"])
def test_the_mini_dofs_have_150_lines(page):
    assert sum(len(block.splitlines()) for block in blocks(ROOT / f"docs/explanation/{page}.md", "python")) <= 150


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=name)
def test_links(page):
    for target in re.findall(r"\]\(([^h)#][^)#]*)", BLOCK.sub("", page.read_text())):
        assert (page.parent / target).exists(), target


EXAMPLES = {"file.py", "heat.py", "problem.py"}
"""Files of the reader's, and of the folders of runs."""


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=name)
def test_paths_of_code_exist(page):
    """Those in backticks: from the root, in the package, or in its folder of rules, which pages list file by file."""
    roots = (ROOT, ROOT / "src/dof", ROOT / "src/dof/jaxpr/rules")
    named = set(re.findall(r"`([\w./-]+(?:\.py|/))`", page.read_text())) - EXAMPLES
    assert [path for path in sorted(named) if not any((root / path).exists() for root in roots)] == []


def test_the_readme_is_short():
    assert len(README.read_text().splitlines()) <= 150


def commands(page, first):
    """What is to be typed: lines of plain blocks, and code in the text."""
    text = page.read_text()
    typed = [line.split("#")[0].strip() for block in blocks(page, "") for line in block.splitlines()]
    return [c for c in typed + re.findall(r"`([^`\n]+)`", BLOCK.sub("", text)) if c.startswith(f"{first} ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page, "dof")], ids=name)
def test_commands_are_understood(page):
    for command in commands(page, "dof"):
        arguments = [word for word in shlex.split(command)[1:] if word != "…"]
        done = CliRunner().invoke(app, [*arguments, "--help"])
        assert done.exit_code == 0, (command, done.output)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page, "make")], ids=name)
def test_targets_exist(page):
    for command in commands(page, "make"):
        subprocess.run([*shlex.split(command), "--dry-run"], cwd=ROOT, check=True, capture_output=True)


def test_the_command_of_the_readme(tmp_path):
    (command,) = (c for c in commands(README, "dof") if c.startswith("dof solve") and "file.py" not in c)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    few = ["--adam=10", "--newton=5"]  # the command trains for as long as the equation needs, which is not tested here
    words = [sys.executable, "-m", *shlex.split(command), *few]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (report,) = tmp_path.rglob("report.html")
    assert "klein-gordon" in report.read_text()
