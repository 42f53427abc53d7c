"""`dof.compat.folx` gives what folx gives, field by field."""

import folx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.compat import folx as by_dof
from oracle import assert_close, normal, points

X, Y = points(4, 3), points(5)
W = normal(3, 6)


def network(x):
    return jnp.sum(jnp.tanh(x @ W), axis=-1)


def log_psi(x):
    return jnp.linalg.slogdet(jnp.eye(4) + jnp.tanh(x @ W[:, :4]))[1]


def of_two(x, y):
    return {"sum": jnp.sum(jnp.sin(x)) * y, "constant": jnp.arange(3.0)}


def fields(result):
    is_result = lambda leaf: hasattr(leaf, "laplacian")  # noqa: E731
    each = lambda r: (r.x, r.jacobian.dense_array, r.laplacian) if is_result(r) else r  # noqa: E731
    return jax.tree.map(each, result, is_leaf=is_result)


def hand_made(m):
    """A value (2,) whose elements depend on inputs 1, 3 and 4, 0 of five."""
    classes = getattr(m, "api", m)
    jacobian = classes.FwdJacobian(jnp.asarray(normal(2, 2)), np.array([[1, 4], [3, 0]]))
    return classes.FwdLaplArray(jnp.array([0.3, 0.7]), jacobian, jnp.array([1.0, -2.0]))


PARTS = (lambda r: r.real, lambda r: r.imag, lambda r: r.conj(), lambda r: r.astype(jnp.complex64), lambda r: r.dense)
CASES = {
    "array": lambda m: m.forward_laplacian(network)(X),
    "scalar": lambda m: m.forward_laplacian(log_psi)(X),
    "several arguments and a constant": lambda m: m.forward_laplacian(of_two)(X, Y),
    "threshold": lambda m: m.forward_laplacian(network, sparsity_threshold=6)(X),
    "no jit": lambda m: m.forward_laplacian(network, disable_jit=True)(X),
    "a weight": lambda m: m.forward_laplacian(network)(X, weights=-2.0),
    "weights": lambda m: m.forward_laplacian(of_two)(X, Y, weights=(0.5, 0.0)),
    "continued": lambda m: m.forward_laplacian(jnp.sin)(m.forward_laplacian(network)(X)),
    "continued with a constant": lambda m: m.forward_laplacian(jnp.multiply)(m.forward_laplacian(network)(X), Y[:4]),
    "continued from parts": lambda m: m.forward_laplacian(jnp.sin, disable_jit=True)(hand_made(m)),
    "continued from two": lambda m: m.forward_laplacian(jnp.multiply)(
        m.forward_laplacian(lambda x: x[:, 0])(X), m.forward_laplacian(network)(X)
    ),
    "mapped": lambda m: jax.vmap(m.forward_laplacian(network))(jnp.stack([X, X + 1])),
    "parts": lambda m: [part(m.forward_laplacian(lambda x: jnp.exp(1j * x))(Y)) for part in PARTS],
    "operator": lambda m: m.ForwardLaplacianOperator(0)(log_psi)(X),
    "loop operator": lambda m: m.LoopLaplacianOperator()(log_psi)(X),
    "parallel operator": lambda m: m.ParallelLaplacianOperator()(lambda x: log_psi(x.reshape(4, 3)))(X.ravel()),
    "in blocks": lambda m: m.batched_vmap(network, 2)(jnp.stack([X, X + 1, X + 2])),
    "shared argument": lambda m: m.batched_vmap(of_two, 2, in_axes=(None, 0))(X, Y),
    "axes": lambda m: m.batched_vmap(lambda x, y: (jnp.outer(x, x), y), 2, in_axes=(1, 0), out_axes=(2, 0))(X, Y[:3]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_as_folx(case):
    compute = lambda: (fields(CASES[case](by_dof)), fields(CASES[case](folx)))  # noqa: E731
    eager = case in ("no jit", "threshold", "continued from parts")  # with a threshold, folx looks at numbers
    assert_close(*(compute() if eager else jax.jit(compute)()))


def test_arrays_of_folx_itself_are_continued():
    half = folx.forward_laplacian(network, sparsity_threshold=0)(X)
    found = by_dof.forward_laplacian(lambda a, y: jnp.sum(jnp.sin(a)) * y)(half, 2.0)
    assert_close(fields(found), fields(folx.forward_laplacian(lambda a: 2.0 * jnp.sum(jnp.sin(a)))(half)))


@pytest.mark.parametrize(
    "give",
    [
        lambda: by_dof.register_function("softplus", lambda *args: args),
        lambda: by_dof.deregister_function("softplus"),
        lambda: by_dof.wrap_forward_laplacian(jnp.sin),
        lambda: by_dof.warp_without_fwd_laplacian(jnp.sin),
    ],
)
def test_rules_for_folx_are_refused(give):
    with pytest.raises(dof.ArgumentError, match=r"dof\.register_rule"):
        give()


def test_results_are_dense():
    found = by_dof.forward_laplacian(network, sparsity_threshold=6)(X)
    assert not found.is_jacobian_weak and found.jacobian.x0_idx is None


def test_constants_are_plain_arrays():
    assert isinstance(by_dof.forward_laplacian(of_two)(X, Y)["constant"], jax.Array)


def test_integers_are_constants():
    found = by_dof.forward_laplacian(lambda x, n: x[n] ** 2)(X, jnp.array(2))
    assert_close(found.laplacian, np.full(3, 2.0))
    assert found.dense_jacobian.shape == (12, 3) and found.size == 3
    assert found.astype(int).dtype == jnp.asarray(0).dtype


def test_shape_and_dtype():
    found = by_dof.forward_laplacian(network)(X)
    assert found.shape == (4,) and found.ndim == 1 and found.dtype == np.float64
    assert found.dense_jacobian.shape == (12, 4)


def test_gradients_in_parameters():
    energy = lambda m: lambda w: m.forward_laplacian(lambda x: jnp.sum(jnp.tanh(x @ w)))(X).laplacian  # noqa: E731
    assert_close(*jax.jit(lambda w: [jax.grad(energy(m))(w) for m in (by_dof, folx)])(W))
