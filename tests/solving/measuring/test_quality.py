"""What a solution is called."""

import warnings
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.measuring.quality import quality
from problems import FEW


def test_what_is_right_at_the_fitted_points_only_is_called_so(overfitted):
    first = overfitted.history[0]
    assert first.fitted < 1e-6 and first.residual > 0.1
    assert "wrong between them" in quality(first).text and quality(first).rank >= 3


def test_with_enough_points_there_is_no_warning_and_a_good_solution_is_called_good():
    line = pde.Problem(
        pde.residual("x")(lambda u, x: u.xx + jnp.sin(x)),
        pde.Interval(0, np.pi),
        [pde.dirichlet(0.0, on="x=0"), pde.neumann(-1.0, on=f"x={np.pi}")],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = dof.solve(line, **FEW, points=60, adam=0, newton=200, tolerance=1e-6)
    assert solution.relative_residual <= 1e-6 < solution.history[-2].residual and solution.history[-1].step < 200
    assert solution.quality.startswith("Very good: `") and solution.error is None
    assert solution.report.residuals.keys() == {"equation", "dirichlet at x=0", f"neumann at x={np.pi}"}


@pytest.mark.parametrize(
    ("error", "said"), [(1e-4, "1.0e-04"), (0.0123, "1.2 %"), (0.19, "19 %"), (1.0, "100 %"), (12.3, "1230 %")]
)
def test_shares_are_read_without_counting_digits(overfitted, error, said):
    assert f"the error is {said}." in quality(replace(overfitted.history[-1], error=error, fitted=1.0)).text
