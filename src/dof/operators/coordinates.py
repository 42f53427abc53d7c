"""The coordinates of x: any array or pytree of arrays, seen as one vector of N numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.function_arguments import require_floating_x
from dof.typing import Array, Shaped


@dataclass(frozen=True)
class Coordinates:
    """Tree, shapes and dtypes of the leaves of x, in the order of its tree."""

    tree: Any
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[Any, ...]

    @classmethod
    def of(cls, x: Any) -> Coordinates:
        """The coordinates of x; refuses leaves that are not floating or complex."""
        leaves, tree = jax.tree.flatten(x)
        for leaf in leaves:
            require_floating_x(leaf)
        return cls(tree, tuple(map(jnp.shape, leaves)), tuple(map(jnp.result_type, leaves)))

    @property
    def size(self) -> int:
        """The number of coordinates, N."""
        return sum(map(int, map(np.prod, self.shapes)))

    @property
    def starts(self) -> list[int]:
        """The number of the first coordinate of each leaf."""
        return np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])[:-1].tolist()

    @property
    def is_array(self) -> bool:
        """Whether x is a single array."""
        return self.tree == jax.tree.structure(0)

    def has_structure_of(self, value: Any) -> bool:
        """Whether `value` is a pytree with the structure and the shapes of x."""
        leaves, tree = jax.tree.flatten(value)
        return tree == self.tree and tuple(map(jnp.shape, leaves)) == self.shapes

    def split(self, rows: Shaped[Array, "k n"]) -> list[Array]:
        """Split each row into the leaves of x: one array (k, *shape) per leaf, known if the rows are."""
        # Splitting makes at least one piece, also for an x without leaves.
        if not self.shapes:
            return []
        ends = self.starts[1:]
        # NumPy in, NumPy out: known seeds stay constants of the compiled program and are not batched under vmap.
        pieces = np.split(rows, ends, axis=1) if is_known(rows) else jnp.split(rows, ends, axis=1)
        leaves = zip(pieces, self.shapes, self.dtypes, strict=True)
        return [p.reshape(len(rows), *shape).astype(dtype) for p, shape, dtype in leaves]

    def point(self, vector: Shaped[Array, " n"]) -> Any:
        """A vector as a value with the tree of x."""
        return jax.tree.unflatten(self.tree, [leaf[0] for leaf in self.split(vector[None])])
