"""Check: the error of an operator against nested differentiation in double precision."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from functions_of_four import A, B, C, f, x
from functions_of_two import X, dx, dy, g, h
from functions_of_two import f as of_two
from oracle import assert_close


def test_check():
    report = dof.check(dof.Operator(A, B, C), f, x)
    assert report.error < 1e-12
    assert "float64" in str(report)
    wrong = dof.register_rule(lambda x: x**2, lambda walk, x: [dof.Triple(x.value**2, x.tangents, x.applied)])
    assert dof.check(dof.laplacian, lambda x: jnp.sum(wrong(x)), x).error > 0.1
    nothing = dof.register_rule(lambda x: x**2, lambda walk, x: [dof.Triple(x.value * np.nan, x.tangents, x.applied)])
    assert np.isnan(dof.check(dof.Operator(b=B, c=1.0), lambda x: (jnp.sin(x), nothing(x)), x).error)
    single = dof.check(dof.laplacian, f, x.astype(np.float32))
    assert 1e-10 < single.error < 1e-5


def test_check_compares_with_nested_differentiation():
    L = (g * dx**2) @ (h * dy) + dx
    found = dof.check(L, of_two, X)
    assert found.error < 1e-12
    assert_close(found.reference, L(of_two)(X), 1e-9)


def test_a_hessian_that_does_not_fit_is_refused_and_first_order_needs_none(monkeypatch):
    monkeypatch.setattr("dof.api.nested_autodiff.free_bytes", lambda: 10**6)
    f, x = lambda x: jnp.sum(x**2), jnp.ones(600)
    with pytest.raises(dof.errors.NotEnoughMemoryError, match="`x` has 600 coordinates"):
        dof.check(dof.laplacian, f, x)
    assert dof.check(dof.Operator(b=jnp.ones(600)), f, x).error < 1e-6
