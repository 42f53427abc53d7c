"""A training that several tests look at."""

import pytest

import dof
from problems import FEW, WAVY


@pytest.fixture(scope="session")
def overfitted():
    """A network of 61 parameters that fits 10 points exactly, with the warning that came before."""
    with pytest.warns(UserWarning, match=r"10 residuals for 61 parameters(.|\n)*points=1000"):
        return dof.solve(WAVY, **FEW, points=10, adam=0, newton=32)
