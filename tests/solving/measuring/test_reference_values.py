"""References without values."""

import warnings

import jax.numpy as jnp
import pytest

import dof
from dof import ArgumentError
from problems import FEW, with_reference


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (lambda x: jnp.sqrt(x - 1), r"`reference` is no number at \d+ of 256 points, the first at x = "),
        (lambda x: 0.0 * x, "`reference` is zero everywhere"),
        (lambda x: jnp.stack([x, x]), r"`reference` has shape \(2,\)"),
    ],
)
def test_a_reference_without_values_is_refused_before_the_first_step(reference, said):
    with pytest.raises(ArgumentError, match=said), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it does not solve the problem
        dof.solve(with_reference(reference), **FEW, points=100, adam=1, newton=0)
