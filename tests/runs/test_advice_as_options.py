"""Advice of the command line is in its own options."""

import pytest

from dof.runs.advice_as_options import as_options


@pytest.mark.parametrize(
    ("fix", "option"),
    [
        ("points=1444, or a smaller `width`", "--points 1444, or a smaller `width`"),
        ("edge_points=1000", "--edge-points 1000"),
        ("resample=False; adaptive=True", "--no-resample; --adaptive"),
        ('network="mlp"', "--network mlp"),
        ("pde.initial(u0, hard=True), windows=4", "pde.initial(u0, hard=True), --windows 4"),
        ("dof.load(path, problem, network=net)", "dof.load(path, problem, network=net)"),
        ("dof solve file.py --points=3", "dof solve file.py --points=3"),
    ],
)
def test_settings_in_a_fix_are_options_and_arguments_of_calls_stay(fix, option):
    assert as_options(f"Too few of points=3.\n  Fix: {fix}") == f"Too few of points=3.\n  Fix: {option}"
