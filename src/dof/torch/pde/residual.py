"""`@pde.residual("x t")`: a residual as on paper, evaluated by one propagation through the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce, update_wrapper
from operator import matmul
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dof.errors import ArgumentError, describe
from dof.frameworks import expecting_torch
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Higher, Second
from dof.pde.notation.names import Names, field_names, read_names
from dof.torch.api.apply import jointly, require_function
from dof.torch.api.operator import Operator, derivatives
from dof.torch.function_arguments import require_tensor
from dof.torch.pde.fields import Field, value_of


def residual(coordinates: str, fields: str | None = None) -> Callable[[Callable[..., Any]], Residual]:
    """Decorate a function of fields, coordinates and keyword parameters, which returns a residual or a tuple of them.

    Args:
        coordinates: Their names, as "x y t", or "x[100] t" where x has 100 components.
        fields: The names of the unknown functions, as "u[2] p"; by default one, without components.

    Examples:
        >>> import torch
        >>> from dof.torch import pde
        >>> @pde.residual("x t")
        ... def heat(u, x, t, *, k=1.0):
        ...     return u.t - k * u.xx
        >>> net = lambda z: torch.exp(-z[..., 1]) * torch.sin(z[..., 0])
        >>> bool(heat(net)(torch.ones(5, 2)).abs().max() < 1e-6)
        True
    """
    return lambda function: Residual(function, read_names(coordinates, "coordinates"), fields)


class Residual:
    """What `@pde.residual` makes of a function: `residual(net, **keywords)(points)`.

    Args:
        function: Of fields, coordinates and keyword parameters.
        coordinates: Their names.
        fields: The names of the unknown functions; None for a single one without components.

    Raises:
        ArgumentError: If the positional arguments of the function are not the fields and the coordinates.
    """

    def __init__(self, function: Callable[..., Any], coordinates: Names, fields: str | None) -> None:
        update_wrapper(self, function)
        self.function, self.coordinates = function, coordinates
        self.fields = field_names(function, coordinates, fields)
        self.is_single = fields is None
        self._reads: tuple[Derivative, ...] = ()

    def __call__(self, net: Callable[[Any], Any], **parameters: Any) -> Callable[[Tensor], Any]:
        """The residual of `net` as a function of points (…, coordinates)."""
        require_function(net)

        def at(points: Tensor) -> Any:
            self._require_points(points)
            with expecting_torch():
                try:
                    return self._at(net, points, parameters, self._reads)
                except _UnknownRead:  # the first call, or it reads something else now
                    self._reads = self._find_reads(net, points, parameters)
                    return self._at(net, points, parameters, self._reads)

        return at

    def _require_points(self, points: Any) -> None:
        n = self.coordinates.count
        require_tensor("points", points)
        if not points.dim() or points.shape[-1] != n:
            expected = f"(…, {n}), for the coordinates {self.coordinates}"
            raise ArgumentError(
                describe("points", f"has shape {tuple(points.shape)}", expected, f"torch.rand(10, {n})")
            )

    def _at(self, net: Any, points: Tensor, parameters: Any, reads: Sequence[Derivative]) -> Any:
        operators = [operator for read in reads for operator in _operators(read, points.shape[-1])]
        of_components = lambda x: self._components(net(x), x)  # noqa: E731
        if not operators:
            return self._run(_unknown, of_components(points), points, parameters)
        value, found = jointly(*operators).with_value(of_components)(points)
        rest = iter(found)
        given = {read: _joined(read, [next(rest) for _ in _operators(read, points.shape[-1])]) for read in reads}

        def read(derivative: Derivative) -> Tensor:
            return given[derivative] if derivative in given else _unknown(derivative)

        return self._run(read, value, points, parameters)

    def _components(self, output: Any, points: Any) -> Any:
        """The outputs of the network, (…, components); a single field may come without that axis."""
        full = output.unsqueeze(-1) if self.is_single and output.dim() < points.dim() else output
        if full.dim() != points.dim() or full.shape[-1] != self.fields.count:
            expected = f"{self.fields.count} numbers for each point, for the fields {self.fields}"
            found, fix = f"has shape {tuple(output.shape)}", self._fix_of_components(full, points)
            raise ArgumentError(describe("net(points)", found, expected, fix))
        return full

    def _fix_of_components(self, output: Tensor, points: Tensor) -> str:
        """What to write for outputs of a wrong shape: another number of components only if they have that axis."""
        if output.dim() == points.dim():
            return f'@pde.residual("{self.coordinates}", fields="u[{output.shape[-1]}]"), with u[0], u[1], …'
        return f"return an output of shape {(*points.shape[:-1], self.fields.count)} from net"

    def _find_reads(self, net: Any, points: Tensor, parameters: Any) -> tuple[Derivative, ...]:
        """The derivatives that are read, from a run at one point that only records them."""
        one = points.reshape(-1, points.shape[-1])[:1]
        reads: dict[Derivative, None] = {}
        with torch.no_grad():
            value = self._components(net(one), one)

            def record(read: Derivative) -> Tensor:
                reads[read] = None
                return value[..., None].expand(*value.shape, len(read.places)) if isinstance(read, Gradient) else value

            self._run(record, value, one, parameters)
        return tuple(reads)

    def _run(self, read: Callable[[Derivative], Tensor], value: Tensor, points: Tensor, parameters: Any) -> Any:
        if self.is_single:
            chosen = {self.fields.names[0]: lambda tensor: tensor[..., 0]}
        else:
            chosen = {name: lambda tensor, name=name: self.fields.part(name, tensor) for name in self.fields.names}
        fields = [Field(name, self.coordinates, read, value, choose) for name, choose in chosen.items()]
        places = [self.coordinates.part(name, points) for name in self.coordinates.names]
        out = self.function(*fields, *places, **parameters)
        return tuple(map(value_of, out)) if isinstance(out, tuple) else value_of(out)


class _UnknownRead(Exception):
    pass


def _unknown(derivative: Derivative) -> Tensor:
    raise _UnknownRead


def _operators(read: Derivative, n: int) -> tuple[Any, ...]:
    """The operators that a derivative is read off: one, or one for each coordinate of a gradient."""
    return (read.operator,) if isinstance(read, Applied) else _along_coordinates(read, n)


@lru_cache(maxsize=256)
def _along_coordinates(read: First | Second | Gradient | Higher, n: int) -> tuple[Any, ...]:
    if isinstance(read, Second):
        return (_second(read.pairs, n),)
    each = derivatives(n)
    if isinstance(read, Higher):
        of_laplacian = [_second(tuple((i, i) for i in read.places), n)] * read.laplacians
        return (reduce(matmul, [*(each[i] for i in read.monomial), *of_laplacian]),)
    return tuple(each[i] for i in (read.places if isinstance(read, Gradient) else (read.i,)))


def _second(pairs: Sequence[tuple[int, int]], n: int) -> Operator:
    """Σ ∂_i ∂_j over pairs."""
    matrix = np.zeros((n, n))
    for i, j in pairs:
        matrix[i, j] += 1
    return Operator(a=matrix.diagonal() if all(i == j for i, j in pairs) else matrix)


def _joined(read: Derivative, found: list[Tensor]) -> Tensor:
    return torch.stack(found, -1) if isinstance(read, Gradient) else found[0]
