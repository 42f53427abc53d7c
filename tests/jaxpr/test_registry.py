"""One record for each primitive, which is not overwritten by accident."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.jaxpr.elementwise_nested_jvp import _traced_primitive
from dof.jaxpr.registry import RECORDS, register


def test_a_record_is_overwritten_only_if_that_is_asked_for():
    with pytest.raises(KeyError, match="tanh"):
        register(jax.lax.tanh_p, RECORDS[jax.lax.tanh_p])
    with pytest.raises(dof.ArgumentError, match=r"overwrite=True"):
        dof.register_rule(jax.lax.tanh_p, "elementwise")


def test_a_rule_that_overwrites_is_used():
    record = RECORDS[jax.lax.tanh_p]
    x = jnp.linspace(0.1, 0.5, 3)
    try:
        dof.register_rule(jax.lax.tanh_p, "constant", overwrite=True)
        assert dof.laplacian(lambda x: jnp.sum(jnp.tanh(x)))(x) == 0
    finally:
        RECORDS[jax.lax.tanh_p] = record
    assert dof.laplacian(lambda x: jnp.sum(jnp.tanh(x)))(x) != 0


def test_traced_derivatives_are_kept_apart_by_precision_and_bounded():
    f = lambda x: jnp.sum(jnp.arctan2(x, 2.0))  # noqa: E731
    with jax.enable_x64(False):
        single = dof.laplacian(f)(np.ones(3, np.float32))
    double = dof.laplacian(f)(np.ones(3))
    assert single.dtype == jnp.float32 and double.dtype == jnp.float64
    exact = 3 * -4 / 25  # d²/dx² atan(x/2) = −4x / (x² + 4)²
    assert abs(double - exact) < 1e-14 < abs(single - exact) < 1e-6 or single == np.float32(exact)
    assert _traced_primitive.cache_info().maxsize is not None


def test_traces_of_single_precision_are_not_those_made_without_x64():
    """The same operands, but constants inside of the trace may have another type."""
    x, f = np.ones(3, np.float32), lambda x: jnp.sum(jnp.arctan2(x, 3.0))
    with jax.enable_x64(False):
        dof.laplacian(f)(x)
        misses = _traced_primitive.cache_info().misses
        dof.laplacian(f)(x)
    assert _traced_primitive.cache_info().misses == misses
    dof.laplacian(f)(x)
    assert _traced_primitive.cache_info().misses > misses


def test_the_registry_is_full_whichever_module_is_imported_first():
    program = "from dof.jaxpr.registry import RECORDS; assert len(RECORDS) > 100"
    subprocess.run([sys.executable, "-c", program], check=True)
