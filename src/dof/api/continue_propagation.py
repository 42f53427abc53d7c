"""`dof.continue_propagation`: a propagation that starts from given triples instead of from x."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.function_arguments import require_callable
from dof.options import CutChoice, Options, Structure
from dof.pipeline.order_two import propagate_seeds
from dof.promotion import own_promotion
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.seed import seed_of_triple
from dof.triples.triple import Triple

_FIX = "dof.continue_propagation(f)(dof.propagate(g, L)(x))"


def continue_propagation(
    f: Callable[..., Any], signs: Any = None, *, structure: Structure = "auto", cut: CutChoice = "auto"
) -> Callable[..., Any]:
    """f on triples, as if it were the last part of the function that gave them.

        dof.continue_propagation(g)(dof.propagate(h, L)(x))  equals  dof.propagate(lambda x: g(h(x)), L)(x)

    A `dof.Triple` may stand in place of any array in the arguments; all have the same number of directions. Other
    arguments are constant. Tangents that are NumPy arrays are looked at: only entries that are not zero are propagated.

    Args:
        f: a function of arrays.
        signs: (r,), the form Σ_k signs_k g_k h_k by which L sums over its directions: all +1 by default, as for the
            Laplacian; −1 for directions along which the second-order part of L is negative.
        structure: as in `L(f)`.
        cut: as in `L(f)`.

    Returns:
        A function of the arguments of f. Its results are triples; plain arrays where they do not depend on x.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> half = dof.propagate(jnp.sin, dof.laplacian)(jnp.array([0.0, 1.0]))
        >>> t = dof.continue_propagation(lambda y: jnp.sum(y**2))(half)
        >>> print(f"{t.applied:.4f} {dof.laplacian(lambda x: jnp.sum(jnp.sin(x) ** 2))(jnp.array([0.0, 1.0])):.4f}")
        1.1677 1.1677
    """
    require_callable(f)
    options = Options(structure, cut)

    @wraps(f)
    def continued(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_triple)
        places = [n for n, leaf in enumerate(leaves) if _is_triple(leaf)]
        triples = [_checked(leaves[n]) for n in places]
        form = QuadraticForm(_signs(signs, triples))
        with own_promotion():
            seeds = list(map(seed_of_triple, triples))

        @wraps(f)
        def of_triples(*values: Any) -> Any:
            filled = list(leaves)
            for n, value in zip(places, values, strict=True):
                filled[n] = value
            args, kwargs = jax.tree.unflatten(tree, filled)
            return f(*args, **kwargs)

        return propagate_seeds(of_triples, seeds, form, options).triples()

    return continued


def _is_triple(leaf: Any) -> bool:
    return isinstance(leaf, Triple)


def _checked(triple: Triple) -> Triple:
    """The triple, if its parts fit together."""
    shape = np.shape(triple.value)
    for name, part, axes in (("tangents", triple.tangents, 1), ("applied", triple.applied, 0)):
        if part is not None and (np.ndim(part) < axes or np.shape(part)[axes:] != shape):
            found = f"have a triple with {name} of shape {np.shape(part)}"
            expected = f"({'r, ' * axes}*shape) with the shape {shape} of its value, from one operator"
            raise ArgumentError(describe("args", found, expected, _FIX))
        if jnp.iscomplexobj(part) and not jnp.iscomplexobj(triple.value):
            found = f"have a triple of a real value with complex {name}"
            raise ArgumentError(describe("args", found, "real ones, from a real operator", _FIX))
    return triple


def _signs(signs: Any, triples: Sequence[Triple]) -> Any:
    """The weights (1, r) of the form."""
    counts = sorted({len(t.tangents) for t in triples if t.tangents is not None})
    if not triples:
        raise ArgumentError(describe("args", "have no triple", "at least one `dof.Triple`", _FIX))
    if len(counts) > 1:
        found = f"have triples of {', '.join(map(str, counts))} directions"
        raise ArgumentError(describe("args", found, "the same directions for all", _FIX))
    count = counts[0] if counts else 0
    weights = np.ones(count) if signs is None else signs if isinstance(signs, jax.Array) else np.asarray(signs)
    if weights.shape != (count,):
        found = f"have shape {weights.shape}"
        raise ArgumentError(describe("signs", found, f"({count},), one for each direction of the triples", _FIX))
    if jnp.iscomplexobj(weights):
        raise ArgumentError(describe("signs", "are complex", "real numbers, from a real operator", _FIX))
    return weights.astype(float)[None]
