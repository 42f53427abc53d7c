"""Bad input is refused with the argument in backticks, what was found, what was expected and a fix."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas

import dof

x3, x53, A = jnp.ones(3), jnp.ones((5, 3)), np.eye(3) + 1


def f(x):
    return jnp.sum(jnp.sin(x))


def callback(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


bad_shape = dof.register_rule(lambda x: x * 2, lambda walk, x: [dof.Triple(x.value, x.tangents[:1], None)])
bad_count = dof.register_rule(lambda x: x * 2, lambda walk, x: [x, x])

BAD = {
    "a_shape": (lambda: dof.Operator(a=np.ones((2, 3)))(f)(x3), "`a`", "(2, 3)", "(3, 3)"),
    "a_size": (lambda: dof.Operator(a=np.eye(4))(f)(x3), "`a`", "(4, 4)", "(3, 3)"),
    "a_function": (lambda: dof.Operator(a=lambda x: jnp.ones((2, 2)))(f)(x3), "`a`", "(2, 2)", "(3, 3)"),
    "a_nan": (lambda: dof.Operator(a=np.array([[1.0, np.nan], [0, 1]])), "`a`", "nan", "finite"),
    "a_infinite": (lambda: dof.Operator(a=jnp.array([jnp.inf, 1.0])), "`a`", "inf", "finite"),
    "blocks_nan": (lambda: dof.BlockDiagonal(np.full((2, 2, 2), np.nan)), "`blocks`", "nan", "finite"),
    "blocks_not_square": (lambda: dof.BlockDiagonal(np.ones((2, 2, 3))), "`blocks`", "(2, 3)", "square"),
    "blocks_size": (lambda: dof.Operator(a=dof.BlockDiagonal(np.ones((2, 2, 2))))(f)(x3), "`blocks`", "4", "3"),
    "signs": (lambda: dof.Factored(np.eye(3), (1, 0, 2)), "`signs`", "[0.0, 1.0, 2.0]", "+1 and −1"),
    "signs_count": (lambda: dof.Factored(np.eye(3), (1, 1)), "`Factored`", "(2,)", "(r, N)"),
    "factor_shape": (lambda: dof.Factored(np.ones(3)), "`Factored`", "(3,)", "(r, N)"),
    "factor_size": (lambda: dof.Operator(a=dof.Factored(np.ones((1, 4))))(f)(x3), "`Factored`", "4", "3"),
    "factor_complex": (lambda: dof.Factored(1j * np.eye(3)), "`L`", "complex", "real"),
    "b_shape": (lambda: dof.Operator(b=np.ones(4))(f)(x3), "`b`", "(4,)", "(3,)"),
    "derivatives_count": (lambda: sum(dof.derivatives(2), dof.laplacian)(f)(x3), "(2,)", "(3,)", "dof.derivatives(3)"),
    "b_scalar": (lambda: dof.Operator(b=1.0)(f)(x3), "`b`", "()", "(3,)"),
    "b_nan": (lambda: dof.Operator(b=[0.0, np.nan, 0.0]), "`b`", "nan", "finite"),
    "c_shape": (lambda: dof.Operator(c=np.ones(3))(f)(x3), "`c`", "(3,)", "scalar"),
    "integer_x": (lambda: dof.laplacian(f)(jnp.arange(3)), "`x`", "int", "floating"),
    "integer_leaf": (lambda: dof.laplacian(lambda x: f(x[0]))((x3, jnp.arange(3))), "`x`", "int", "floating"),
    "not_callable": (lambda: dof.laplacian(3.0), "`f`", "float", "function"),
    "operator_times_operator": (lambda: dof.laplacian * dof.laplacian, "`scale`", "operator", "L1 @ L2"),
    "scale_shape": (lambda: ((lambda x: x) * dof.laplacian)(f)(x3), "`scale`", "(3,)", "scalar"),
    "batch": (lambda: dof.Operator(a=np.eye(3))(f)(jnp.ones((10, 3))), "`a`", "(10, 3)", "jax.vmap(L(f))"),
    "forgotten_argnums": (lambda: dof.laplacian(f)({"act": jnp.tanh}, x3), "`x`", "leaf of type", "argnums=1"),
    "x_as_argnums": (lambda: dof.laplacian(f, x3), "`argnums`", "Array", "L(f)(x)"),
    "no_operators": (lambda: dof.jointly(), "`jointly`", "no operators", "at least one"),
    "scale_nan": (lambda: float("nan") * dof.laplacian, "`scale`", "nan", "finite"),
    "a_overflow": (lambda: (1e200 * dof.Operator(a=1e200 * np.eye(3)))(f)(x3), "`a`", "inf", "finite"),
    "b_function_nan": (lambda: dof.Operator(b=lambda x: np.array([np.nan, 1, 1]))(f)(x3), "`b`", "nan", "finite"),
    "not_numbers": (lambda: dof.Operator(a=object())(f)(x3), "`a`", "object", "numbers"),
    "array_for_operator": (lambda: dof.jointly(dof.laplacian, x3), "`jointly`", "Array", "operators"),
    "a_none": (lambda: dof.Operator(a=lambda x: None)(f)(x3), "`a`", "None", "numbers"),
    "c_none": (lambda: dof.Operator(c=lambda x: None)(f)(x3), "`c`", "None", "numbers"),
    "a_string": (lambda: dof.Operator(a="laplace")(f)(x3), "`a`", "'laplace'", "numbers"),
    "b_ragged": (lambda: dof.Operator(b=(np.ones(1), np.ones(2)))(f)({"p": x3}), "`b`", "array", "numbers"),
    "a_dict": (lambda: dof.Operator(a={"q": 1.0})(lambda x: f(x["p"]))({"p": x3}), "`a`", "{'q': 1.0}", "numbers"),
    "argnums_twice": (lambda: dof.laplacian(f, argnums=(0, -1))(x3), "`argnums`", "(0, -1)", "different"),
    "x_by_keyword": (lambda: dof.laplacian(f)(x=x3), "`argnums`", "0 positional", "by position"),
    "nested_jointly": (lambda: dof.jointly(dof.jointly(dof.laplacian)), "`jointly`", "Jointly", "operators"),
    "check_batch": (lambda: dof.check(dof.Operator(a=A, b=lambda x: A @ x), f, x53), "`x`", "(5, 3)", "(3,)", "x[0]"),
    "check_batch_constant": (
        lambda: dof.check(dof.Operator(a=A), f, x53),
        "`x`",
        "(5, 3)",
        "(3,)",
        "check(L, f, x[0])",
    ),
    "check_batch_of_second": (
        lambda: dof.check(dof.Operator(a=A), lambda w, x: f(w * x), 2.0, x53, argnums=1),
        *("`x`", "(5, 3)", "(3,)", "check(L, f, x[0])"),
    ),
    "check_no_batch": (lambda: dof.check(dof.Operator(a=A), f, jnp.ones((3, 2))), "`a`", "(3, 3)", "6 coordinates"),
    "check_jointly": (lambda: dof.check(dof.jointly(dof.laplacian), f, x3), "`L`", "Jointly", "operators"),
    "rule_shape": (lambda: dof.laplacian(bad_shape)(x3), "`rule`", "(3,), (1, 3)", "(3, 3)"),
    "rule_count": (lambda: dof.laplacian(bad_count)(x3), "`rule`", "dof_function", "one entry for each result"),
    "nextafter": (lambda: dof.laplacian(lambda x: jnp.nextafter(x, 2.0))(x3), "`nextafter`", "test_errors.py", "twice"),
    "argnums_range": (lambda: dof.laplacian(f, argnums=1)(x3), "`argnums`", "1", "1 positional argument"),
    "argnums_type": (lambda: dof.laplacian(f, argnums="x"), "`argnums`", "'x'", "integer"),
    "not_an_operator": (lambda: dof.jointly(dof.laplacian, 3), "`jointly`", "int", "operators"),
    "propagate_swapped": (lambda: dof.propagate(dof.laplacian, f), "`L`", "function", "operators"),
    "propagate_order_four": (lambda: dof.propagate(f, dof.laplacian**2), "`L`", "above two", "with_value"),
    "negative_power": (lambda: dof.laplacian**-1, "`exponent`", "-1", "not negative"),
    "derivatives": (lambda: dof.derivatives(0), "`n`", "0", "positive"),
    "derivatives_of_others": (lambda: (dof.derivatives(2)[0] ** 3)(f)(x3), "`b`", "(2,)", "(3,)"),
    "function_on_the_right": (lambda: dof.laplacian * (lambda x: x[0]), "`scale`", "function", "g * L"),
    "function_composed": (lambda: dof.laplacian @ f * dof.laplacian, "`L @ k`", "`f`", "operator", "dx @ (k * dx)"),
    "function_before_at": (lambda: f @ dof.laplacian**2, "`k @ L`", "`f`", "operator", "k * L"),
    "number_composed": (lambda: dof.laplacian**2 @ 2, "`L @ k`", "has 2", "operator", "dx @ (k * dx)"),
    "array_scale": (lambda: np.ones(3) * dof.laplacian, "`scale`", "(3,)", "scalar"),
    "family": (lambda: dof.register_rule(jax.lax.sin_p, "linnear"), "`rule`", "'linnear'", "linear"),
    "not_differentiable": (lambda: dof.laplacian(callback)(x3), "`pure_callback`", "test_errors.py", "custom_jvp"),
    "in_a_loop": (
        lambda: dof.laplacian(lambda x: jax.lax.scan(lambda c, y: (callback(c), None), x, x)[0])(x3),
        "`pure_callback`",
        "test_errors.py",
        "custom_jvp",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, *expected = BAD[name]
    with pytest.raises(dof.DofError) as caught:
        call()
    message = str(caught.value)
    assert isinstance(caught.value, (ValueError, TypeError))
    for part in (*expected, "Fix: "):
        assert part in message


def test_asymmetric_a_is_no_error():
    a = np.array([[1.0, 4.0], [0.0, 1.0]])
    g = lambda x: x[0] * x[1]  # noqa: E731
    assert float(dof.Operator(a=a)(g)(jnp.ones(2))) == pytest.approx(4.0)


def test_callback_of_a_constant_is_no_error():
    assert float(dof.laplacian(lambda x: callback(jnp.ones(3))[0] * x[0] ** 2)(x3)) == pytest.approx(2 * np.sin(1.0))


def test_other_errors_keep_their_type_and_say_where():
    def rule(walk, x):
        raise ZeroDivisionError("in the rule")

    marked = dof.register_rule(lambda x: x * 2, rule)
    with pytest.raises(ZeroDivisionError) as caught:
        dof.laplacian(lambda x: jnp.sum(marked(x)))(x3)
    assert "dof_function" in "".join(caught.value.__notes__)
    assert "test_errors.py" in "".join(caught.value.__notes__)


def test_errors_of_jax_while_tracing_name_the_users_file_and_function():
    def branches(point):
        return point[0] if point[0] > 0 else point[1]

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        dof.laplacian(branches)(x3)
    assert "branches at" in str(caught.value) and "test_errors.py" in str(caught.value)
    assert "pipeline" not in str(caught.value)


def test_a_function_whose_second_derivative_jax_cannot_compile_is_refused():
    """Also `jax.hessian` of it fails: its derivative keeps a value of an earlier trace."""
    with pytest.raises(dof.NotDifferentiableError, match=r"custom_jvp_call` at .*test_errors.py.*\n.*Fix"):
        dof.laplacian(lambda x: jnp.sum(jax.scipy.special.exp1(x)))(x3 + 1.0)


def test_a_kernel_whose_third_derivative_jax_cannot_compile_is_refused():
    """JAX differentiates a kernel of Pallas once or twice, and then counts its operands wrongly."""
    shape = jax.ShapeDtypeStruct(x3.shape, x3.dtype)

    def kernel(x_ref, y_ref):
        y_ref[...] = jnp.sin(x_ref[...]) * x_ref[...]

    sine = lambda x: jnp.sum(pallas.pallas_call(kernel, shape, interpret=True)(x))  # noqa: E731
    assert np.allclose(dof.laplacian(sine)(x3), jnp.sum(2 * jnp.cos(x3) - x3 * jnp.sin(x3)))
    (dx, *_) = dof.derivatives(3)
    with pytest.raises(dof.NotDifferentiableError, match=r"pallas_call` at .*test_errors.py[\s\S]*3 times"):
        (dx**3)(sine)(x3)


def test_an_error_of_f_given_a_batch_says_that_it_takes_one_point():
    W = jnp.ones((5, 2))
    with pytest.raises(TypeError, match="contracting dimensions") as caught:
        dof.laplacian(lambda x: jnp.sum(jnp.tanh(W @ x)))(jnp.ones((256, 2)))
    assert any("`x` of shape (256, 2) is one point here" in note for note in caught.value.__notes__)
