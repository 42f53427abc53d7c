"""The README's table of what others cannot do: each of its marks is seen here."""

import re
from pathlib import Path

import folx
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import jet

import dof

README = Path(__file__).parents[2] / "README.md"
W = jax.random.normal(jax.random.key(0), (4, 4)) / 2
X = jax.random.normal(jax.random.key(1), (4,))
MANY = 10_000


@jax.jit
def softplus(x):
    """Not the softplus of JAX."""
    return x**3


def by_argsort(x):
    return jnp.sum((x**2)[jnp.argsort(x)] * x)


def by_while(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.tanh(W @ c[1])), (0, x))[1].sum()


def by_linear_algebra(x):
    matrix = jnp.outer(x, x) + jnp.diag(3 + jnp.arange(4.0) + x**2)
    branches = lax.cond(x[0] > 0, jnp.sin, jnp.cos, x)
    return jnp.sum(jnp.linalg.cholesky(matrix)) + jnp.linalg.eigvalsh(matrix)[0] + jax.checkpoint(jnp.sum)(branches)


ROWS = {
    "a function of yours that is called `softplus`": lambda x: jnp.sum(softplus(W @ x)),
    "`lax.fori_loop` over layers": lambda x: lax.fori_loop(0, 3, lambda _, h: jnp.tanh(W @ h), x).sum(),
    "`lax.scan` over the coordinates": lambda x: lax.scan(lambda h, xi: (jnp.sin(h + xi * xi), h), 0.3, x)[0],
    "`lax.while_loop`": by_while,
    "values sorted by `argsort` of x": by_argsort,
    "a matrix exponential": lambda x: jnp.sum(jax.scipy.linalg.expm(jnp.outer(x, jnp.sin(x)))),
    "a Cholesky factor, `eigh`, `cond`, `checkpoint`": by_linear_algebra,
}


def by_jet(f):
    def along(x, v):
        return jet.jet(f, (x,), ((v, jnp.zeros_like(v)),))[1][1]

    return lambda x: jnp.sum(jax.vmap(along, in_axes=(None, 0))(x, jnp.eye(x.size)))


WAYS = {
    "dof": dof.laplacian,
    "folx 0.2.30": lambda f: lambda x: folx.forward_laplacian(f)(x).laplacian,
    "jax.experimental.jet": by_jet,
    "jax.hessian": lambda f: lambda x: jnp.trace(jax.hessian(f)(x)),
}


def table():
    """The README's table: row → way → mark."""
    lines = [line.strip("| ").split(" | ") for line in README.read_text().splitlines() if line.startswith("| ")]
    start = next(n for n, line in enumerate(lines) if line[0] == "the exact Laplacian of")
    rows = [line for line in lines[start + 2 :] if len(line) == len(lines[start])]
    return {row[0]: dict(zip(lines[start][1:], row[1:], strict=True)) for row in rows}


def outcome(way, f):
    expected = jnp.trace(jax.jacfwd(jax.jacfwd(f))(X))
    try:
        found = WAYS[way](f)(X)
    except Exception:
        return "fails"
    return "right" if abs(found - expected) < 1e-8 * abs(expected) else "**wrong**"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("row", ROWS)
def test_functions(row, way, capfd):
    found = outcome(way, ROWS[row])
    by_hessian = found == "right" and "full hessian" in capfd.readouterr().err
    assert table()[row][way] == ("by a Hessian" if by_hessian else found)


def test_many_inputs():
    shapes = [(MANY, 64), (64, 64), (64,)]
    weights = [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes]
    megabytes = float(re.search(r"in (\d+) MB", README.read_text())[1])

    def net(weights, x):
        return jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]) @ weights[2]

    def fits(way):
        of_weights = jax.jit(lambda weights, x: WAYS[way](lambda x: net(weights, x))(x))
        compiled = of_weights.lower(weights, jax.ShapeDtypeStruct((MANY,), "float32")).compile()
        return compiled.memory_analysis().temp_size_in_bytes < megabytes * 1e6

    row = table()["10,000 inputs through 64 units, in 20 MB"]
    assert {way: fits(way) for way in WAYS} == {way: mark == "right" for way, mark in row.items()}


def test_all_rows_are_tested():
    assert [*table()][: len(ROWS)] == [*ROWS] and len(table()) == len(ROWS) + 1
    assert folx.__version__ in README.read_text()


def test_the_rows_of_pytorch_are_those_of_their_page():
    """`tests/pytorch/test_wrong_second_derivatives.py` compares the page with the PyTorch that is installed."""
    page = README.parent / "docs/explanation/pytorch-second-derivatives.md"
    rows = {
        cells[0]: cells[1:]
        for cells in map(cells_of, page.read_text().splitlines())
        if len(cells) == 5 and cells[0] != "---"
    }
    shown = [cells for cells in map(cells_of, README.read_text().splitlines()) if len(cells) == 4 and cells[0] in rows]
    assert len(shown) == 4
    for name, right, *others in shown:
        assert [right, right, *others] == rows[name]


def cells_of(line):
    return line.strip("| ").split(" | ")
