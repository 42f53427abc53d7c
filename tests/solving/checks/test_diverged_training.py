"""When training is given up."""

import numpy as np
import pytest

from dof.errors import Diverged
from dof.solving.checks.diverged_training import TOO_LARGE, require_convergent

NAMES, WEIGHTS = ["equation", "dirichlet"], np.array([1.0, 2.0])


def test_finite_losses_that_do_not_explode_are_accepted():
    require_convergent(np.array([[1.0, 1.0], [1e3, 1e5]]), WEIGHTS, 3.0, 0, NAMES)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 4 * TOO_LARGE])
def test_the_first_bad_step_and_the_worst_term_are_named(bad):
    losses = np.array([[1.0, 1.0], [1.0, bad], [bad, bad]])
    with pytest.raises(Diverged, match=r"`dirichlet` .* at step 42\."):
        require_convergent(losses, WEIGHTS, 3.0, 40, NAMES)


def test_growth_is_measured_from_one_where_the_first_loss_is_small():
    require_convergent(np.array([[TOO_LARGE / 10, 0.0]]), WEIGHTS, 1e-12, 0, NAMES)
