"""Several operators jointly, and the triple that is propagated."""

import jax
import jax.numpy as jnp
import numpy as np

import dof
from functions_of_four import L2, A, B, C, f, of_f, x
from oracle import assert_close


def test_shared_directions_of_opposite_sign():
    g = lambda x: x[0] * x[1]  # noqa: E731
    flipped = dof.Operator(a=dof.Factored(np.diag([-1.0, 1.0])))
    found = jax.jit(lambda a: dof.jointly(flipped, dof.Operator(a=a))(g)(jnp.ones(2)))(
        np.array([[1.0, 0.5], [0.5, 2.0]])
    )
    assert_close(found, (0.0, 1.0))


def test_jointly():
    operators = [dof.laplacian, dof.Operator(A, B, C), dof.Operator(b=B), dof.Operator(a=B), dof.Operator(a=1j * A)]
    together = dof.jointly(*operators)(f)(x)
    assert_close(together, tuple(L(f)(x) for L in operators))
    run_time = jax.jit(lambda a: dof.jointly(dof.laplacian, dof.Operator(a=a), dof.Operator(a=dof.Factored(L2)))(f)(x))
    assert_close(run_time(A)[1], of_f(A, 0, 0))
    both = lambda x: dof.jointly(dof.Operator(a=jnp.outer(x, x)), dof.Operator(a=x), dof.Operator(a=B))(f)(x)  # noqa: E731
    expected = [of_f(m, 0, 0) for m in (np.outer(x, x), np.diag(x), np.diag(B))]
    assert_close(jax.jit(both)(x), tuple(expected))
    value, applied = dof.jointly(*operators).with_value(f)(x)
    assert_close((value, applied), (f(x), together))


def test_jointly_shares_directions():
    u_xx = dof.Operator(a=np.array([1.0, 0, 0, 0]))
    shared = dof.propagate(f, dof.jointly(dof.laplacian, 3 * u_xx, -dof.laplacian))(x)
    assert shared.tangents.shape[0] == 4
    assert shared.applied.shape == (3,)


def test_propagate():
    triple = dof.propagate(f, dof.Operator(a=dof.Factored(L2, (1, -1)), b=B, c=C))(x)
    assert_close(triple.value, f(x))
    assert_close(triple.tangents, L2 @ jax.grad(f)(x))
    assert_close(triple.applied, of_f(L2.T @ np.diag([1.0, -1]) @ L2, B, 0))
    constant = dof.propagate(lambda x: jnp.arange(3), dof.laplacian)(x)
    assert not constant.tangents.any()
    assert not constant.applied.any()
