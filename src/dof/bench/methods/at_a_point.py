"""The ways to compute an operator: each takes coefficients and φ(x) and gives x ↦ L φ(x)."""

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
from dof.bench.cases.factored_operators import Coefficients

Phi = Callable[[Any], Any]
Way = Callable[[Coefficients, Phi], Phi]

DRAWN = 16
"""Coordinates of the estimator."""


def by_hessian(coefficients: Coefficients, phi: Phi) -> Phi:
    def apply(x: Any) -> Any:
        hessian = jax.hessian(phi)(x)
        if coefficients.is_laplacian:
            return jnp.trace(hessian)
        applied = jnp.sum(jnp.asarray(coefficients.matrix, x.dtype) * hessian)
        return _with_first_order(coefficients, phi, x, applied)

    return apply


def _with_first_order(coefficients: Coefficients, phi: Phi, x: Any, applied: Any) -> Any:
    if coefficients.first is None:
        return applied
    return applied + jax.jvp(phi, (x,), (jnp.asarray(coefficients.first, x.dtype),))[1]


def product_with_hessian(phi: Phi, x: Any, direction: Any) -> Any:
    return direction @ jax.jvp(jax.grad(phi), (x,), (direction,))[1]


def jvp_of_jvp(phi: Phi, x: Any, direction: Any) -> Any:
    slope = lambda x: jax.jvp(phi, (x,), (direction,))[1]  # noqa: E731
    return jax.jvp(slope, (x,), (direction,))[1]


def second_of_jet(phi: Phi, x: Any, direction: Any) -> Any:
    return jet(phi, (x,), ((direction, jnp.zeros_like(x)),))[1][1]


def along_all(second: Callable[[Phi, Any, Any], Any]) -> Way:
    """Σ_k sign_k of second derivatives along the directions, all at once."""

    def way(coefficients: Coefficients, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            found = jax.vmap(partial(second, phi, x))(jnp.asarray(coefficients.directions, x.dtype))
            applied = jnp.sum(jnp.asarray(coefficients.all_signs, x.dtype) * found)
            return _with_first_order(coefficients, phi, x, applied)

        return apply

    return way


def one_by_one(second: Callable[[Phi, Any, Any], Any]) -> Way:
    """The same in a loop over the directions, which are made on the way where they are coordinates."""

    def way(coefficients: Coefficients, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            row = _row_of(coefficients, x.dtype)
            signs = jnp.asarray(coefficients.all_signs, x.dtype)
            found = lax.map(lambda k: signs[k] * second(phi, x, row(k)), jnp.arange(len(signs)))
            return _with_first_order(coefficients, phi, x, jnp.sum(found))

        return apply

    return way


def _row_of(coefficients: Coefficients, dtype: Any) -> Callable[[Any], Any]:
    if coefficients.is_laplacian:
        return lambda k: jax.nn.one_hot(k, coefficients.inputs, dtype=dtype)
    rows = jnp.asarray(coefficients.directions, dtype)
    return lambda k: rows[k]


def by_folx(threshold: int) -> Way:
    """folx knows Laplacians: other operators are Laplacians of y ↦ φ(x + S y), or the difference of two."""
    import folx  # pyright: ignore[reportMissingImports]

    def laplacian(phi: Phi, x: Any) -> Any:
        return folx.forward_laplacian(phi, sparsity_threshold=threshold)(x).laplacian

    def shifted(phi: Phi, x: Any, rows: Any) -> Any:
        rows = jnp.asarray(rows, x.dtype)
        moved = lambda y: phi(x + jnp.einsum("bri,br->bi", rows, y).ravel())  # noqa: E731
        return laplacian(moved, jnp.zeros(rows.shape[:2], x.dtype))

    def way(coefficients: Coefficients, phi: Phi) -> Phi:
        def apply(x: Any) -> Any:
            if coefficients.is_laplacian:
                return laplacian(phi, x)
            parts = [(sign, coefficients.of_sign(sign)) for sign in (1, -1)]
            applied = sum(sign * shifted(phi, x, rows) for sign, rows in parts if rows is not None)
            return _with_first_order(coefficients, phi, x, applied)

        return apply

    return way


def by_estimate(coefficients: Coefficients, phi: Phi) -> Phi:
    """As in STDE: the mean over coordinates drawn at random, the same for all points; drawing them costs nothing."""
    drawn = np.random.default_rng(0).choice(coefficients.inputs, DRAWN, replace=False)

    def apply(x: Any) -> Any:
        directions = jax.nn.one_hot(drawn, coefficients.inputs, dtype=x.dtype)
        return coefficients.inputs / DRAWN * jnp.sum(jax.vmap(partial(second_of_jet, phi, x))(directions))

    return apply


def operator_of(coefficients: Coefficients) -> dof.Operator:
    a = 1.0 if coefficients.is_laplacian else coefficients.matrix
    return dof.Operator(a=a, b=coefficients.first)
