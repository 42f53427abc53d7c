"""A call of the user's function: which of its arguments are x, and its program of x."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax

from dof.frameworks import expecting_jax
from dof.function_arguments import Argnums, named_after, names_of, places_of, split_arguments, split_arrays
from dof.jax_compat import Closed


class Call(NamedTuple):
    """f(*args, **kwargs), of which the argument(s) `argnums` are x.

    Attributes:
        f: the function.
        args: its positional arguments.
        kwargs: its keyword arguments.
        argnums: which positional argument(s) are x.
    """

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Any = {}  # noqa: RUF012 (read only)
    argnums: Argnums = 0

    @property
    def x(self) -> Any:
        """The argument that is x, with arrays as leaves, or a tuple of several."""
        return split_arguments(self.args, self.argnums)[0]

    def at(self, x: Any) -> Call:
        """The same with other values for x."""
        return self._replace(args=split_arguments(self.args, self.argnums)[1](x))

    def split(self) -> tuple[list[Any], Callable[[Any], Call]]:
        """(arrays, rebuild): the arrays among all arguments, and a function from other arrays to the same call."""
        arrays, rebuild = split_arrays((self.args, self.kwargs))

        def rebuilt(arrays: Any) -> Call:
            args, kwargs = rebuild(arrays)
            return self._replace(args=args, kwargs=kwargs)

        return arrays, rebuilt

    def traced(self) -> tuple[Closed, Any]:
        """(program on the leaves of x, pytree structure of the result)."""
        x, put_back = split_arguments(self.args, self.argnums)
        several = isinstance(self.argnums, tuple)

        def of_x(*x: Any) -> Any:
            return self.f(*put_back(x if several else x[0]), **self.kwargs)

        named = named_after(self.f, of_x, names_of(self.f, places_of(self.argnums, self.args)))
        with expecting_jax(), _saying_that_x_is_one_point(x):
            jaxpr, shapes = jax.make_jaxpr(named, return_shape=True)(*(x if several else (x,)))
        return jaxpr, jax.tree.structure(shapes)


@contextmanager
def _saying_that_x_is_one_point(x: Any) -> Iterator[None]:
    """Add to an error of f what is its cause most often: a batch of points, where f takes one."""
    try:
        yield
    except (TypeError, ValueError) as error:
        shapes = [leaf.shape for leaf in jax.tree.leaves(x) if getattr(leaf, "ndim", 0) > 1]
        if shapes:
            error.add_note(f"`x` of shape {shapes[0]} is one point here; for a batch: jax.vmap(L(f))(x)")
        raise
