"""Linear systems and determinants of jets, by solutions and products with the values only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp

from dof.jaxpr.first_order_rules import Function, each_direction
from dof.jaxpr.rules.determinant import scaled, turned_and_scaled
from dof.jaxpr.rules.gauss_jordan import slogdet_and_inverse
from dof.jets.jet import Jet, columns_of, stacked, values_of
from dof.symbols.span import Span


@runtime_checkable
class JetContext(Protocol):
    """What these rules need of the interpreter."""

    @property
    def span(self) -> Span:
        """What the columns are."""
        ...

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through a function of arrays that returns a list of arrays."""
        ...


def solution(
    context: JetContext, product: Function, solve: Function, matrix: Sequence[Any], b: Sequence[Any]
) -> list[Any]:
    """The jets of x with A x = b, where x and b are lists of arrays.

    Column i of A x is A_0 x_i plus terms with columns of x of lower degree. So columns are solved for degree by degree,
    from what the product of A with those of lower degree leaves of b.

    Args:
        context: the interpreter.
        product: (operands that A is made of, x) ↦ A x.
        solve: b ↦ A_0⁻¹ b at the values of A.
        matrix: the operands that A is made of.
        b: the right-hand side.
    """
    x = solve(*values_of(b))
    columns: list[dict[int, Any]] = [{} for _ in x]
    for degree in range(1, context.span.order + 1):
        wanted = [i for i, pivot in enumerate(context.span.pivots) if len(pivot) == degree]
        now = [stacked(value, found) for value, found in zip(x, columns, strict=True)]
        known = context.through(product, [*matrix, *now])
        rest = [_rest(value, of_b, of_x, wanted) for value, of_b, of_x in zip(x, b, known, strict=True)]
        for found, solved in zip(columns, each_direction(solve, *rest), strict=True):
            found.update(zip(wanted, solved, strict=True))
    return [stacked(value, found) for value, found in zip(x, columns, strict=True)]


def _rest(value: Any, b: Any, known: Any, wanted: Sequence[int]) -> Any:
    """The columns of b less those of a product, stacked; zeros where both have none."""
    zero, of_b, of_known = jnp.zeros_like(value), columns_of(b), columns_of(known)
    return jnp.stack([of_b.get(i, zero) - of_known.get(i, zero) for i in wanted])


def log_determinant(context: JetContext, matrix: Jet) -> list[Any]:
    """The sign of a determinant and the logarithm of its modulus; a real sign is constant.

    With M = M_0 (1 + E), log det M = log det M_0 + tr E − tr E² / 2 + tr E³ / 3 − …, where E has no value, so that its
    powers above the order of the operator vanish.
    """
    sign, value, inverted = slogdet_and_inverse(matrix.value)
    (moved,) = context.through(lambda m, i: [i @ m], [matrix, inverted])
    change = Jet(jnp.zeros_like(matrix.value), moved.parts, moved.columns)
    order = context.span.order

    def log_of_one_plus(e: Any) -> list[Any]:
        power, total = e, jnp.trace(e, axis1=-2, axis2=-1)
        for k in range(2, order + 1):
            power = power @ e
            total = total + jnp.trace(power, axis1=-2, axis2=-1) * ((-1) ** (k - 1) / k)
        return [total]

    (log,) = context.through(log_of_one_plus, [change])
    return context.through(turned_and_scaled if jnp.iscomplexobj(sign) else scaled, [sign, value, log])
