"""What solutions have in common: values, derivatives and residuals at points, a grid, plots."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.extend import enable_x64, is_traced
from dof.pde.notation.at_points import at_points, require_points
from dof.pde.notation.residual import Residual
from dof.pde.problem import Problem
from dof.solving.solutions.grids import Grid, grid_of
from dof.solving.solutions.point_arguments import filled_up, points_of, rounded_as


class FunctionOfPoints(ABC):
    """Functions that were trained, at a point (coordinates,), at points (n, coordinates), or of coordinates (x, t).

    Concrete points are evaluated in float64, and the values are arrays of NumPy. Inside of `jax.grad`, `jax.jit` and
    `jax.vmap` the precision is that of the points.
    """

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """What was solved."""

    @property
    @abstractmethod
    def weights(self) -> Any:
        """A pytree of arrays: all that was trained."""

    @abstractmethod
    def functions(self, weights: Any) -> tuple[Callable[[Any], Any], dict[str, Any]]:
        """The unknown functions of one point, and the problem's unknowns by name, with these weights."""

    def __call__(self, *points: Any) -> Any:
        """The unknown functions at a point (coordinates,), at points (n, coordinates), or of coordinates x, t."""
        named = self.problem.named_domain

        def of_point(weights: Any) -> Callable[[Any], Any]:
            return lambda z: named.of_field(None, self.functions(weights)[0](z))

        return self._at("value", of_point, points)

    def real_values(self, *points: Any) -> Any:
        """The network's numbers: as the values, with complex ones as real and imaginary parts."""
        return self._at("numbers", lambda weights: self.functions(weights)[0], points)

    def d(self, *names: Any) -> Callable[..., Any]:
        """A derivative as a function of points: `solution.d("x", "x")(points)`.

        Args:
            *names: Coordinates, as in `u.d("x", "t")` of a residual.
        """
        equation = self.problem.equation
        _require_texts(names)
        equation.coordinates.require(names, "solution.d")

        def derivative(*arguments: Any) -> Any:
            parts = [jnp.asarray(u.d(*names)) for u in arguments[: len(equation.fields.names)]]
            if equation.is_single or (len(parts) == 1 and equation.fields.complexes):
                return parts[0]
            vectors = map(equation.fields.is_vector, equation.fields.names)
            return jnp.concatenate([part if own else part[None] for part, own in zip(parts, vectors, strict=True)])

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        arguments = [inspect.Parameter(name, kind) for name in (*equation.fields.names, *equation.coordinates.names)]
        derivative.__signature__ = inspect.Signature(arguments)  # type: ignore[attr-defined]
        residual = Residual(derivative, equation.coordinates, None if equation.is_single else str(equation.fields))

        def of_point(weights: Any) -> Callable[[Any], Any]:
            return lambda z: residual.at_point(self.functions(weights)[0], z, {})

        return lambda *points: self._at(f"d {' '.join(names)}", of_point, points)

    def residual(self, *points: Any) -> Any:
        """The residual of the equation at points: how far it is from being solved there."""
        named, given = self.problem.named_domain, self.problem.given

        def of_point(weights: Any) -> Callable[[Any], Any]:
            u, unknowns = self.functions(weights)
            known = lambda z: unknowns | {name: named.given(g, z) for name, g in given.items()}  # noqa: E731
            return lambda z: self.problem.equation.at_point(u, z, known(z))

        return self._at("residual", of_point, points)

    def grid(self, points: Any = 64, **fixed: Any) -> Grid:
        """The unknown functions on a grid over the domain.

        Args:
            points: Along each coordinate that varies.
            **fixed: Values of coordinates that do not, as t=0.5.
        """
        return grid_of(self.problem, self, points, fixed)

    def save(self, path: Any) -> None:
        """Write the solution to a file of safetensors, which `dof.load(path, problem)` reads.

        Args:
            path: Of the file.
        """
        try:
            from dof.solving.solutions.save_solution import save
        except ModuleNotFoundError as error:
            raise ImportError(f'`save` needs {error.name}.\n  Fix: pip install "dof[cli]"') from error
        save(self, path)

    def plot(self, **fixed: float) -> Any:
        """A figure of matplotlib: the solution on a slice of the domain, the reference if it is known, the residual.

        At the start, the middle and the end of time, where two coordinates of space are shown.

        Args:
            **fixed: Values of coordinates, as t=0.05; others that are not shown are in the middle of the domain.
        """
        try:
            from dof.solving.solutions.solution_plot import plot_solution
        except ModuleNotFoundError as error:
            raise ImportError(f'`plot` needs {error.name}.\n  Fix: pip install "dof[cli]"') from error
        return plot_solution(self.problem, self.real_values, self._residual_sizes, fixed)

    def _residual_sizes(self, points: np.ndarray) -> np.ndarray:
        """|r| of the equation at points (n, coordinates)."""
        leaves = [
            np.abs(leaf).reshape(len(points), -1) for leaf in map(np.asarray, jax.tree.leaves(self.residual(points)))
        ]
        return np.linalg.norm(np.concatenate(leaves, axis=1), axis=1)

    def _at(self, key: str, of_point: Callable[[Any], Callable[[Any], Any]], given: tuple[Any, ...]) -> Any:
        """A function of one point, made of the weights, at points; `key` is the same for the same function."""
        coordinates = self.problem.equation.coordinates
        many = lambda weights, points: at_points(of_point(weights), coordinates, "solution")(points)  # noqa: E731
        points, compiled = points_of(given, coordinates), self._compiled.setdefault(key, jax.jit(many))
        axes = points.shape[:-1]
        rows = points.reshape(-1, points.shape[-1]) if len(axes) > 1 else points
        shaped = lambda values: jax.tree.map(lambda v: v.reshape((*axes, *v.shape[rows.ndim - 1 :])), values)  # noqa: E731
        return shaped(self._traced(compiled, rows) if is_traced(points) else self._in_double(compiled, rows))

    def _traced(self, compiled: Any, rows: Any) -> Any:
        """Values at traced points, in their precision; with 64-bit numbers they are computed in float64."""
        # Not in the precision of the points: domains and conditions have float64 numbers of their own.
        weights = jax.tree.map(lambda w: jnp.asarray(np.asarray(w)), self.weights)
        dtype = jax.tree.leaves(weights)[0].dtype
        try:
            values = compiled(weights, rows.astype(dtype))
        except TypeError as error:
            # JAX keeps a NumPy array in the precision in which it was traced first, which training did in float64.
            if "same dtypes" not in str(error) or dtype == np.float64:
                raise
            found = "is traced in float32, and the problem's functions have arrays of NumPy, which were used in float64"
            fix = 'jax.config.update("jax_enable_x64", True); or jnp.asarray(…) around these arrays'
            raise ArgumentError(describe("solution", found, "64-bit numbers, or arrays of JAX", fix)) from None
        return jax.tree.map(lambda value: rounded_as(value, rows.dtype), values)

    def _in_double(self, compiled: Any, rows: np.ndarray) -> Any:
        """Values at concrete points, as arrays of NumPy.

        Without 64-bit numbers JAX would round what is computed with a float64 array of its own to float32, and
        `solution(x) - exact` would be rounding only.
        """
        # Here, because below the points are filled up.
        require_points(rows.shape, self.problem.equation.coordinates, "solution")
        is_many = rows.ndim == 2 and len(rows) > 1
        # Evaluated at once inside of a user's `jax.jit` too, whose program may have no 64-bit numbers.
        with enable_x64(), jax.ensure_compile_time_eval():
            values = compiled(self.weights, filled_up(rows) if is_many else rows)
            return jax.tree.map(lambda out: np.array(out)[: len(rows)] if is_many else np.array(out), values)

    @cached_property
    def _compiled(self) -> dict[str, Any]:
        return {}


def _require_texts(names: tuple[Any, ...]) -> None:
    """Refuse points among the names of coordinates: `solution.d` makes a function, which takes them."""
    others = [name for name in names if not isinstance(name, str)]
    if others:
        given = ", ".join(repr(name) for name in names if isinstance(name, str)) or '"x"'
        found, fix = f"is given {type(others[0]).__name__} among the names", f"solution.d({given})(points)"
        raise ArgumentTypeError(describe("solution.d", found, "names of coordinates; points come after it", fix))
