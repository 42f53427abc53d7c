"""How each method computes an operator of an order above two at one point."""

from __future__ import annotations

from functools import partial, reduce
from operator import add, matmul
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.jet import jet

import dof
from dof.bench.cases.polynomial_operators import PolynomialOperator, PowerSum
from dof.jets.nested import apply_nested


def polynomial_in_dof(operator: PolynomialOperator) -> Any:
    """The operator as one of dof."""
    if operator.laplacians:
        return dof.laplacian**operator.laplacians
    each = dof.derivatives(operator.inputs)
    return reduce(add, (c * reduce(matmul, [each[i] for i in e]) for e, c in operator.monomials.items()))


def nested_dof(operator: PolynomialOperator, phi: Any) -> Any:
    """Operators of order two, one after the other, each by a propagation of its own."""
    return apply_nested(lambda factor, g: factor(g), polynomial_in_dof(operator), phi)


def nested_jvp(operator: PolynomialOperator, phi: Any) -> Any:
    """A nested jvp for each monomial; XLA joins what they have in common."""

    def apply(x: Any) -> Any:
        units = np.eye(operator.inputs, dtype=x.dtype)
        along = lambda g, i: lambda x: jax.jvp(g, (x,), (units[i],))[1]  # noqa: E731
        return sum(c * reduce(along, e, phi)(x) for e, c in operator.monomials.items())

    return apply


def by_jet(operator: PolynomialOperator, phi: Any) -> Any:
    """JAX's Taylor mode along each direction of the powers, all of equal order at once by `jax.vmap`."""

    def apply(x: Any) -> Any:
        return sum(_sum_of_powers(phi, x, powers) for powers in operator.powers)

    return apply


def _sum_of_powers(phi: Any, x: Any, powers: PowerSum) -> Any:
    found = jax.vmap(partial(_power_by_jet, phi, x, powers.order))(jnp.asarray(powers.rows, x.dtype))
    return jnp.sum(jnp.asarray(powers.weights, x.dtype) * found)


def _power_by_jet(phi: Any, x: Any, order: int, row: Any) -> Any:
    """The derivative of φ of this order along a direction."""
    return jet(phi, (x,), ((row, *[jnp.zeros_like(x)] * (order - 1)),))[1][order - 1]
