"""Operators: every form of the coefficients, their algebra, and how they are applied."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from functions_of_four import L2, A, B, C, f, of_f, x
from oracle import assert_close, normal, points, reference_at

BLOCKS = normal(2, 2, 2, seed=4)


def dense(blocks):
    return jax.scipy.linalg.block_diag(*blocks)


FORMS = {
    "scalar": (2.5, 2.5 * np.eye(4)),
    "negative_scalar": (-2.5, -2.5 * np.eye(4)),
    "zero": (0.0, np.zeros((4, 4))),
    "diagonal": (B, np.diag(B)),
    "diagonal_with_zeros": (np.array([1.0, 0, -2, 0]), np.diag([1.0, 0, -2, 0])),
    "dense": (A, A),
    "semi_definite": (L2.T @ L2, L2.T @ L2),
    "rank_one_indefinite": (np.outer(B, B) - np.outer(A[0], A[0]), np.outer(B, B) - np.outer(A[0], A[0])),
    "zero_matrix": (np.zeros((4, 4)), np.zeros((4, 4))),
    "list": (A.tolist(), A),
    "factored": (dof.Factored(L2, (1, -1)), L2.T @ np.diag([1.0, -1]) @ L2),
    "factored_unsigned": (dof.Factored(L2), L2.T @ L2),
    "blocks": (dof.BlockDiagonal(BLOCKS), dense(BLOCKS)),
    "uneven_blocks": (dof.BlockDiagonal([A[:3, :3], A[3:, 3:]]), dense([A[:3, :3], A[3:, 3:]])),
    "huge": (1e150 * A, 1e150 * A),
    "tiny": (1e-150 * A, 1e-150 * A),
    "spread": (np.diag([1.0, 1e-9, 1e-5, 1e-13]) + 1e-14, np.diag([1.0, 1e-9, 1e-5, 1e-13]) + 1e-14),
}


@pytest.mark.parametrize("name", FORMS)
def test_constant_forms(name):
    a, matrix = FORMS[name]
    expected = of_f(matrix, 0, 0)
    tolerance = 1e-10 * max(1e-3, abs(float(expected)))
    assert dof.Operator(a=a)(f)(x) == pytest.approx(float(expected), abs=tolerance)
    assert jax.jit(dof.Operator(a=a)(f))(x) == pytest.approx(float(expected), abs=tolerance)


@pytest.mark.parametrize("name", FORMS)
def test_forms_known_at_run_time(name):
    a, matrix = FORMS[name]
    expected = of_f(matrix, B, 0)
    assert_close(jax.jit(lambda a, b: dof.Operator(a=a, b=b)(f)(x))(jax.tree.map(np.asarray, a), B), expected)


@pytest.mark.parametrize("name", FORMS)
def test_functions_of_x(name):
    a, matrix = FORMS[name]
    L = dof.Operator(
        a=lambda x: jax.tree.map(lambda v: v * jnp.asarray(1.0), a), b=lambda x: jnp.sin(x) * B, c=lambda x: jnp.sum(x)
    )
    expected = of_f(matrix, np.sin(x) * B, np.sum(x))
    assert_close(L(f)(x), expected)
    scaled = (lambda x: jnp.sin(x).sum()) * L
    mapped, product = jax.jit(lambda x: (jax.vmap(L(f))(x[None]), scaled(f)(x)))(x)
    assert_close(mapped, expected[None])
    assert_close(product, np.sin(x).sum() * expected)


def rank(a, dtype=float):
    return jax.eval_shape(dof.propagate(f, dof.Operator(a=a)), x.astype(dtype)).tangents.shape[0]


def test_directions_are_as_many_as_the_rank():
    assert rank(L2.T @ L2) == 2
    assert rank(np.outer(B, B)) == 1
    assert rank(np.zeros((4, 4))) == 0
    assert rank(np.array([1.0, 0, -2, 0])) == 2
    assert rank(dof.Factored(L2)) == 2
    single = L2.astype(np.float32)
    assert rank(single.T @ single, np.float32) == 2
    assert rank(A) == 4


@pytest.mark.parametrize(
    "form", [np.asarray, jnp.asarray, lambda a: a.reshape(2, 2, 2, 2), lambda a: jnp.asarray(a)[None]]
)
def test_what_is_known_stays_known_under_jit(form):
    """An array of JAX that was made outside of jit as well."""
    a = form(np.outer(B, B))
    L = dof.Operator(a=dof.BlockDiagonal(a) if a.ndim == 3 else a)
    g = lambda x: f(x.reshape(4))  # noqa: E731
    at = x.reshape(2, 2)
    assert jax.eval_shape(dof.propagate(g, L), at).tangents.shape[0] == 1
    assert jax.eval_shape(dof.propagate(g, 2.0 * L + L), at).tangents.shape[0] == 1


def test_integer_coefficients_are_exact():
    """Also where float32 would take an eigenvalue for rounding; and small integers do not overflow."""
    a = np.array([[2**23 + 1, 2**23], [2**23, 2**23]])
    g = lambda x: (x[0] - x[1]) ** 2  # noqa: E731
    assert float(dof.Operator(a=a)(g)(jnp.ones(2, jnp.float32))) == pytest.approx(2.0, rel=1e-3)
    small = jnp.full((2, 2), 200, jnp.uint8)
    found = jax.jit(lambda a: dof.Operator(a=a)(lambda x: jnp.sum(x) ** 2)(jnp.ones(2)))(small)
    assert float(found) == pytest.approx(1600.0)


def test_many_coordinates(monkeypatch):
    """Where known parts are not multiplied out."""
    monkeypatch.setattr("dof.directions.factor.DENSE_LIMIT", 2)
    L = dof.Operator(a=A) + dof.Operator(a=1.0) + dof.Operator(a=dof.Factored(L2))
    assert_close(L(f)(x), of_f(A + np.eye(4) + L2.T @ L2, 0, 0))
    assert_close((dof.Operator(a=A) + dof.Operator(a=A))(f)(x), of_f(2 * A, 0, 0))


def test_composition_is_a_pytree():
    """It goes through jit with the right derivatives in its leaves; (b · ∇)(B · ∇ + 2) has A = b Bᵀ, first part 2 b."""
    compose = jax.jit(lambda b: dof.Operator(b=b) @ dof.Operator(b=B, c=2.0))
    b = jnp.asarray(A[0])
    leaves, tree = jax.tree.flatten(compose(b))
    assert_close(jax.tree.unflatten(tree, leaves)(f)(x), of_f(np.outer(b, B), 2 * b, 0))
    in_b = jax.jit(jax.grad(lambda b: compose(b)(f)(x)))(b)
    assert_close(in_b, np.array([of_f(np.outer(e, B), 2 * e, 0) for e in np.eye(4)]))
    slopes = jax.tree.leaves(jax.jit(jax.grad(lambda L: L(f)(x)))(compose(b)))
    # By Euler: both parts are products of two leaves, of which each has its share.
    assert_close(sum(np.vdot(*pair) for pair in zip(leaves, slopes, strict=True)), 2 * of_f(np.outer(b, B), 2 * b, 0))


def test_complex_coefficients_give_complex_results():
    assert dof.Operator(a=1j)(lambda x: x @ B)(x).dtype == np.complex128


def test_sum_and_names():
    assert_close(sum([dof.laplacian, dof.Operator(b=B)])(f)(x), (dof.laplacian + dof.Operator(b=B))(f)(x))
    for value in (dof.laplacian, dof.jointly(dof.laplacian), dof.Factored(A), dof.BlockDiagonal(BLOCKS)):
        assert "dof" in repr(value)
        assert "0x" not in repr(value)


def test_numbers_are_multiples_of_the_function():
    dx, dy = dof.derivatives(4)[:2]
    for L in (dof.laplacian, dof.Operator(b=B), dx**3 + dy):
        for number in (-3, 0.5, np.float32(0.25), jnp.asarray(2.0)):
            expected = L(f)(x) + number * f(x)
            assert_close((L + number)(f)(x), expected)
            assert_close((number + L)(f)(x), expected)
            assert_close((L - number)(f)(x), L(f)(x) - number * f(x))
            assert_close((number - L)(f)(x), number * f(x) - L(f)(x))
    with pytest.raises(TypeError):
        dof.laplacian + np.ones(2)


def test_functions_are_added_as_multiples_of_the_function_by_their_values():
    g = lambda x: jnp.sin(x[0]) * x[1]  # noqa: E731
    for L in (dof.laplacian, dof.Operator(b=B)):
        for sum_, expected in ((L + g, (1, 1)), (g + L, (1, 1)), (L - g, (1, -1)), (g - L, (-1, 1))):
            assert isinstance(sum_, dof.Operator)
            assert_close(sum_(f)(x), expected[0] * L(f)(x) + expected[1] * g(x) * f(x))
    with pytest.raises(dof.ArgumentError, match=r"`c` has shape \(4,\)"):
        (dof.laplacian + (lambda x: x))(f)(x)


def test_no_eigenvalue_is_dropped_that_double_precision_sees():
    """Entries that float32 could hold, with an eigenvalue below its rounding."""
    a = np.array([[1.0, 1 - 2.0**-24], [1 - 2.0**-24, 1.0]])
    g = lambda x: (x[0] - x[1]) ** 2  # noqa: E731
    assert float(dof.Operator(a=a)(g)(jnp.ones(2))) == pytest.approx(4 * 2.0**-24, rel=1e-10)


@pytest.mark.parametrize("dtype, small", [(np.float64, 1e-18), (np.float32, 1e-8)])
def test_small_coefficients_beside_large_ones(dtype, small):
    """Whether they are coupled with the large ones or not."""
    inner = small * np.array([[1.0, 0.5], [0.5, 1.0]])
    a = np.zeros((3, 3), dtype)
    a[0, 0], a[1:, 1:] = 1.0, inner
    g = lambda x: (x[1] * x[2]) / small  # noqa: E731
    at = jnp.ones(3, dtype)
    assert float(dof.Operator(a=a)(g)(at)) == pytest.approx(1.0, rel=1e-6)
    a[0, 1] = a[1, 0] = 0.25 * np.sqrt(small)
    assert float(dof.Operator(a=a)(g)(at)) == pytest.approx(1.0, rel=1e-6)


def test_nothing_to_differentiate():
    """x without coordinates."""
    for empty in ({}, (), None, jnp.zeros(0)):
        assert_close(dof.Operator(a=1.0, c=2.0)(lambda x: jnp.ones(3))(empty), 2 * jnp.ones(3))
    both = jax.jit(lambda a: dof.jointly(dof.laplacian, dof.Operator(a=a))(jnp.sum)(jnp.zeros(0)))
    assert_close(both(np.zeros((0, 0))), (0.0, 0.0))


def test_lists():
    assert_close(dof.Operator(b=B.tolist())(f)(x), dof.Operator(b=B)(f)(x))
    assert_close(
        dof.Operator(b=lambda x: [x[0], 1.0, 2.0, x[1]])(f)(x), dof.Operator(b=jnp.array([x[0], 1, 2, x[1]]))(f)(x)
    )


def test_constant_results_are_arrays():
    value, applied = dof.laplacian.with_value(lambda x: (1.0, x @ x))(x)
    assert all(isinstance(v, jax.Array) for v in (*value, *applied))


def test_rank_promotion_of_the_user_does_not_matter():
    g = lambda x: jnp.sum(jnp.sin(x) / x)  # noqa: E731
    with jax.numpy_rank_promotion("raise"):
        found = dof.Operator(A, B, C)(g)(x)
    assert_close(found, reference_at(g, x)(A, B, C))


def test_absent_coefficients():
    assert_close(dof.Operator(b=B, c=C)(f)(x), of_f(0, B, C))
    assert_close(dof.Operator(c=C)(f)(x), C * f(x))
    assert_close(dof.Operator()(f)(x), 0 * f(x))


def test_algebra():
    one, two = dof.Operator(A, B, C), dof.Operator(a=dof.Factored(L2), b=lambda x: x**2)
    expected = of_f(2 * A - 3 * L2.T @ L2, 2 * B - 3 * x**2, 2 * C)
    assert_close((2 * one - two * 3)(f)(x), expected)
    assert_close((one + one - two / (1 / 3))(f)(x), expected)
    assert_close((-(two * 3) + jnp.asarray(2.0) * one)(f)(x), expected)
    assert_close((np.float64(2.0) * one - np.asarray(3.0) * two)(f)(x), expected)
    g = lambda x: jnp.sin(x[0])  # noqa: E731
    assert_close((g * one - g * (dof.laplacian * 2))(f)(x), g(x) * of_f(A - 2 * np.eye(4), B, C))


@pytest.mark.parametrize(
    "pair",
    [
        (dof.Operator(b=B), dof.Operator(b=B)),
        (dof.Operator(b=B, c=2.0), dof.Operator(b=A[0], c=3.0)),
        (dof.Operator(b=jnp.sin, c=jnp.sum), dof.Operator(b=lambda x: x[::-1] ** 2, c=lambda x: x[0] * x[1])),
        (dof.Operator(c=jnp.sum), dof.Operator(b=jnp.cos)),
        (dof.Operator(b=jnp.cos), dof.Operator(c=jnp.prod)),
        (dof.Operator(b=1j * B), dof.Operator(b=lambda x: 1j * x)),
        ((lambda x: x[0]) * dof.Operator(b=B), dof.Operator(b=B) + dof.Operator(b=jnp.sin)),
    ],
)
def test_composition(pair):
    one, two = pair
    by_eager = (one @ two)(f)(x)
    by_jit, nested = jax.jit(lambda x: ((one @ two)(f)(x), one(two(f))(x)))(x)
    assert_close((by_eager, by_jit), (nested, nested))


def test_square_of_a_constant_derivative_has_one_direction():
    d = dof.Operator(b=B)
    assert dof.propagate(f, d @ d)(x).tangents.shape[0] == 1


def test_complex_coefficients():
    a, b = A + 1j * np.diag(B), 1j * B
    expected = of_f(a, b, 2j)
    assert_close(dof.Operator(a, b, 2j)(f)(x), expected)
    assert_close(jax.jit(lambda a, b: dof.Operator(a, b, 2j)(f)(x))(a, b), expected)
    assert_close((1j * dof.Operator(a=dof.Factored(L2)))(f)(x), 1j * of_f(L2.T @ L2, 0, 0))


def test_holomorphic_function_of_complex_x():
    z = x + 1j * points(4)[::-1]
    h = jax.jit(jax.hessian(f, holomorphic=True))(z)
    assert_close(jax.jit(dof.Operator(a=A)(f))(z), np.sum(A * h))


def test_arguments():
    def g(params, x, *, power):
        return params["w"] @ x**power

    params = {"w": B, "name": 3}
    expected = reference_at(lambda x: g(params, x, power=3), x)(A, B, C)
    L = dof.Operator(A, B, C)
    assert_close(L(g, argnums=1)(params, x, power=3), expected)
    assert_close(L(g, argnums=-1)(params, x, power=3), expected)
    value, applied = L.with_value(g, argnums=1)(params, x, power=3)
    assert_close((value, applied), (g(params, x, power=3), expected))
    two = lambda y, z: f(jnp.concatenate([z, y]))  # noqa: E731
    assert_close(L(two, argnums=(1, 0))(x[2:], x[:2]), of_f(A, B, C))
    assert L(f).__name__ == "f"
    assert_close(dof.Operator(a=2.0, b=3.0)(jnp.sin)(0.5), -2 * np.sin(0.5) + 3 * np.cos(0.5))


def test_shapes_of_coefficients_follow_x():
    grid = points(2, 2)
    g = lambda x: f(x.reshape(4))  # noqa: E731
    expected = of_f(np.diag(B), B, 0)
    assert_close(dof.Operator(a=B.reshape(2, 2), b=B.reshape(2, 2))(g)(grid), expected)
    assert_close(dof.Operator(a=A.reshape(2, 2, 2, 2))(g)(grid), of_f(A, 0, 0))
    tree = {"p": x[:1], "q": x[1:]}
    h = lambda t: f(jnp.concatenate([t["p"], t["q"]]))  # noqa: E731
    coefficient = {"p": B[:1], "q": B[1:]}
    assert_close(dof.Operator(a=coefficient, b=coefficient)(h)(tree), of_f(np.diag(B), B, 0))
    assert_close(dof.Operator(a=lambda t: t, b=lambda t: t)(h)(tree), of_f(np.diag(x), x, 0))


def test_integer_results():
    out = dof.Operator(a=A, c=2.0)(lambda x: {"i": jnp.argsort(x), "b": x > 0.5})(x)
    assert_close(out["i"], 2.0 * jnp.argsort(x))
    assert not dof.laplacian(lambda x: jnp.argsort(x))(x).any()
