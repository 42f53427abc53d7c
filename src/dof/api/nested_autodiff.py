"""The reference for everything in dof: an operator applied by nested automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from dof.directions.matrix_forms import Diagonal, Matrix, dense
from dof.errors import NotEnoughMemoryError, describe
from dof.function_arguments import Argnums, split_arguments
from dof.jets.nested import apply_nested
from dof.machine_info import free_bytes
from dof.operators.coefficients import Coefficients
from dof.operators.coordinates import Coordinates
from dof.pipeline.prepare import HasCoefficients

MOST_AT_ONCE = 512
"""Coordinates up to which all rows of a Hessian are computed at once. 10,000 inputs and 64 units would take 51 GB."""


def nested_autodiff(L: Any, f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """L f from the full gradient and Hessian of f; forward over forward, which every differentiable function has.

    An operator of an order above two is applied factor by factor, each to the function that the next one gives.

    Args:
        L: an operator.
        f: a function of any arguments that returns an array or a pytree of arrays.
        argnums: the argument or arguments of f that L differentiates.

    Returns:
        The function of the arguments of f whose result has the shape of the result of f.
    """
    return apply_nested(lambda factor, g: _of_order_two(factor, g, argnums), L, f)


def _of_order_two(L: HasCoefficients, f: Callable[..., Any], argnums: Argnums) -> Callable[..., Any]:
    def reference(*args: Any, **kwargs: Any) -> Any:
        x, put_back = split_arguments(args, argnums)
        coordinates = Coordinates.of(x)
        # One vector, in the highest precision of the leaves; `Coordinates.point` gives each leaf its own dtype back.
        point = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(x)])

        def of_vector(vector: Any) -> Any:
            return f(*put_back(coordinates.point(vector)), **kwargs)

        coefficients, value = L.at(x, coordinates), of_vector(point)
        # What is not read is not computed: it would double the orders of operators that are applied to this one.
        gradient = value if coefficients.b is None else jax.jacfwd(of_vector)(point)
        hessian = _hessian(of_vector, point) if coefficients.a else value
        return jax.tree.map(partial(contract_dense, coefficients), value, gradient, hessian)

    return reference


def _hessian(f: Callable[..., Any], x: Any) -> Any:
    """The second derivatives of f, leaves of shape (*s, N, N): forward over forward, row by row where N is large."""
    _require_room(x)
    slopes = jax.jacfwd(f)
    if x.size <= MOST_AT_ONCE:
        return jax.jacfwd(slopes)(x)
    along = lambda i: jax.jvp(slopes, (x,), (jax.nn.one_hot(i, x.size, dtype=x.dtype),))[1]  # noqa: E731
    return jax.tree.map(lambda rows: jnp.moveaxis(rows, 0, -1), jax.lax.map(along, jnp.arange(x.size)))


def _require_room(x: Any) -> None:
    """Refuse an x so long that a Hessian over it does not fit into the memory; it is copied once."""
    needed = 2 * x.dtype.itemsize * x.size**2
    if x.size > MOST_AT_ONCE and needed > (free := free_bytes()):
        found = f"has {x.size:,} coordinates, whose Hessian takes {needed / 1e9:,.0f} GB of {free / 1e9:.0f} GB"
        fix = "dof.check with a smaller network of the same kind; L(f)(x) itself needs no Hessian"
        raise NotEnoughMemoryError(describe("x", found, "fewer coordinates", fix))


def contract_dense(coefficients: Coefficients, value: Any, gradient: Any, hessian: Any) -> Any:
    """Σ_ij a_ij ∂²f/∂x_i∂x_j + Σ_i b_i ∂f/∂x_i + c f at one point.

    Args:
        coefficients: a, b and c at the point.
        value: f, of any shape s.
        gradient: the first derivatives, of shape (*s, N); not read if b is absent.
        hessian: the second derivatives, of shape (*s, N, N); not read if a is absent.

    Returns:
        An array of shape s.
    """
    parts = [_contract_matrix(matrix, hessian) for matrix in coefficients.a]
    parts += [] if coefficients.b is None else [jnp.sum(coefficients.b * gradient, axis=-1)]
    parts += [] if coefficients.c is None else [coefficients.c * value]
    return sum(parts, jnp.zeros_like(value))


def _contract_matrix(matrix: Matrix, hessian: Any) -> Any:
    if isinstance(matrix, Diagonal):  # never builds the N × N matrix, which is large where the Hessian just fits
        return jnp.sum(matrix.entries * jnp.diagonal(hessian, axis1=-2, axis2=-1), axis=-1)
    return jnp.sum(dense(matrix) * hessian, axis=(-2, -1))
