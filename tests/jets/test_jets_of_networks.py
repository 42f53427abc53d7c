"""Operators of order three, four and six of networks as people write them, and what they cost."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.jax_compat import inner_programs, parts
from networks import NETWORKS, mlp, mlp_params
from oracle import assert_close, nested, operator_of

KDV = {(0, 0, 0): 1.0, (1,): 1.0}
MIXED = {(0, 0, 0, 0): 1.0, (0, 0, 1, 1): 2.0, (1, 1, 1, 1): 1.0, (2,): -3.0}
SIX = {(0,) * 6: 1.0, (1, 1, 1): 0.5}


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        *((name, [KDV, MIXED, SIX]) for name in ("mlp", "fourier_features", "deep_by_scan")),
        *((name, [KDV, {(0, 0, 0, 0): 1.0, (1, 1): 2.0}]) for name in ("transformer_block", "wave_function")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_networks(name, terms):
    f, params, x = NETWORKS[name]
    operators = [operator_of(t, x.size) for t in terms]

    @jax.jit
    def both(params, v):
        of_point = lambda v: f(params, v.reshape(x.shape))  # noqa: E731
        return dof.jointly(*operators)(of_point)(v), [nested(of_point, v, t) for t in terms]

    found, expected = both(params, x.ravel())
    assert_close(found, expected, 1e-9)


@pytest.fixture(scope="module")
def small():
    return mlp_params([2, 8, 8, 1]), jnp.array([[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]])


def test_gradients_in_parameters_and_in_x(small):
    params, x = small
    L, terms = dof.laplacian**2, {(0, 0, 0, 0): 1.0, (0, 0, 1, 1): 2.0, (1, 1, 1, 1): 1.0}

    @jax.jit
    def both(params, x):
        by_dof = jax.grad(lambda p, x: L(mlp, argnums=1)(p, x) ** 2, argnums=(0, 1))
        by_jvp = jax.grad(lambda p, x: nested(lambda x: mlp(p, x), x, terms) ** 2, argnums=(0, 1))
        return by_dof(params, x), by_jvp(params, x)

    found, expected = both(params, x[0])
    assert_close(found, expected, 1e-9)


def test_many_points_in_blocks_and_their_loss(small):
    params, x = small
    dx, dt = dof.derivatives(2)
    residual = (dt + dx**3)(mlp, argnums=1)
    loss = lambda params, x: residual(params, x) ** 2  # noqa: E731

    @jax.jit
    def all_ways(params, x):
        plain = jax.vmap(residual, in_axes=(None, 0))
        blocks = dof.batched(residual, in_axes=(None, 0), chunk=2)(params, x)
        expected = jax.vmap(lambda x: nested(lambda x: mlp(params, x), x, KDV))(x)
        mean = jax.value_and_grad(lambda params: jnp.mean(plain(params, x) ** 2))(params)
        return (plain(params, x), blocks, dof.value_and_grad(loss, chunk=2)(params, x)), (expected, expected, mean)

    found, expected = all_ways(params, x)
    assert_close(found, expected, 1e-9)


def test_single_precision_is_no_worse_than_nested_jvp():
    params, x = jax.tree.map(lambda a: a.astype(np.float32), (mlp_params([2, 32, 32, 1]), jnp.array([0.3, -0.2])))
    all_terms = [KDV, {(0, 0, 0, 0): 1.0, (0, 0, 1, 1): 2.0}, SIX]

    def both(params, x):
        f = lambda x: mlp(params, x)  # noqa: E731
        return [operator_of(t, 2)(f)(x) for t in all_terms], [nested(f, x, t) for t in all_terms]

    by_dof, by_jvp = jax.jit(both)(params, x)
    exact, _ = jax.jit(both)(*jax.tree.map(lambda a: a.astype(np.float64), (params, x)))
    assert [found.dtype for found in by_dof] == [np.float32] * 3
    for found, other, right in zip(by_dof, by_jvp, exact, strict=True):
        assert abs(found - right) <= 2 * abs(other - right) + 3e-6 * abs(right)


def dot_flops(f, *args):
    """Operations of the matrix products of a program, from their shapes."""

    def of(jaxpr):
        total = 0
        for eqn in jaxpr.eqns:
            total += sum(of(parts(inner)[0]) for inner in inner_programs(eqn.params))
            if eqn.primitive.name == "dot_general":
                (contracted, _), _ = eqn.params["dimension_numbers"]
                total += 2 * eqn.outvars[0].aval.size * np.prod([eqn.invars[0].aval.shape[a] for a in contracted])
        return total

    return of(jax.make_jaxpr(f)(*args).jaxpr)


@pytest.mark.parametrize(
    ("operator", "d", "columns", "limit"),
    [
        (dof.derivatives(2)[1] + dof.derivatives(2)[0] ** 3, 2, 4, 1.15),
        (dof.laplacian**2, 2, 9, 1.15),
        (dof.laplacian**2, 3, 14, 1.15),
        (dof.laplacian**3, 2, 16, 1.15),
        (dof.laplacian**3, 3, 30, 1.25),  # 1.10 as written; XLA computes powers anew for each column that reads them
    ],
    ids=["KdV", "biharmonic, 2-D", "biharmonic, 3-D", "triharmonic, 2-D", "triharmonic, 3-D"],
)
def test_matrix_products_cost_so_many_networks_as_there_are_columns(operator, d, columns, limit):
    params, x = mlp_params([d, 64, 64, 1]), jnp.ones((3, d))
    each = jax.vmap(operator(mlp, argnums=1), in_axes=(None, 0))
    network = dot_flops(jax.vmap(mlp, in_axes=(None, 0)), params, x)
    first_layer = 2 * 3 * 64 * d
    assert dot_flops(each, params, x) <= columns * (network - first_layer) + 2 * first_layer
    # All operations together: elementwise ones are few.
    wide, point = mlp_params([d, 256, 256, 256, 1]), jnp.ones((3, d))
    count = lambda f: jax.jit(jax.vmap(f, (None, 0))).lower(wide, point).compile().cost_analysis()["flops"]  # noqa: E731
    assert count(operator(mlp, argnums=1)) <= limit * columns * count(mlp)
