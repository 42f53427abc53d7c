"""Calls, and functions with derivatives of their own."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec

import dof
from oracle import assert_close, assert_exact, coefficients, points, reference


@jax.custom_jvp
def half_derivative(x):
    """A derivative that no rule for its program could guess."""
    return jnp.sin(x) * x


@half_derivative.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return half_derivative(x), 0.5 * jnp.cos(x) * t * x**2


@jax.custom_jvp
def mixing_derivative(x):
    """Elementwise to look at, but its derivative mixes positions."""
    return x * 1.0


@mixing_derivative.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return mixing_derivative(x), t * x - jnp.sum(t * x**2)


@jax.custom_jvp
def two_operands(x, y):
    return x * y, jnp.argmax(x), x - y


@two_operands.defjvp
def _(primals, tangents):
    (x, y), (s, t) = primals, tangents
    out = two_operands(x, y)
    return out, (s * y + t * x * 2, np.zeros((), jax.dtypes.float0), s * x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def with_static(x, n):
    return x**n


@with_static.defjvp
def _(n, primals, tangents):
    return with_static(primals[0], n), tangents[0] * primals[0] ** n


@jax.custom_jvp
def asymmetric(x, y):
    """Mixed derivatives that differ by the order."""
    return x * y


asymmetric.defjvp(lambda p, t: (asymmetric(*p), 2 * t[0] * p[1] + 3 * t[1] * p[0]))

narrowed = jax.jit(lambda x: jnp.sin(jnp.exp(x.astype(jnp.float32))))


def softplus(x):
    """A user's own function that is called like one of JAX's."""
    return jnp.log(2 + jnp.exp(3 * x))


def softmax_of_its_own(x):
    return jax.jit(lambda x: jnp.exp(x) / jnp.sum(jnp.exp(2 * x)))(x)


def grad_inside(x):
    return jax.grad(lambda y: jnp.sum(jnp.sin(y) * y**2))(x) * x


def jvp_inside(x):
    return jax.jvp(lambda y: jnp.tanh(y) * y, (x,), (x**2,))


def hessian_inside(x):
    return jax.hessian(lambda y: jnp.prod(jnp.sin(y)))(x)


def checkpointed(x):
    cube = jax.checkpoint(lambda y, n: y**n, static_argnums=1)
    return jax.checkpoint(lambda y: jnp.sin(jnp.cos(y) * y))(x) * cube(x, 3)


def gradient_of_checkpointed(x):
    return jax.grad(lambda y: jnp.sum(jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(y)))(x)


def vmapped(x):
    return jax.vmap(lambda a, b: jnp.dot(a, b) * a, in_axes=(0, None))(jnp.outer(x, x), x)


CALLS = {
    "jit": lambda x: jax.jit(lambda x: jnp.sin(x) @ x)(x),
    "jit_chain": lambda x: jax.jit(lambda x: jnp.sin(jnp.exp(x) * x) / (1 + x**2))(x),
    "jit_nested": lambda x: jax.jit(lambda x: jax.jit(jnp.tanh)(x) * jax.jit(jnp.sum)(x))(x),
    "jit_static": lambda x: jax.jit(lambda x, n: x**n, static_argnums=1)(x, 3),
    "jit_of_custom": lambda x: jax.jit(lambda x: half_derivative(jnp.sin(x)) * half_derivative(x))(x),
    "own_derivative": half_derivative,
    "two_operands": lambda x: two_operands(jnp.sin(x), x**2)[::2],
    "two_operands_one_constant": lambda x: two_operands(jnp.sin(x), jnp.arange(3.0))[0],
    "asymmetric": lambda x: asymmetric(jnp.sin(x), x),
    "static_argument": lambda x: with_static(x, 3),
    "custom_in_scan": lambda x: jax.lax.scan(lambda c, y: (half_derivative(c) * y, c), x, x),
    "own_softplus": lambda x: softplus(x) + jax.jit(softplus)(x),
    "own_softmax": softmax_of_its_own,
    "grad_inside": grad_inside,
    "jvp_inside": jvp_inside,
    "hessian_inside": hessian_inside,
    "checkpointed": checkpointed,
    "gradient_of_checkpointed": gradient_of_checkpointed,
    "vmapped": vmapped,
    "partial": functools.partial(lambda a, x: a * jnp.sin(x), 2.0),
    "linear_transpose": lambda x: jax.linear_transpose(lambda y: y * jnp.sin(x), x)(x**2),
    "named_scope": lambda x: jax.named_scope("layer")(lambda y: jnp.sin(y) * y)(x),
    "optimization_barrier": lambda x: jax.lax.optimization_barrier((x**2, jnp.arange(3), x))[0] * x,
    "fixed_random": lambda x: jax.random.normal(jax.random.key(0), (3,)) * x**2,
    "gamma_sample": lambda x: jax.random.gamma(jax.random.key(0), x + 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    assert_exact(CALLS[name], points(3))


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["plain", "jit"])
def test_elementwise_program_whose_derivative_mixes(wrap):
    a, b, c = coefficients(3)
    f, x = wrap(lambda x: mixing_derivative(jnp.sin(x) * x) ** 2), points(3)
    assert_close(dof.Operator(a, b, c)(f)(x), reference(a, b, c, f)(x))


def test_calls_that_change_precision():
    """Derivatives have the type of the result, so that loops, branches and concatenations fit."""
    x = points(3)
    assert dof.laplacian(narrowed)(x).dtype == jnp.float32
    uses = [
        lambda x: jnp.concatenate([narrowed(x), x.astype(jnp.float32)]),
        lambda x: jax.lax.cond(x[0] > 0, narrowed, lambda x: x.astype(jnp.float32), x),
        lambda x: jax.lax.scan(lambda c, _: (narrowed(c.astype(float)), None), x.astype(jnp.float32), length=2)[0],
    ]
    for f in uses:
        a, b, c = coefficients(3)
        assert_close(jax.jit(dof.Operator(a, b, c)(f))(x), reference(a, b, c, f)(x), tolerance=1e-5)


def test_composite():
    """JAX itself does not differentiate a composite; its program can be walked all the same."""
    a, b, c = coefficients(3)
    f = jax.lax.composite(lambda x: jnp.sin(x) * x, name="test.composite")
    assert_close(dof.Operator(a, b, c)(f)(points(3)), reference(a, b, c, lambda x: jnp.sin(x) * x)(points(3)))


def test_custom_vmap():
    @jax.custom_batching.custom_vmap
    def f(x):
        return jnp.sin(x) ** 2

    @f.def_vmap
    def _(axis_size, in_batched, xs):
        return jnp.sin(xs) ** 2, in_batched[0]

    a, b, c = coefficients(3)
    L, x = dof.Operator(a, b, c), points(3)
    assert_close(L(f)(x), reference(a, b, c, lambda x: jnp.sin(x) ** 2)(x))
    assert_close(L(lambda x: jax.vmap(f)(x) * x)(x), reference(a, b, c, lambda x: jnp.sin(x) ** 2 * x)(x))
    assert_close(jax.vmap(L(f))(x[None]), reference(a, b, c, lambda x: jnp.sin(x) ** 2)(x)[None])


def test_custom_vjp_is_differentiated_through_its_primal():
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x) * x

    f.defvjp(lambda x: (f(x), x), lambda x, t: (t * 100.0,))
    a, b, c = coefficients(3)
    x = points(3)
    expected = reference(a, b, c, lambda x: jnp.sin(x) * x)(x)
    assert_close(dof.Operator(a, b, c)(f)(x), expected)
    assert_close(dof.Operator(a, b, c)(jax.jit(lambda x: f(x)))(x), expected)


def test_shard_map():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = PartitionSpec("i")
    W = points(4, 4)

    def f(x):
        def local(x):
            return jnp.sin(x @ W), jax.lax.psum(jnp.sum(x**3), "i"), jnp.argmax(x, axis=1)

        return jax.shard_map(local, mesh=mesh, in_specs=spec, out_specs=(spec, PartitionSpec(), spec))(x)[:2]

    def plain(x):
        return jnp.sin(x @ W), jnp.sum(x**3)

    a, b, c = coefficients(8)
    x = points(2, 4)
    assert_close(jax.jit(dof.Operator(a, b, c)(f))(x), reference(a, b, c, plain)(x))
    traced = jax.jit(lambda a, x: dof.Operator(a, b, c)(f)(x))(a, x)
    assert_close(traced, reference(a, b, c, plain)(x))


def test_inside_shard_map():
    """The operator inside the map, with loops, elementwise and linear algebra, under vmap as well."""
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))

    def f(x):
        loop, _ = jax.lax.scan(lambda c, y: (c * y + jnp.sin(c), None), x[0], x)
        return loop + jnp.sum(jax.nn.gelu(x) ** 2.5) + jnp.linalg.slogdet(jnp.eye(3) + jnp.outer(x, x**2))[1]

    a, b, c = coefficients(3)
    spec, x = PartitionSpec("i"), points(2, 3)
    mapped = jax.shard_map(jax.vmap(dof.Operator(a, b, c)(f)), in_specs=spec, out_specs=spec)
    with jax.set_mesh(mesh):
        found = jax.jit(mapped)(jax.sharding.reshard(x, spec))
    assert_close(found, jax.vmap(reference(a, b, c, f))(x))


def test_effects_happen_once():
    seen = []

    def f(x):
        jax.debug.callback(lambda v: seen.append(float(v)), x[0])
        y, _ = jax.lax.scan(lambda c, y: (c * y, jax.debug.callback(lambda v: seen.append(float(v)), c)), x[1], x)
        return y

    dof.laplacian(f)(points(3))
    jax.effects_barrier()
    assert len(seen) == 4
    seen.clear()
    jax.jit(dof.laplacian(f))(points(3))
    jax.effects_barrier()
    assert len(seen) == 4


def test_effects_in_a_condition():
    seen = []

    def goes_on(c):
        jax.debug.callback(lambda v: seen.append(float(v)), c[1])
        return c[0] < 3

    def f(x):
        return jax.lax.while_loop(goes_on, lambda c: (c[0] + 1, c[1] * x[0]), (0, x[1]))[1]

    f(points(3))
    jax.effects_barrier()
    expected = len(seen)
    dof.laplacian(f)(points(3))
    jax.effects_barrier()
    assert len(seen) == 2 * expected


def test_prints_happen_once(capfd):
    def f(x):
        jax.debug.print("value {}", x[0])
        return jnp.sum(jnp.sin(x))

    dof.Operator(a=1.0, b=np.ones(3), c=1.0)(f)(points(3))
    jax.effects_barrier()
    assert capfd.readouterr().out.count("value") == 1
