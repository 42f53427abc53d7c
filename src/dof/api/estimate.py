"""Unbiased estimates of L f by random directions, for functions where even one exact propagation is too dear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from dof.api.apply import require_operators
from dof.directions.factor import SecondOrderPart, factor
from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.function_arguments import Argnums, require_argnums, require_callable
from dof.operators.coordinates import Coordinates
from dof.operators.higher_order import HigherOrder
from dof.pipeline.function_of_x import Call
from dof.pipeline.order_two import propagate_prepared
from dof.pipeline.prepare import prepare
from dof.triples.sampled_directions import random_choice, random_signs, sampled_part

DRAWS = {"signs": random_signs, "coordinates": random_choice}


def estimate(L: Any, samples: int = 16, along: str = "signs") -> Callable[..., Callable[..., Any]]:
    """An unbiased estimate of L f: second derivatives along a few random directions in place of all.

    `dof.estimate(L)(f)(key, x)` takes the arguments of f after a key of `jax.random`. First-order part and c are exact,
    and so is everything where the rank of A is not above `samples`. It costs samples + 2 columns, or twice that if A
    has eigenvalues of both signs or is known at run time only. The same key draws the same directions at every
    point: split it for points that shall be independent.

    Args:
        L: an operator of order two, or several by `dof.jointly`.
        samples: how many random directions.
        along: "signs" for sums of all directions of A with random signs (Hutchinson's estimator, with variance
            2 / samples · Σ_{k ≠ l} H_kl², H the Hessian in these directions); "coordinates" for some of the directions
            themselves, none of them twice, which is better where the diagonal of H is nearly constant.

    Returns:
        A function like L: of f and `argnums`.

    Raises:
        ArgumentError: If L is of an order above two, or `samples` is no positive integer.

    Examples:
        >>> import dof, jax, jax.numpy as jnp
        >>> f = lambda x: jnp.sum(jnp.sin(x)) + x[0] * x[1]
        >>> x = jnp.zeros(1000).at[0].set(1.0)
        >>> print(f"{dof.laplacian(f)(x):.3f}")
        -0.841
        >>> print(abs(dof.estimate(dof.laplacian, samples=8)(f)(jax.random.key(0), x) + 0.841) < 3)
        True
    """
    _require(L, samples, along)

    def estimated(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
        require_callable(f)
        require_argnums(argnums)

        def applied(key: Any, *args: Any, **kwargs: Any) -> Any:
            _require_key(key)

            def sampled(terms: Any, n: int) -> SecondOrderPart:
                return sampled_part(factor(terms, n), DRAWS[along](key, samples), samples)

            call = Call(f, args, kwargs, argnums)
            x = call.x
            coordinates = Coordinates.of(x)
            each = [operator.at(x, coordinates) for operator in L._operators()]
            return L._read(propagate_prepared(prepare(each, coordinates, sampled), call))

        return applied

    return estimated


def _require(L: Any, samples: object, along: object) -> None:
    require_operators(L, "dof.estimate(dof.laplacian)(f)(key, x)")
    if any(isinstance(operator, HigherOrder) for operator in L._operators()):
        found, fix = "has an order above two", "L(f)(x), which is exact"
        raise ArgumentError(describe("L", found, "an operator of order two", fix))
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        fix = "dof.estimate(L, samples=16)"
        raise ArgumentError(describe("samples", f"is {shown(samples)}", "a positive integer", fix))
    if along not in DRAWS:
        expected = f"one of {', '.join(map(repr, DRAWS))}"
        raise ArgumentError(describe("along", f"is {shown(along)}", expected, 'dof.estimate(L, along="signs")'))


def _require_key(key: Any) -> None:
    """Refuse x in the place of the key."""
    if not hasattr(key, "dtype") or jnp.issubdtype(key.dtype, jnp.inexact):
        found, fix = f"is {shown(key)}", "dof.estimate(L)(f)(jax.random.key(0), x)"
        raise ArgumentTypeError(describe("key", found, "a key of `jax.random` before the arguments of f", fix))
