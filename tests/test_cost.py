"""XLA's own counts, which do not depend on the machine: flops, temporary memory, size of the program."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof

RNG = np.random.default_rng(0)
SIZES = [64, *[256] * 7, 1]
WEIGHTS = [RNG.normal(size=(i, o)).astype(np.float32) / np.sqrt(i) for i, o in pairwise(SIZES)]
X = RNG.normal(size=(256, 64)).astype(np.float32)
FACTOR = RNG.normal(size=(64, 64)).astype(np.float32)


def mlp(x):
    for w in WEIGHTS[:-1]:
        x = jnp.tanh(x @ w)
    return (x @ WEIGHTS[-1])[0]


MATRICES = {
    "elliptic": FACTOR @ FACTOR.T,
    "low_rank": FACTOR[:, :32] @ FACTOR[:, :32].T,
    "indefinite": np.diag([-1.0] + [1.0] * 63).astype(np.float32),
}


def cost(f):
    compiled = jax.jit(jax.vmap(f)).lower(X).compile()
    return compiled.cost_analysis()["flops"], compiled.memory_analysis().temp_size_in_bytes


# Columns that go through each weight matrix: r tangents, the value and what is applied, against 2 N + 2 for the
# Hessian. That is (32 + 2) / (2 · 64 + 2) = 0.26 for rank 32; that the first tangents are constant makes it 0.254.
BOUNDS = {"elliptic": 0.5, "low_rank": 0.255, "indefinite": 0.5}


@pytest.mark.parametrize("name", MATRICES)
def test_against_the_hessian(name):
    a = MATRICES[name]
    flops, memory = cost(dof.Operator(a=a)(mlp))
    hessian_flops, hessian_memory = cost(lambda x: jnp.sum(a * jax.hessian(mlp)(x)))
    assert flops <= BOUNDS[name] * hessian_flops
    assert memory <= 0.5 * hessian_memory


def test_first_order_operators_cost_no_tangents():
    """One column for the value and one for what is applied, whatever the number of coordinates."""
    flops, _ = cost(dof.Operator(b=np.ones(64))(mlp))
    plain, _ = cost(mlp)
    assert flops <= 2.1 * plain


def test_the_program_is_no_longer_than_its_rules_need():
    """Equations per layer do not grow with the number of coordinates."""
    program = jax.make_jaxpr(dof.laplacian(mlp))(X[0])
    assert len(program.eqns) < 20 * len(WEIGHTS)
