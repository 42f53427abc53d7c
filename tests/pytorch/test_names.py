"""Names of `dof.torch`: what is imported when it is first used, and what to take for a name that is missing."""

import subprocess
import sys

import pytest

import dof.torch

LAZY = """
import sys, dof.torch
assert "dof.torch.pde" not in sys.modules and "pde" in dir(dof.torch)
assert dof.torch.pde.residual is sys.modules["dof.torch.pde"].residual
assert "jax" not in sys.modules
"""


def test_pde_is_imported_when_it_is_first_used():
    subprocess.run([sys.executable, "-c", LAZY], check=True)


def test_the_error_of_a_missing_name_says_what_takes_its_place():
    assert not hasattr(dof.torch, "no_such_name")
    with pytest.raises(
        AttributeError, match=r"no attribute 'value_and_grad'[\s\S]*loss\.backward\(\).*dof\.torch\.backward"
    ):
        _ = dof.torch.value_and_grad  # pyright: ignore[reportAttributeAccessIssue]
