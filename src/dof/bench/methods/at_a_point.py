"""How each method computes an operator at one point: from L and φ it makes the function x ↦ L φ(x)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.jet import jet

import dof
from dof.api.nested_autodiff import contract_dense
from dof.bench.cases.factored_operators import FactoredOperator
from dof.bench.cases.polynomial_operators import PolynomialOperator
from dof.bench.methods.any_order_at_a_point import polynomial_in_dof
from dof.operators.coordinates import Coordinates

Phi = Callable[[Any], Any]
PointMethod = Callable[[Any, Phi], Phi]
"""From an operator of the order that the method is for, and φ, to L φ."""

DRAWN = 16
"""Coordinates that the estimator draws: the batch size of STDE's own experiments with many inputs."""


def operator_of(operator: FactoredOperator | PolynomialOperator) -> Any:
    """The operator as one of dof."""
    if isinstance(operator, PolynomialOperator):
        return polynomial_in_dof(operator)
    return dof.Operator(a=1.0 if operator.is_laplacian else operator.matrix, b=operator.first)


def by_hessian(operator: FactoredOperator, phi: Phi) -> Phi:
    """The full Hessian by `jax.hessian`, contracted with A."""
    evaluated = operator_of(operator)

    def apply(x: Any) -> Any:
        # Not computed where the operator has no first derivatives: the Hessian's time must not contain it.
        gradient = None if operator.first is None else jax.grad(phi)(x)
        value = phi(x)
        # Reverse differentiation, which `jax.hessian` begins with, refuses complex results.
        hessian = jax.jacfwd(jax.jacfwd(phi)) if jnp.iscomplexobj(value) else jax.hessian(phi)
        return contract_dense(evaluated.at(x, Coordinates.of(x)), value, gradient, hessian(x))

    return apply


def hessian_vector_product(phi: Phi, x: Any, direction: Any) -> Any:
    """The second derivative of φ along a direction, forward over reverse."""
    return direction @ jax.jvp(jax.grad(phi), (x,), (direction,))[1]


def jvp_of_jvp(phi: Phi, x: Any, direction: Any) -> Any:
    """The second derivative of φ along a direction, forward over forward."""
    slope = lambda x: jax.jvp(phi, (x,), (direction,))[1]  # noqa: E731
    return jax.jvp(slope, (x,), (direction,))[1]


def second_of_jet(phi: Phi, x: Any, direction: Any) -> Any:
    """The second derivative of φ along a direction, by JAX's Taylor mode."""
    return jet(phi, (x,), ((direction, jnp.zeros_like(x)),))[1][1]


def along_all(second: Callable[[Phi, Any, Any], Any]) -> PointMethod:
    """Σ_k sign_k second(φ, x, row_k), all directions at once by `jax.vmap`."""

    def method(operator: FactoredOperator, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            found = jax.vmap(partial(second, phi, x))(jnp.asarray(operator.directions, x.dtype))
            applied = jnp.sum(jnp.asarray(operator.all_signs, x.dtype) * found)
            return applied + _first_order(operator, phi, x)

        return apply

    return method


def one_by_one(second: Callable[[Phi, Any, Any], Any]) -> PointMethod:
    """Σ_k sign_k second(φ, x, row_k), in a loop over the directions."""

    def method(operator: FactoredOperator, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            row = _row_of(operator, x.dtype)
            signs = jnp.asarray(operator.all_signs, x.dtype)
            # One direction at a time: the memory is that of a single Hessian-vector product.
            found = lax.map(lambda k: signs[k] * second(phi, x, row(k)), jnp.arange(len(signs)))
            return jnp.sum(found) + _first_order(operator, phi, x)

        return apply

    return method


def _row_of(operator: FactoredOperator, dtype: Any) -> Callable[[Any], Any]:
    """The function k ↦ row_k. Rows of the identity are made one by one, since all N² entries may not fit."""
    if operator.is_laplacian:
        return lambda k: jax.nn.one_hot(k, operator.inputs, dtype=dtype)
    rows = jnp.asarray(operator.directions, dtype)
    return lambda k: rows[k]


def _first_order(operator: FactoredOperator, phi: Phi, x: Any) -> Any:
    """The part b · ∇φ by one jvp."""
    return 0.0 if operator.first is None else jax.jvp(phi, (x,), (jnp.asarray(operator.first, x.dtype),))[1]


def by_folx(threshold: float) -> PointMethod:
    """The forward Laplacian of folx; another operator is a Laplacian of y ↦ φ(x + S y), or the difference of two.

    Args:
        threshold: folx's `sparsity_threshold`.
    """
    import folx  # pyright: ignore[reportMissingImports]

    def laplacian(phi: Phi, x: Any) -> Any:
        return folx.forward_laplacian(phi, sparsity_threshold=threshold)(x).laplacian

    def along_rows(phi: Phi, x: Any, rows: Any) -> Any:
        rows = jnp.asarray(rows, x.dtype)
        # Rows of a block move the inputs of this block only: folx finds this sparsity in the product.
        moved = lambda y: phi(x + jnp.einsum("bri,br->bi", rows, y).ravel())  # noqa: E731
        return laplacian(moved, jnp.zeros(rows.shape[:2], x.dtype))

    def method(operator: FactoredOperator, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            if operator.is_laplacian:
                return laplacian(phi, x)
            parts = [(sign, operator.rows_of_sign(sign)) for sign in (1, -1)]
            applied = sum(sign * along_rows(phi, x, rows) for sign, rows in parts if rows is not None)
            return applied + _first_order(operator, phi, x)

        return apply

    return method


def by_estimate(operator: FactoredOperator, phi: Phi) -> Phi:
    """The Laplacian estimated from coordinates drawn at random, as in STDE: N / drawn · Σ ∂_i² φ.

    The coordinates are drawn while tracing, the same for all points, so that drawing them costs no time.
    """
    drawn = np.random.default_rng(0).choice(operator.inputs, DRAWN, replace=False)

    def apply(x: Any) -> Any:
        directions = jax.nn.one_hot(drawn, operator.inputs, dtype=x.dtype)
        return operator.inputs / DRAWN * jnp.sum(jax.vmap(partial(second_of_jet, phi, x))(directions))

    return apply
