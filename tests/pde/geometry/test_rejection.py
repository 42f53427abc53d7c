"""Where too few points are accepted."""

import pytest

from dof import pde
from dof.pde.geometry import rejection


def test_a_hole_that_leaves_no_points_to_be_found_is_refused(monkeypatch, rng):
    monkeypatch.setattr(rejection, "MOST_ROUNDS", 3)
    monkeypatch.setattr(rejection, "NUMBERS_AT_ONCE", 100)
    shell = pde.Ball([0, 0]) - pde.Ball([0, 0], 1 - 1e-4)
    with pytest.raises(ValueError, match=r"`hole`.*of 500 points"):
        shell.inside(rng.random((500, shell.uniforms)))
