"""One word for one thing, and nothing that cannot be imported because something else has its name."""

import ast
import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

import pytest

import dof

PACKAGE = Path(dof.__file__).parent
WITH_FURTHER_PACKAGES = (
    "dof.bench.methods.torch_hessian",
    "dof.bench.solvers.deepxde_problems",
    "dof.bench.solvers.run_deepxde",
    "dof.bench.torch_races.networks",
    "dof.bench.torch_races.peers",
    "dof.bench.torch_races.races",
    "dof.bench.torch_races.run_races",
    "dof.compat.netket",
)  # no dependencies of the tests
MODULES = [
    m.name
    for m in pkgutil.walk_packages([str(PACKAGE)], "dof.")
    if m.name not in WITH_FURTHER_PACKAGES and not m.name.startswith("dof.torch")  # tests/pytorch has these
]


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] for name in MODULES}))
def test_no_module_is_hidden_by_something_of_the_same_name(package):
    for name in (name for name in MODULES if name.rpartition(".")[0] == package and "__main__" not in name):
        module = importlib.import_module(name)
        assert getattr(importlib.import_module(package), name.rpartition(".")[2]) is module, name


@pytest.mark.parametrize("is_torch", [False, True])
def test_a_class_has_a_name_of_its_own(is_torch):
    """On either side: that of PyTorch has the names of the other one."""
    found = defaultdict(list)
    for path in (path for path in PACKAGE.rglob("*.py") if path.is_relative_to(PACKAGE / "torch") == is_torch):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_what_is_public_has_a_docstring_that_an_editor_can_show():
    for name in dof.__all__:
        documented = getattr(dof, name)
        assert name == "laplacian" or (documented.__doc__ or "").strip(), name
