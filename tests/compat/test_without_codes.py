"""What wave-function codes ask of dof, where those codes are not installed."""

import importlib
import sys

import jax
import jax.numpy as jnp
import pytest

from dof.compat import deepqmc
from oracle import assert_close, derivatives, normal, points


def test_a_factory_of_laplacian_and_gradient():
    x, w = points(6), normal(3, 4)
    log_psi = lambda x: jnp.sum(jnp.tanh(x.reshape(2, 3) @ w) ** 2)  # noqa: E731
    found, gradient = jax.jit(deepqmc.laplacian(log_psi))(x)
    _, expected_gradient, hessian = derivatives(log_psi, x)
    assert_close((found, gradient), (jnp.trace(hessian), expected_gradient))


def test_a_constant_function():
    found, gradient = deepqmc.laplacian(lambda x: jnp.ones(()))(points(6))
    assert found == 0 and gradient.shape == (6,) and not gradient.any()


def test_without_netket_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "netket", None)
    monkeypatch.delitem(sys.modules, "dof.compat.netket", raising=False)
    with pytest.raises(ImportError, match="pip install netket"):
        importlib.import_module("dof.compat.netket")
