"""The user's function as a program of x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from dof.arguments import Argnums, named_after, names_of, places_of, split_arguments
from dof.frameworks import expecting_jax
from dof.jax_compat import Closed


def trace(f: Callable[..., Any], argnums: Argnums, args: Any, kwargs: Any) -> tuple[Closed, Any]:
    """Trace f(*args, **kwargs) as a function of x, the argument(s) `argnums`.

    Returns:
        (program on the leaves of x, pytree structure of the result).
    """
    x, put_back = split_arguments(args, argnums)
    several = isinstance(argnums, tuple)

    def of_x(*x: Any) -> Any:
        return f(*put_back(x if several else x[0]), **kwargs)

    named = named_after(f, of_x, names_of(f, places_of(argnums, args)))
    with expecting_jax():
        jaxpr, shapes = jax.make_jaxpr(named, return_shape=True)(*(x if several else (x,)))
    return jaxpr, jax.tree.structure(shapes)
