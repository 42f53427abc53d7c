"""The rules of jets against nested jvp, family by family, at order three and four."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import dof
from jaxpr.rules import cases
from jaxpr.rules.test_calls import half_derivative, mixing_derivative, two_operands
from jaxpr.rules.test_loops import (
    fori_loop_dynamic,
    nested_scans,
    scan_chain_of_carries,
    scan_constant_carry,
    scan_over_dependent,
    scan_over_layers,
    scan_reverse,
    while_condition_closes_over,
    while_data_dependent,
)
from oracle import assert_close, nested, operator_of, points

THREE = {(0, 0, 0): 1.0, (0, 0, 1): 2.0, (2,): -1.0}
FOUR = {(0, 0, 0, 0): 1.0, (0, 0, 1, 1): -0.5, (1, 1): 3.0}


def assert_right(functions, x, terms=THREE):
    """Several functions in one program, which is compiled once."""
    L = operator_of(terms, x.size)

    @jax.jit
    def both(v):
        flat = [lambda v, f=f: f(v.reshape(x.shape)) for f in functions]
        return [L(f)(v) for f in flat], [nested(f, v, terms) for f in flat]

    found, expected = both(x.ravel())
    assert_close(found, expected, 1e-9)


def each(family, names):
    return [family[name] for name in names.split()]


BY_HAND = "tanh tan exp exp2 expm1 log log1p sin cos sinh cosh sqrt cbrt rsqrt erf erfc logistic square integer_pow"


@pytest.mark.parametrize("names", [" ".join(BY_HAND.split()[:10]), " ".join(BY_HAND.split()[10:])])
def test_derivatives_by_hand(names):
    assert_right(each(cases.ELEMENTWISE, names), points(2), FOUR)


def test_derivatives_by_nested_jvp():
    names = "arctan lgamma igamma pow_both atan2 pow_constant pow_base_constant log10 abs"
    assert_right(each(cases.ELEMENTWISE, names), points(3))


def test_powers_at_zero_have_finite_derivatives():
    """Nested jvp gives NaN for some of them."""
    (d,) = dof.derivatives(1)
    f = lambda x: [x**p for p in (2.0, 3.0, 0.0, 5.0, 3, 4, 2)]  # noqa: E731
    found = jax.jit((d**3)(f))(jnp.zeros(1))
    assert_close(found, [jnp.full(1, n) for n in (0.0, 6.0, 0.0, 0.0, 6.0, 0.0, 0.0)])


def test_kinks_and_constants():
    names = "max_min clip where rem stop_gradient integers sign floor"
    assert_right(each(cases.ELEMENTWISE, names), points(3))


def test_products_quotients_and_complex_numbers():
    names = "mul div hypot logaddexp complex complex_abs complex_parts complex_division cast"
    assert_right(each(cases.ELEMENTWISE, names), points(3))


def test_activations():
    names = "gelu gelu_exact silu softplus mish elu relu relu6 selu log_sigmoid softmax log_softmax standardize"
    assert_right(each(cases.ACTIVATIONS, names), points(3, low=-2.5, high=2.5))


def test_indexing():
    names = """concatenate stack pad_by_value split gather gather_fill take_along dynamic_slice dynamic_update_slice
        scatter_set_twice scatter_set_constant scatter_add scatter_mul select_many sort_with_payload top_k unstack"""
    assert_right(each(cases.INDEXING, names), points(3, 4))


def test_reductions():
    names = "mean_var prod_zero max_ties cumsum_reverse cumprod cumlogsumexp reduce_custom avg_max_pool rfft_irfft norm"
    assert_right(each(cases.REDUCTIONS, names), points(3, 4))


def test_matrix_products_and_convolutions():
    names = "matmul_constant constant_matmul matmul_both batched_matmul vdot_complex conv2d_both conv_groups conv_nhwc"
    assert_right(each(cases.BILINEAR, names), points(3, 4))


def test_linear_algebra():
    names = "solve slogdet cholesky triangular_solve_right"
    of_complex = lambda x: jnp.linalg.slogdet(cases.matrix(x) + 1j * cases.matrix(x**2))  # noqa: E731
    assert_right([*each(cases.LINALG, names), of_complex], points(4))


def test_loops_and_branches():
    loops = [
        *(scan_over_layers, scan_over_dependent, scan_constant_carry, scan_chain_of_carries, scan_reverse),
        *(nested_scans, fori_loop_dynamic, while_data_dependent, while_condition_closes_over),
        lambda x: lax.cond(x[0] > 0.1, lambda y: y**4, lambda y: jnp.ones(3), x),
        lambda x: jax.vmap(lambda y: lax.while_loop(lambda c: c < 3, lambda c: c * (1 + y**2), y))(x),
    ]
    assert_right(loops, points(3))


def test_calls_and_derivatives_that_functions_bring():
    functions = [
        *(half_derivative, mixing_derivative, jax.checkpoint(lambda x: jnp.sin(x) ** 2), jax.jit(jnp.tanh)),
        lambda x: two_operands(x, x**2)[0],
        dof.register_rule(lambda x: x**5, lambda context, x: [x]),
    ]
    assert_right(functions, points(3))


def test_results_that_do_not_depend_on_x():
    L = operator_of(THREE, 3)
    found = L(lambda x: (jnp.arange(3), 2.0, x[0] ** 3))(points(3))
    assert_close(found, (jnp.zeros(3), jnp.zeros(()), 6.0))


def test_pytrees_in_and_out():
    x = {"a": points(2, 2), "b": (points(3), points())}
    terms = {(0, 0, 4): 1.0, (4, 4, 5): 2.0, (7, 7, 7): -1.0, (1,): 1.0}

    def f(x):
        return {"u": x["a"] @ x["a"] * x["b"][1] ** 4 * x["b"][0][0], "v": [jnp.prod(x["b"][0] ** 3), 2.0]}

    found, expected = jax.jit(lambda x: (operator_of(terms, 8)(f)(x), nested(f, x, terms)))(x)
    assert_close(found, expected, 1e-9)
