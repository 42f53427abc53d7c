"""(A·B)ᵀ written as Bᵀ·Aᵀ.

The gradient of x·W in W is xᵀ·ȳ, and JAX writes it as (ȳᵀ·x)ᵀ. On a CPU the first factor is copied with its axes in
another order, and all that leads to it is computed once more on the way: for tangents, ȳ is a sum over several arrays,
and x is one product. That made training steps a quarter slower.
"""

from __future__ import annotations

from jax import lax

from dof.jax_compat import Closed, JaxprEqn, map_programs, parts, shape_of, with_equations
from dof.jaxpr.program import use_counts
from dof.jaxpr.rules.matrix_product_order import with_factors_swapped


def reordered(jaxpr: Closed) -> Closed:
    """The program with each product A·B that is only used transposed replaced by Bᵀ·Aᵀ, also in inner programs."""
    program, _ = parts(jaxpr)
    uses = use_counts(jaxpr)
    transposes = {e.invars[0]: e for e in program.eqns if e.primitive is lax.transpose_p and uses[e.invars[0]] == 1}
    eqns, done = [], set()
    for eqn in program.eqns:
        transpose = transposes.get(eqn.outvars[0]) if eqn.primitive is lax.dot_general_p else None
        # Only where the transpose is the sole use of the product; otherwise both orders would be computed.
        if transpose and transpose.params["permutation"] == _swap_permutation(eqn):
            eqn, done = _swapped(eqn, transpose), done | {*transpose.outvars}
        elif not done.isdisjoint(eqn.outvars):
            continue
        eqns.append(eqn.replace(params=map_programs(reordered, eqn.params)))
    return with_equations(jaxpr, eqns)


def _swap_permutation(product: JaxprEqn) -> tuple[int, ...] | None:
    """The permutation of the result's axes that swapping the factors makes."""
    (contracted, _), (batch, _) = product.params["dimension_numbers"]
    # A sharding that is asked for names the axes in the old order.
    if product.params["out_sharding"] is not None:
        return None
    first, n = len(shape_of(product.invars[0])) - len(contracted), len(shape_of(product.outvars[0]))
    return (*range(len(batch)), *range(first, n), *range(len(batch), first))


def _swapped(product: JaxprEqn, transpose: JaxprEqn) -> JaxprEqn:
    """The product with its factors swapped, which writes the result of the transpose."""
    params = with_factors_swapped(product.params)
    return product.replace(invars=product.invars[::-1], outvars=transpose.outvars, params=params)
