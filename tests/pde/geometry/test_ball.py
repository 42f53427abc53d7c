"""Balls in any number of dimensions."""

import math

import pytest

from dof import pde


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_volume_and_area_of_a_ball_are_those_of_the_formulas(n):
    volume = math.pi ** (n / 2) / math.gamma(n / 2 + 1) * 1.5**n
    ball = pde.Ball([0] * n, 1.5)
    assert (ball.volume, ball.area) == pytest.approx((volume, n / 1.5 * volume), rel=1e-12)
