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


PAGES = sorted((ROOT / "docs").rglob("*.md"))


def test_code_of_the_documentation():
    found = 0
    for page in PAGES:
        scope = {}
        for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S):
            exec(block, scope)
            found += 1
    assert found


def test_links():
    for page in [ROOT / "README.md", *PAGES]:
        for target in re.findall(r"\]\(([^h)][^)]*)\)", page.read_text()):
            assert (page.parent / target).exists(), (page, target)
