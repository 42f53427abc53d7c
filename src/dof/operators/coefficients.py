"""The coefficients of an operator at x, whatever form they were given in, as arrays over the N coordinates of x."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.jax_compat import concrete
from dof.operators.coordinates import Space
from dof.operators.matrices import BlockDiagonal, Factored, as_array
from dof.typing import Array


class Diagonal(NamedTuple):
    """Entries (N,) of a diagonal A."""

    entries: Array


class Blocks(NamedTuple):
    """Square blocks along the diagonal, in stacks (m, b, b) of equal ones. A dense A is one block.

    `rounding` is the relative precision of the entries: an eigenvalue below it is zero.
    """

    stacks: tuple[Array, ...]
    rounding: float


class Rows(NamedTuple):
    """A = Σ_k weights_k row_k row_kᵀ."""

    rows: Array
    weights: Array


Matrix = Diagonal | Blocks | Rows


def dense(matrix: Matrix) -> Array:
    """A as an array (N, N)."""
    if isinstance(matrix, Rows):
        return (matrix.rows.T * matrix.weights) @ matrix.rows
    if isinstance(matrix, Diagonal):
        return matrix.entries[:, None] * np.eye(len(matrix.entries))
    blocks, start = [block for stack in matrix.stacks for block in stack], 0
    n = sum(map(len, blocks))
    rows = []
    for block in blocks:
        before, after = np.zeros((len(block), start)), np.zeros((len(block), n - start - len(block)))
        rows.append(concatenate([before, block, after], axis=1))
        start += len(block)
    return concatenate(rows, axis=0)


def concatenate(arrays: Sequence[Any], axis: int) -> Array:
    """In NumPy as long as everything is known."""
    return (np if all(isinstance(a, np.ndarray) for a in arrays) else jnp).concatenate(arrays, axis)


def known(value: Any) -> Any:
    """`value` as a float64 NumPy array if it is known now, else as it is."""
    array = concrete(value)
    return value if array is None else array


def read_a(a: Any, space: Space) -> Matrix:
    """Any form of `a`, evaluated at x, in one of the three forms above."""
    n = space.size
    if isinstance(a, Factored):
        _require_columns(np.shape(a.L)[1], space, "Factored", "(r, N)")
        return Rows(known(a.L), known(a.signs))
    if isinstance(a, BlockDiagonal):
        _require_columns(
            sum(np.shape(s)[0] * np.shape(s)[1] for s in a.stacks), space, "blocks", "blocks that fill N × N"
        )
        return _blocks(a.stacks, space)
    if not space.is_array and space.has_structure_of(a):
        return Diagonal(_flatten(a))
    array = known(as_array("a", a))
    whole = space.shapes[0] if space.is_array else (n,)
    if array.ndim == 0:
        return Diagonal(array * np.ones(n))
    if array.shape in ((n,), whole):
        return Diagonal(array.reshape(n))
    if array.shape in ((n, n), (*whole, *whole)):
        return _blocks((as_array("a", a).reshape(1, n, n),), space)
    expected = f"(), ({n},) for a diagonal or ({n}, {n}), {_because(space)}"
    raise ArgumentError(describe("a", f"has shape {array.shape}", expected, _fix(f"a=jnp.eye({n})")))


def _because(space: Space) -> str:
    return f"because x has {space.size} coordinates (its shape is {', '.join(map(str, space.shapes))})"


def _fix(coefficient: str) -> str:
    others = "jax.vmap(L(f))(x) for a batch; L(f, argnums=1)(params, x) for another argument"
    return f"{others}; or dof.Operator({coefficient})"


def _require_columns(found: int, space: Space, argument: str, form: str) -> None:
    if found != space.size:
        expected = f"{form} with N = {space.size}, {_because(space)}"
        raise ArgumentError(
            describe(argument, f"is over {found} coordinates", expected, _fix(f"a=jnp.eye({space.size})"))
        )


def _blocks(stacks: Sequence[Array], space: Space) -> Blocks:
    """The symmetric parts of the stacks. What single precision hides is dropped only if all is in single precision."""
    dtypes = [*(s.dtype for s in stacks), *space.dtypes]
    is_single = all(jnp.issubdtype(d, jnp.inexact) and jnp.finfo(d).bits <= 32 for d in dtypes)
    symmetric = tuple((s + s.swapaxes(1, 2)) / 2 for s in (known(stack * 1.0) for stack in stacks))
    return Blocks(symmetric, float(np.finfo(np.float32 if is_single else np.float64).eps))


def read_b(b: Any, space: Space) -> Array:
    """`b`, evaluated at x, as a vector (N,)."""
    n = space.size
    if not space.is_array and space.has_structure_of(b):
        return _flatten(b)
    array = known(as_array("b", b))
    shapes = {(n,), *(space.shapes if space.is_array else ()), *([()] if n == 1 else [])}
    if array.shape not in shapes:
        expected = f"({n},) or the shape of x, {_because(space)}"
        raise ArgumentError(describe("b", f"has shape {array.shape}", expected, _fix(f"b=jnp.ones({n})")))
    return array.reshape(n)


def read_c(c: Any, argument: str = "c") -> Array:
    """`c`, evaluated at x, as a scalar."""
    array = known(as_array(argument, c))
    if array.shape != ():
        found, fix = f"has shape {array.shape}", f"{argument} = lambda x: jnp.sum(x**2)"
        raise ArgumentError(describe(argument, found, "a scalar, or a function of x that returns one", fix))
    return array


class Evaluated(NamedTuple):
    """The coefficients of one operator at x: the second-order part as a sum of terms; None for what is absent."""

    a: tuple[Matrix, ...]
    b: Array | None
    c: Array | None

    def real_channels(self) -> list[tuple[complex, Evaluated]]:
        """Real operators L_k and factors w_k with L = Σ w_k L_k: one if the derivatives have real coefficients."""
        leaves = jax.tree.leaves((self.a, self.b))
        if not any(map(jnp.iscomplexobj, leaves)):
            return [(1.0, self)]
        return [(1.0, self._each(lambda v: v.real)), (1j, self._each(lambda v: v.imag))]

    def _each(self, part: Callable[[Any], Any]) -> Evaluated:
        return Evaluated(tuple(map_linear(part, m) for m in self.a), None if self.b is None else part(self.b), None)


def map_linear(function: Callable[[Any], Any], matrix: Matrix) -> Matrix:
    """A linear function of the entries of A, applied in the form that A has."""
    if isinstance(matrix, Rows):
        return Rows(matrix.rows, function(matrix.weights))
    if isinstance(matrix, Blocks):
        return Blocks(tuple(map(function, matrix.stacks)), matrix.rounding)
    return Diagonal(function(matrix.entries))


def _flatten(tree: Any) -> Array:
    leaves = [known(as_array("leaf", leaf)).reshape(-1) for leaf in jax.tree.leaves(tree)]
    return concatenate([np.zeros(0), *leaves], axis=0)
