"""The coefficients a, b, c of an operator at x, whatever form they were given in, as arrays over the N coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import concatenate
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, Matrix, arrays_of, map_entries
from dof.errors import ArgumentError, describe
from dof.jax_compat import concrete
from dof.operators.coefficient_checks import as_array
from dof.operators.coordinates import Coordinates
from dof.operators.user_matrices import BlockDiagonal, Factored
from dof.promotion import own_promotion
from dof.typing import Array


class Coefficients(NamedTuple):
    """The coefficients of one operator at x; None for what is absent.

    Attributes:
        a: the second-order part, as a sum of matrices (N, N).
        b: (N,).
        c: a scalar.
    """

    a: tuple[Matrix, ...]
    b: Array | None
    c: Array | None

    def real_channels(self) -> list[tuple[complex, Coefficients]]:
        """Split into real operators: (w_k, L_k) pairs with L = Σ_k w_k L_k + c, one if a and b are real, else two."""
        arrays = [*(array for matrix in self.a for array in arrays_of(matrix)), *([] if self.b is None else [self.b])]
        if not any(map(jnp.iscomplexobj, arrays)):
            return [(1.0, self)]
        # Directions are real, so a complex operator is propagated as two real ones; `Reading` puts them together.
        return [(1.0, self._each(lambda v: v.real)), (1j, self._each(lambda v: v.imag))]

    def _each(self, part: Callable[[Any], Any]) -> Coefficients:
        # Without c: it multiplies the value once, when the whole operator is read off (`Reading.c`).
        return Coefficients(tuple(map_entries(part, m) for m in self.a), None if self.b is None else part(self.b), None)


def known(value: Any) -> Any:
    """The value as a float64 NumPy array if it is known while tracing, else as it is."""
    array = concrete(value)
    return value if array is None else array


def read_a(a: Any, coordinates: Coordinates) -> Matrix:
    """Read `a`, evaluated at x: a scalar, a diagonal, a dense matrix, `Factored` or `BlockDiagonal`."""
    n = coordinates.size
    if isinstance(a, Factored):
        rows, columns = np.shape(a.L)
        # Of A = σ σᵀ the factor is σᵀ.
        fix = "dof.Factored(L.T), for A = L @ L.T" if rows == n else None
        _require_columns(columns, coordinates, "Factored", "(r, N)", fix)
        return LowRank(known(a.L), known(a.signs))
    if isinstance(a, BlockDiagonal):
        covered = sum(np.shape(s)[0] * np.shape(s)[1] for s in a.stacks)
        _require_columns(covered, coordinates, "blocks", "blocks that fill N × N")
        return _blocks(a.stacks, coordinates)
    if not coordinates.is_array and coordinates.has_structure_of(a):
        return Diagonal(_flatten(a))
    array = known(as_array("a", a))
    whole = coordinates.shapes[0] if coordinates.is_array else (n,)
    if array.ndim == 0:
        return Diagonal(_repeated(array, n))
    # No conflict with (n, n) below: x of that shape has n² coordinates, so n = 1, where both mean the same.
    if array.shape in ((n,), whole):
        return Diagonal(array.reshape(n))
    if array.shape in ((n, n), (*whole, *whole)):
        # Read again, because `known` has made it float64: `_blocks` looks at the precision that the user gave it in.
        return _blocks((as_array("a", a).reshape(1, n, n),), coordinates)
    expected = f"(), ({n},) for a diagonal or ({n}, {n}), {_because(coordinates)}"
    raise ArgumentError(describe("a", f"has shape {array.shape}", expected, _fix(f"a=jnp.eye({n})")))


def _repeated(scalar: Array, n: int) -> Array:
    return np.full(n, scalar) if isinstance(scalar, np.ndarray) else jnp.broadcast_to(scalar, (n,))


def _because(coordinates: Coordinates) -> str:
    return f"because x has {coordinates.size} coordinates (its shape is {', '.join(map(str, coordinates.shapes))})"


def _fix(coefficient: str) -> str:
    others = "jax.vmap(L(f))(x) for a batch; L(f, argnums=1)(params, x) for another argument"
    return f"{others}; or dof.Operator({coefficient})"


def _require_columns(found: int, coordinates: Coordinates, argument: str, form: str, fix: str | None = None) -> None:
    if found != coordinates.size:
        expected = f"{form} with N = {coordinates.size}, {_because(coordinates)}"
        fix = fix or _fix(f"a=jnp.eye({coordinates.size})")
        raise ArgumentError(describe(argument, f"is over {found} coordinates", expected, fix))


def _blocks(stacks: Sequence[Array], coordinates: Coordinates) -> Blocks:
    """The symmetric parts of the stacks.

    Eigenvalues below the rounding of float32 count as zero only if both A and x are in single precision.
    """
    dtypes = [*(s.dtype for s in stacks), *coordinates.dtypes]
    is_single = all(jnp.issubdtype(d, jnp.inexact) and jnp.finfo(d).bits <= 32 for d in dtypes)
    # Floating first: integers of few bits would overflow in the sum, and booleans would add to True.
    symmetric = tuple((s + s.swapaxes(1, 2)) / 2 for s in map(_floating, stacks))
    return Blocks(symmetric, float(np.finfo(np.float32 if is_single else np.float64).eps))


def _floating(stack: Array) -> Array:
    return known(stack if jnp.issubdtype(stack.dtype, jnp.inexact) else stack * 1.0)


def read_b(b: Any, coordinates: Coordinates) -> Array:
    """Read `b`, evaluated at x, as a vector (N,)."""
    n = coordinates.size
    if not coordinates.is_array and coordinates.has_structure_of(b):
        return _flatten(b)
    array = known(as_array("b", b))
    shapes = {(n,), *(coordinates.shapes if coordinates.is_array else ()), *([()] if n == 1 else [])}
    if array.shape not in shapes:
        expected = f"({n},) or the shape of x, {_because(coordinates)}"
        fix = f"{_fix(f'b=jnp.ones({n})')}; or dof.derivatives({n}), if it was made of derivatives"
        raise ArgumentError(describe("b", f"has shape {array.shape}", expected, fix))
    return array.reshape(n)


def read_c(c: Any, argument: str = "c") -> Array:
    """Read `c`, evaluated at x, as a scalar."""
    array = known(as_array(argument, c))
    if array.shape != ():
        found = f"has shape {array.shape}"
        fix = f"jax.vmap(L(f))(x) or dof.batched(L(f))(x) for a batch; or {argument} = lambda x: jnp.sum(x**2)"
        raise ArgumentError(describe(argument, found, "a scalar, or a function of x that returns one", fix))
    return array


def _flatten(tree: Any) -> Array:
    leaves = [known(as_array("leaf", leaf)).reshape(-1) for leaf in jax.tree.leaves(tree)]
    with own_promotion():
        return concatenate([np.zeros(0), *leaves])
