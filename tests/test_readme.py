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
