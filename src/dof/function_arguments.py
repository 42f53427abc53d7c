"""The arguments of f: which of them is x, and what x may be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.frameworks import refuse_torch

Argnums = int | tuple[int, ...]


def require_callable(f: Any) -> None:
    """Refuse an `f` that cannot be called, or belongs to PyTorch."""
    refuse_torch("f", f)
    if not callable(f):
        found, fix = f"is of type {type(f).__name__}", "L(lambda x: jnp.sum(x**2))(x)"
        raise ArgumentTypeError(describe("f", found, "a function", fix))


def require_argnums(argnums: Any) -> None:
    """Refuse `argnums` that are neither an integer nor a tuple of integers."""
    entries = argnums if isinstance(argnums, tuple) else (argnums,)
    # `True` is an integer in Python, but not the number of an argument.
    if not entries or not all(isinstance(n, int) and not isinstance(n, bool) for n in entries):
        expected = "an integer or a tuple of integers"
        fix = "L(f)(x), or L(f, argnums=1)(params, x)"
        raise ArgumentTypeError(describe("argnums", f"is {shown(argnums)}", expected, fix))


def split_arguments(args: tuple[Any, ...], argnums: Argnums) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Split the arguments of f into x and the rest.

    Returns:
        (x, put_back): the argument `argnums` with arrays as leaves, or a tuple of several; and a function that takes a
        value for x and returns all arguments of f with that value in place.
    """
    places = places_of(argnums, args)
    chosen = tuple(args[p] for p in places)

    def put_back(x: Any) -> tuple[Any, ...]:
        full = list(args)
        for place, value in zip(places, x if isinstance(argnums, tuple) else (x,), strict=True):
            full[place] = value
        return tuple(full)

    return jax.tree.map(_as_array, chosen if isinstance(argnums, tuple) else chosen[0]), put_back


def split_arrays(tree: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """(arrays, rebuild): the arrays among the leaves of a tree, and a function from other arrays to the same tree."""
    leaves, structure = jax.tree.flatten(tree)
    is_array = [isinstance(leaf, (jax.Array, np.ndarray)) for leaf in leaves]

    def rebuild(arrays: Any) -> Any:
        new = iter(arrays)
        filled = [next(new) if flag else leaf for leaf, flag in zip(leaves, is_array, strict=True)]
        return jax.tree.unflatten(structure, filled)

    return [leaf for leaf, flag in zip(leaves, is_array, strict=True) if flag], rebuild


def _as_array(leaf: Any) -> Any:
    refuse_torch("x", leaf)
    try:
        return jnp.asarray(leaf)
    except (TypeError, ValueError):
        found, expected = f"has a leaf of type {type(leaf).__name__}", "an array or a pytree of arrays"
        fix = "L(f, argnums=1)(params, x), if x is not the first argument of f"
        raise ArgumentTypeError(describe("x", found, expected, fix)) from None


def require_floating_x(leaf: Any) -> None:
    """Refuse a leaf of x that is neither floating nor complex, as one of integers."""
    dtype = jnp.result_type(leaf)
    if not jnp.issubdtype(dtype, jnp.inexact):
        found = f"has type {dtype}"
        expected = "a floating or complex array, since derivatives are taken with respect to it"
        fix = "x = jnp.asarray(x, dtype=float); or L(f, argnums=1)(params, x), if x is not the first argument of f"
        raise ArgumentTypeError(describe("x", found, expected, fix))


def places_of(argnums: Argnums, args: tuple[Any, ...]) -> list[int]:
    """The positions in `args` that `argnums` means, counted from the front; refuses positions that do not exist."""
    places = [_place(n, args) for n in (argnums if isinstance(argnums, tuple) else (argnums,))]
    if len(set(places)) < len(places):
        raise ArgumentError(describe("argnums", f"is {argnums}", "different arguments", "L(f, argnums=(0, 1))(x, y)"))
    return places


def _place(n: int, args: tuple[Any, ...]) -> int:
    if not -len(args) <= n < len(args):
        found = f"has the entry {n}"
        expected = f"numbers below {len(args)}, because f was called with {len(args)} positional arguments"
        fix = "L(f, argnums=1)(params, x), where x is given by position, not as L(f)(x=x)"
        raise ArgumentError(describe("argnums", found, expected, fix))
    return n % len(args)


def named_after(users: Any, traced: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """Let JAX name the user's function, not one of dof's, in errors that it raises while tracing.

    Args:
        users: the function that the user gave.
        traced: the function around it that is traced. JAX follows its `__wrapped__` to a file and a line.
        names: the names of the positional arguments of `traced`, which JAX takes from its `__signature__`.

    Returns:
        `traced`.
    """
    kind = inspect.Parameter.POSITIONAL_ONLY
    traced.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # pyright: ignore
    traced.__wrapped__ = _written_function(users)  # pyright: ignore
    return traced


def _written_function(users: Any) -> Any:
    """The function that stands in a file: without `partial`, `jit` and the like, and `__call__` of an object."""
    while isinstance(users, partial) or hasattr(users, "__wrapped__"):
        users = users.func if isinstance(users, partial) else users.__wrapped__
    return users if hasattr(users, "__code__") else type(users).__call__


def names_of(f: Any, places: Sequence[int]) -> list[str]:
    """What f calls its positional arguments at these places."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):  # some builtins have no signature
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[place] if place < len(names) else f"argument_{place}" for place in places]
