"""The code that people see first runs as it stands."""

import re
from pathlib import Path

import jax

ROOT = Path(__file__).parent.parent


def test_code_of_the_readme():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)
    assert blocks
    scope = {}
    for block in blocks:
        exec(block, scope)
    hessian = jax.vmap(jax.hessian(scope["f"]))(scope["X"])
    expected = (scope["A"] * hessian).sum((1, 2))
    expected += jax.vmap(lambda x: -x @ jax.grad(scope["f"])(x) + 2 * scope["f"](x))(scope["X"])
    assert abs(scope["y"] - expected).max() < 1e-9 * abs(expected).max()


def test_links_of_the_readme():
    for target in re.findall(r"\]\(([^h)][^)]*)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / target).exists()


def test_demo(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    scope = {"__name__": "demo"}
    exec((ROOT / "examples/demo.py").read_text(), scope)
    scope.update(HIDDEN=[16], POINTS=4, ROUNDS=1)
    scope["main"]()
    out = capsys.readouterr().out
    ratios = [float(r) for line in out.splitlines() if "better by" in line for r in re.findall(r"([0-9.]+)×", line)[:1]]
    assert len(ratios) == 3
    assert min(ratios) > 1
