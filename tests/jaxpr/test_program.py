"""Programs as lists of steps: what is left out, written out and joined."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.jax_compat import bind
from dof.jaxpr.inlining import written_out
from dof.jaxpr.program import as_program, creates_references, last_uses, live, read

X, W = np.linspace(0.1, 0.9, 4), np.random.default_rng(0).normal(size=(4, 4))


def traced(f, *args):
    return jax.make_jaxpr(f)(*args)


def names(program):
    return [step.eqn.primitive.name for step in program.steps]


def evaluated(program, *args):
    """The results of a program on plain arrays."""
    env = {**program.constants, **dict(zip(program.inputs, args, strict=True))}
    for step in program.steps:
        operands = [read(env, atom) for atom in step.reads]
        env.update(zip(step.writes, bind(step.eqn.primitive, operands, step.eqn.params), strict=True))
    return [read(env, atom) for atom in program.outputs]


def test_steps_that_nothing_needs_are_left_out():
    def f(x):
        jnp.cos(x)
        y = jnp.sin(x)
        jnp.exp(y)
        return jnp.tanh(y)

    assert names(as_program(traced(f, X))) == ["sin", "tanh"]


def test_a_side_effect_is_kept_with_what_it_reads():
    def f(x):
        jax.debug.callback(lambda v: None, jnp.cos(x))
        return 2 * x

    assert names(as_program(traced(f, X))) == ["cos", "debug_callback", "mul"]


def test_literals_and_inputs_can_be_results():
    program = as_program(traced(lambda x, y: (3.0, y, x), X, 1.0))
    assert program.steps == [] and len(program.output_names) == 2
    assert [np.asarray(out).tolist() for out in evaluated(program, X, 1.0)] == [3.0, 1.0, X.tolist()]


def test_last_uses_are_the_last_steps_that_read_a_name():
    program = as_program(traced(lambda x: jnp.sin(x) * jnp.cos(x) + x, X))
    (x,), (sine, cosine, product, total) = program.inputs, [step.writes[0] for step in program.steps]
    uses = last_uses(program.steps, program.output_names)
    assert uses == {x: 3, sine: 2, cosine: 2, product: 3, total: 4}
    assert last_uses(program.steps)[x] == 3 and total not in last_uses(program.steps)
    assert last_uses(program.steps, [sine])[sine] == 4


@jax.jit
def mixing(x):
    return jnp.sum(x) * jax.jit(lambda y: jnp.cumsum(y))(x)


@jax.jit
def elementwise(x):
    return jnp.sin(x) * jnp.exp(x)


@jax.custom_jvp
def with_derivative(x):
    return jnp.sum(x) * x


with_derivative.defjvps(lambda t, out, x: t)


def test_calls_are_written_out_in_calls_too():
    program = written_out(traced(lambda x: mixing(x) + 1, X), [True])
    assert names(program) == ["reduce_sum", "cumsum", "mul", "add"]
    np.testing.assert_allclose(evaluated(program, X)[0], mixing(X) + 1)


def test_calls_that_stay():
    assert names(written_out(traced(elementwise, X), [True])) == ["jit"]  # has a rule as a whole
    assert names(written_out(traced(mixing, X), [False])) == ["jit"]  # nothing in it depends on x
    assert names(written_out(traced(with_derivative, X), [True])) == ["custom_jvp_call"]


def test_a_network_that_is_called_twice_is_there_once():
    net = jax.jit(lambda w, x: jnp.sum(jnp.tanh(x @ w)))
    twice = written_out(traced(lambda w, x: net(w, x) * net(w, x) + net(w, 2 * x), W, X), [False, True])
    assert names(twice).count("dot_general") == 2
    np.testing.assert_allclose(evaluated(twice, W, X)[0], net(W, X) ** 2 + net(W, 2 * X))


def test_constants_of_inner_programs_keep_their_values():
    inner = jax.jit(lambda x: jnp.sum(x * W[0]))
    other = jax.jit(lambda x: jnp.sum(x * W[1]))
    program = written_out(traced(lambda x: inner(x) - other(x), X), [True])
    np.testing.assert_allclose(evaluated(program, X)[0], X @ (W[0] - W[1]))


@pytest.mark.parametrize(
    ("function", "sines"),
    [
        (lambda x: jnp.sin(x * 0.5) + jnp.sin(0.5 * x), 2),  # operands in another order
        (lambda x: jnp.sin(x * 0.5) + jnp.sin(x * 0.5), 1),
        (lambda x: jnp.sin(x * 0.12345678901) + jnp.sin(x * 0.12345678902), 2),
        (lambda x: jnp.sum(jnp.sin(lax.rev(x, (0,)))) + jnp.sum(jnp.sin(x)), 2),
        (lambda x: jnp.sin(jnp.cumsum(x)) + jnp.sin(lax.cumsum(x, reverse=True)), 2),  # other parameters
    ],
)
def test_only_equations_that_compute_the_same_are_joined(function, sines):
    program = written_out(traced(function, X), [True])
    assert names(program).count("sin") == sines
    np.testing.assert_allclose(evaluated(program, X)[0], function(X))


def test_side_effects_are_not_joined():
    def f(x):
        jax.debug.callback(print, x[0])
        jax.debug.callback(print, x[0])
        return x

    assert names(written_out(traced(f, X), [True])).count("debug_callback") == 2


def test_an_equation_that_is_joined_is_left_out_if_nothing_needs_it():
    program = as_program(traced(lambda x: (jnp.sin(x), jnp.cos(x)), X))
    (sine, cosine) = program.steps
    assert live(program).steps == [sine, cosine]
    needed = type(program)(program.inputs, [cosine.writes[0]], program.steps, {})
    assert live(needed).steps == [cosine]


def test_programs_with_mutable_references_are_recognised():
    def counts(x):
        total = jax.new_ref(0.0) if hasattr(jax, "new_ref") else jax.experimental.mutable_array(0.0)
        total[...] += x[0]
        return total[...]

    assert creates_references(traced(counts, X)) and not creates_references(traced(jnp.sin, X))
