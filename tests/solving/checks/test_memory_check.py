"""What does not fit into memory is refused."""

import pytest

import dof
from dof.errors import NotEnoughMemoryError


def test_hessians_that_do_not_fit_are_refused_at_once():
    with pytest.raises(NotEnoughMemoryError, match="method='dof'"):
        dof.solve("sine-gordon-100000", method="hessian")
