"""The reference numbers that every result is compared with: nested differentiation in float64, in blocks of points."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.bench.cases.case import AnyOperator, Case
from dof.bench.methods.any_order_at_a_point import nested_jvp
from dof.bench.methods.at_a_point import by_hessian, jvp_of_jvp, one_by_one
from dof.bench.methods.method_table import residual_at_a_point
from dof.bench.methods.pde_at_a_point import hessian, residual_from

POINTS_IN_A_BLOCK = 8
"""Few, so that the reference fits the memory wherever some method does."""
FORWARD_POINTS = 16
"""Points compared if each has a result of its own: enough to see an error that is not confined to one point."""


def points_compared(case: Case, points: int) -> int:
    """How many of the points the reference is computed for."""
    return min(points, FORWARD_POINTS) if case.task == "forward" else points


def reference_result(case: Case, operator: AnyOperator, weights: Any, x: Any) -> Any:
    """The result of the case's task, for weights and points in float64; needs x64 enabled."""
    by_hand = case.network.laplacian
    if case.kind == "pde":
        return jax.jit(partial(_step, residual_at_a_point(case, operator, residual_from(hessian))))(weights, x)
    # One direction at a time: the Hessian of a wave function of 32 electrons needs 20 GB. A loop over directions would
    # keep all of them for the gradient of a step.
    of_order_two = one_by_one(jvp_of_jvp) if case.task == "forward" else by_hessian
    method = nested_jvp if case.kind == "higher" else of_order_two
    residual = _by_hand(case, by_hand) if by_hand else residual_at_a_point(case, operator, method)
    if case.task == "forward":
        return jax.jit(lambda w, x: lax.map(partial(residual, w), x, batch_size=POINTS_IN_A_BLOCK))(weights, x)
    return jax.jit(partial(_step, residual))(weights, x)


def _by_hand(case: Case, laplacian: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda weights, x: case.residual(case.network.phi(weights, x), laplacian(weights, x))


def _step(residual: Callable[[Any, Any], Any], weights: Any, x: Any) -> Any:
    """Loss and gradient, summed block by block."""
    of_points = jax.vmap(residual, in_axes=(None, 0))
    of_block = jax.value_and_grad(lambda weights, x: jnp.mean(of_points(weights, x) ** 2))
    # A scan instead of a vmap: the Hessians of one block are alive at a time.
    add = lambda sums, x: (jax.tree.map(jnp.add, sums, of_block(weights, x)), None)  # noqa: E731
    blocks = x.reshape(-1, math.gcd(len(x), POINTS_IN_A_BLOCK), x.shape[1])
    sums, _ = lax.scan(add, (jnp.zeros(()), jax.tree.map(jnp.zeros_like, weights)), blocks)
    return jax.tree.map(lambda part: part / len(blocks), sums)


def deviation(result: list[np.ndarray], reference: list[np.ndarray]) -> float:
    """The largest difference in any array, relative to the largest entry of the reference for that array.

    A result may have more points than the reference; these are not compared.
    """

    def difference(found: np.ndarray, expected: np.ndarray) -> float:
        found = np.asarray(found)[: len(expected)] if np.ndim(expected) else np.asarray(found)
        # Where the reference is zero everywhere the difference counts as it is.
        return float(np.max(np.abs(found - expected)) / (np.max(np.abs(expected)) or 1))

    return max(difference(*pair) for pair in zip(result, reference, strict=True))
