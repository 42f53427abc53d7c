"""The parts that need NumPy and SciPy only: they work where JAX cannot be imported."""

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src/dof"
WITHOUT_FRAMEWORK = [
    "dof",
    "dof.errors",
    "dof.typing",
    *sorted(f"dof.directions.{path.stem}" for path in (PACKAGE / "directions").glob("[a-z]*.py")),
    *sorted(f"dof.symbols.{path.stem}" for path in (PACKAGE / "symbols").glob("[a-z]*.py")),
    *(f"dof.cut.{name}" for name in ("cost_model", "dependency_graph", "max_flow", "min_cut")),
]

PROGRAM = """
import sys
sys.modules["jax"] = sys.modules["torch"] = None
import importlib
for name in {names}:
    importlib.import_module(name)

import numpy as np
from dof.cut.cost_model import Work
from dof.cut.dependency_graph import Operation, graph_of
from dof.cut.min_cut import Situation, divide_at_cuts
from dof.directions.factor import factor
from dof.directions.matrix_forms import Blocks, Diagonal
from dof.directions.shared import share_directions
from dof.directions.sparse_rows import dense_rows
from dof.symbols.span import span_of

a = np.array([[2.0, 1.0, 0.0], [1.0, -3.0, 0.0], [0.0, 0.0, 0.0]])
shared = share_directions([factor([Blocks((a[None],), 1e-15)], 3), factor([Diagonal(np.ones(3))], 3)])
rows = dense_rows(shared.rows)
assert np.allclose(rows.T @ np.diag(shared.weights[0]) @ rows, a)
assert np.allclose(rows.T @ np.diag(shared.weights[1]) @ rows, np.eye(3))

assert span_of([{{(0, 0, 0): 1, (1,): 1}}]).meanings("xt") == ("1", "∂x", "∂x²", "∂x³ + ∂t")

def step(name, reads, writes, width, work):
    return Operation(name, reads, writes, (width,), False, False, False, work)

steps = [step("narrow", ("x",), ("h",), 4, Work(8000.0, 4)), step("wide", ("h",), ("y",), 500, Work(1e6, 500))]
graph = graph_of(steps, {{"x": 1000}})
parts = divide_at_cuts(graph, Situation(frozenset("x"), 1000, are_apart=False, is_coupled=False, is_known=True))
assert [sorted(part.cut) for part in parts] == [["h"], []], parts
print("works without JAX")
"""


def test_directions_symbols_and_the_search_for_a_cut_work_without_jax():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(names=WITHOUT_FRAMEWORK)], capture_output=True, text=True, check=False
    )
    assert found.stdout == "works without JAX\n", found.stderr


def test_importing_dof_does_not_import_jax():
    program = "import sys, dof; assert 'jax' not in sys.modules; dof.Operator; assert 'jax' in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["nothing", "propagate_all"])
def test_a_name_that_does_not_exist_is_an_attribute_error(name):
    import dof

    with pytest.raises(AttributeError, match=name):
        getattr(dof, name)
