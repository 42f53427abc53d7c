"""What dof relies on in JAX: primitives by name, and the layout of their parameters."""

import functools
import inspect
from weakref import WeakSet

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.interpreters import ad
from jax.sharding import PartitionSpec

import dof.jaxpr.rules
from dof import jax_compat
from dof.jaxpr.registry import MISSING, RECORDS
from dof.jaxpr.rules.general import ON_PURPOSE

x = jnp.ones(3)

# Primitives of Pallas, which are there once another test has imported it; they take the general rule.
OF_PALLAS = set("masked_load masked_swap pallas_call mpmd_map".split())

# Primitives that some supported releases of JAX have and others lack.
COME_AND_GO = set(
    "pbroadcast_dynamic reduced_vary_cast reduced_vary_cast_p vary_unreduced_cast vary_unreduced_cast_p polynomial "
    "relayout with_memory_space_constraint log2 one_minus_square closed_call call new_box box_get box_set new_log "
    "log_read log_extend host_local_array_to_global_array global_array_to_host_local_array mesh_cast preduced "
    "unreduced_reduce_scatter unreduced_psum all_gather_reduced accum_grad_in_ref free_ref empty_ref stack unstack "
    "tile mulhi check stage eval_jaxpr debug_print call_hi_primitive".split()
)


def equation(f, name, *args):
    """The first equation of that name in the program of f."""
    program, _ = jax_compat.parts(jax.make_jaxpr(f)(*args))
    return next(eqn for eqn in program.eqns if eqn.primitive.name == name)


def _module(rule):
    """Where a rule was written: other packages may have added theirs to the table."""
    return rule.func.__module__ if isinstance(rule, functools.partial) else rule.__module__


def test_every_differentiable_primitive_of_jax_has_a_rule():
    """Either it is in a family, or it goes to the general rule on purpose."""
    of_jax = [p for p, rule in ad.primitive_jvps.items() if _module(rule).startswith("jax.")]
    assert len(of_jax) > 150
    unknown = {p.name for p in of_jax if p not in RECORDS and p.name not in ON_PURPOSE.split()}
    assert unknown <= OF_PALLAS


def test_rules_are_for_primitives_that_exist():
    assert MISSING <= COME_AND_GO


def softsign(x):
    return x / (1 + abs(x))


LAYOUTS = {
    "while": (
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: c, x),
        "cond_jaxpr body_jaxpr cond_nconsts body_nconsts",
    ),
    "cond": (lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), "branches"),
    "remat2": (jax.checkpoint(jnp.sin), "jaxpr prevent_cse policy"),
    "scan": (lambda x: lax.scan(lambda c, y: (c, y), 0.0, x), "jaxpr length reverse unroll"),
    "dot_general": (lambda x: x @ x, "dimension_numbers out_sharding preferred_element_type"),
    "reduce_prod": (jnp.prod, "axes"),
    "cumprod": (lambda x: lax.cumprod(x), "axis reverse"),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x), "axis reverse"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_parameters(name):
    f, expected = LAYOUTS[name]
    assert set(expected.split()) <= set(equation(f, name, x).params)


def with_vjp(x):
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (f(x), x), lambda x, t: (t,))
    return f(x)


CALLS = {
    "jit": jax.jit(softsign),
    "custom_jvp_call": jax.nn.relu,
    "custom_vjp_call": with_vjp,
    "composite": lax.composite(jnp.sin, name="a.b"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_have_a_program(name):
    program = jax_compat.program_of(equation(CALLS[name], name, x).params)
    assert np.shape(jax_compat.as_function(program)(x)[0]) == (3,)


def test_shard_map():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = PartitionSpec("i")
    eqn = equation(jax.shard_map(jnp.sin, mesh=mesh, in_specs=spec, out_specs=spec), "shard_map", x)
    assert {"mesh", "in_specs", "out_specs", "jaxpr", "check_vma"} <= set(eqn.params)
    assert set(jax_compat.axes_of_shard_map(eqn.params)) == {"i"}
    assert eqn.primitive is jax_compat.shard_map_p
    assert {"mesh", "in_specs", "out_specs", "axis_names", "check_vma"} <= set(
        inspect.signature(jax.shard_map).parameters
    )


def test_scan_counts():
    eqn = equation(lambda x: lax.scan(lambda c, y: ((c[0] + x[0], c[1] + 1), y), (0.0, 1), (x, x, x)), "scan", x)
    consts, carries = jax_compat.scan_counts(eqn.params)
    assert (consts, carries, len(eqn.invars) - consts - carries) == (1, 2, 3)


def test_convolution_numbers():
    eqn = equation(lambda x: lax.conv(x[None, None], x[None, None], (1,), "VALID"), "conv_general_dilated", x)
    numbers = eqn.params["dimension_numbers"]
    assert len(numbers.lhs_spec) == len(numbers.rhs_spec) == 3
    assert eqn.params["feature_group_count"] == eqn.params["batch_group_count"] == 1


def test_constants_of_a_program_can_be_hoisted():
    y = jnp.arange(3.0) + 1
    jaxpr, consts = jax_compat.hoist_constants(jax.make_jaxpr(lambda x: x * y)(x))
    assert len(consts) == 1
    np.testing.assert_array_equal(jax_compat.as_function(jaxpr)(y, 2 * x)[0], 2 * y)


def test_source_lines_are_those_of_the_user():
    assert "test_jax_contracts.py" in jax_compat.source_line(equation(lambda x: jnp.sin(x), "sin", x))


def test_references_are_recognised():
    new_ref = getattr(jax, "new_ref", None) or jax.experimental.mutable_array  # renamed in JAX 0.7.2
    program, _ = jax_compat.parts(jax.make_jaxpr(lambda x: new_ref(x)[0])(x))
    assert program.eqns[0].primitive is jax_compat.find_primitive("new_ref")
    assert [jax_compat.is_reference(v.aval) for v in program.eqns[0].outvars] == [True]
    assert not jax_compat.is_reference(program.invars[0].aval)


def test_known_and_traced_values():
    assert jax_compat.concrete(jnp.ones(2)).dtype == np.float64
    assert jax_compat.concrete(1j).dtype == np.complex128
    jax.jit(lambda t: np.testing.assert_equal(jax_compat.concrete(t), None))(x)


def custom_jvp(x):
    f = jax.custom_jvp(jnp.sin)
    f.defjvp(lambda primals, tangents: (f(*primals), 10 * jnp.cos(primals[0]) * tangents[0]))
    return f(x)


def test_binding_a_call_again_keeps_its_own_derivative():
    eqn = equation(custom_jvp, "custom_jvp_call", x)
    (value,), (tangent,) = jax.jvp(lambda x: jax_compat.bind(eqn.primitive, [x], eqn.params), (x,), (x,))
    np.testing.assert_allclose(value, np.sin(x))
    np.testing.assert_allclose(tangent, 10 * np.cos(x))


@pytest.mark.parametrize("on", [True, False])
def test_double_precision_can_be_switched(on):
    before = jax.config.jax_enable_x64
    with jax_compat.enable_x64(on):
        assert jnp.ones(2).dtype == (np.float64 if on else np.float32)
    assert jax.config.jax_enable_x64 == before


def test_arrays_are_placed_and_marked_on_a_mesh():
    """What is the same on all devices adds up to a multiple of itself once it is marked as varying."""
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
    placed = jax_compat.place({"x": x}, mesh, PartitionSpec("i"))["x"]
    assert jax.typeof(placed).sharding.spec == PartitionSpec("i")
    marked = jax.shard_map(
        lambda x: lax.psum(jax_compat.varying_over(x, "i"), "i"),
        mesh=mesh,
        in_specs=PartitionSpec(),
        out_specs=PartitionSpec(),
    )
    assert "pvary" in str(jax.make_jaxpr(marked)(x)) or "pcast" in str(jax.make_jaxpr(marked)(x))
    np.testing.assert_array_equal(marked(x), x)


def test_types_carry_the_devices_that_values_vary_over():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))

    def marked(x):
        type_ = jax_compat.typed_like((3,), x)
        assert type_.shape == (3,) and type_.dtype == x.dtype
        return jax_compat.vary_as(jnp.zeros(3), type_) + jax_compat.vary_as(x, type_)

    split = PartitionSpec("i")
    on_mesh = jax.shard_map(marked, mesh=mesh, in_specs=split, out_specs=split)
    text = str(jax.make_jaxpr(on_mesh)(jnp.ones(3)))
    assert text.count("pvary") + text.count("pcast") == 1, text  # the zeros; x has the mark already
    np.testing.assert_array_equal(on_mesh(jnp.ones(3)), np.ones(3))
    assert jax_compat.vary_as(x, jax_compat.typed_like((3,), x)) is x


def test_constants_are_folded_right():
    """Up to JAX 0.8.0 the compiler exchanges rows and columns here, if it knows that the ones are constant."""
    w = jnp.asarray(np.random.default_rng(0).normal(size=(8, 5)))

    def squared(w):
        total = jnp.sum(w.T[:, None] * jax_compat.hide_constant(np.ones((5, 1, 1))), axis=1)
        return total * total

    np.testing.assert_allclose(jax.jit(lambda: squared(w))(), np.asarray(w).T ** 2)


@pytest.mark.parametrize("units", [1, 2, 8])
def test_a_compiled_network_may_have_its_weights_as_constants(units):
    rng = np.random.default_rng(units)
    w, v, at = (jnp.asarray(rng.normal(size=shape)) for shape in ((units, 5), (units,), (5,)))
    y = np.tanh(w @ at)
    expected = np.sum(v * -2 * y * (1 - y**2) * np.sum(np.square(w), axis=1))
    np.testing.assert_allclose(jax.jit(dof.laplacian(lambda x: v @ jnp.tanh(w @ x)))(at), expected, rtol=1e-12)


def test_all_values_of_one_run_have_one_trace_and_those_of_another_run_another():
    """`trace_of`, by which values that were kept from an earlier run are recognised."""
    found = []
    for _ in range(2):
        jax.make_jaxpr(lambda x: found.append((jax_compat.trace_of(x), jax_compat.trace_of(jnp.sin(x) + 1))))(1.0)
    (first, same), (second, _) = found
    assert first is same and first is not second
    assert first in WeakSet([first]) and second not in WeakSet([first])
