"""Operators applied to functions: L(f), L.with_value(f), several at once, and the triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.frameworks import refuse_jax
from dof.operators.higher_order import HigherOrder
from dof.torch.pipeline.propagate import propagate_operators
from dof.torch.pipeline.propagated import Nested, Propagated


class Applicable:
    """Base of what can be applied to functions: one operator, or several jointly."""

    def __call__(self, f: Callable[[Any], Any]) -> Callable[[Tensor], Any]:
        """L f, a function of the points x (…, N), with the shape of f(x).

        Args:
            f: a module or a function of points in rows, (…, N) to (…) or (…, k), or a tuple, list or dict of such.
        """
        return self._applied(f, self._read)

    def with_value(self, f: Callable[[Any], Any]) -> Callable[[Tensor], tuple[Any, Any]]:
        """(f, L f) from the same pass."""
        return self._applied(f, lambda p: (p.each(lambda value, applied, tangents: value), self._read(p)))

    def _applied(self, f: Any, read: Callable[[Propagated | Nested], Any]) -> Callable[[Tensor], Any]:
        require_function(f)
        return lambda x: read(propagate_operators(f, self._operators(), x))

    def _operators(self) -> Sequence[Any]:
        return (self,)

    def _read(self, propagated: Propagated | Nested) -> Any:
        (reading,) = propagated.readings
        return propagated.each(lambda value, applied, tangents: reading.of(value, applied))


class Jointly(Applicable):
    """Several operators of one function, from one pass; the results are a tuple."""

    def __init__(self, operators: Sequence[Any]) -> None:
        self.operators = tuple(operators)

    def _operators(self) -> Sequence[Any]:
        return self.operators

    def _read(self, propagated: Propagated | Nested) -> Any:
        return tuple(
            propagated.each(lambda value, applied, tangents, reading=reading: reading.of(value, applied))
            for reading in propagated.readings
        )


def jointly(*operators: Any) -> Jointly:
    """Several operators at once: the value and the directional derivatives are computed only once.

    Examples:
        >>> import torch, dof.torch as dof
        >>> u_t, u_xx = dof.Operator(b=[1.0, 0.0]), dof.Operator(a=[0.0, 1.0])
        >>> f = lambda z: torch.exp(-z[..., 0]) * z[..., 1] ** 3
        >>> [float(v) for v in dof.jointly(u_t, u_xx)(f)(torch.tensor([0.0, 2.0]))]
        [-8.0, 12.0]
    """
    fix = "dof.jointly(L1, L2)(f)(x), with the operators one by one"
    if not operators:
        raise ArgumentError(describe("jointly", "has no operators", "at least one", fix))
    for operator in operators:
        refuse_jax("jointly", operator)
        if not isinstance(operator, Applicable) or isinstance(operator, Jointly):
            found = f"has an entry of type {type(operator).__name__}"
            raise ArgumentTypeError(describe("jointly", found, "operators", fix))
    return Jointly(operators)


class PropagatedTriple(NamedTuple):
    """What `propagate` returns for each output of f.

    Attributes:
        value: f(x), (*s).
        tangents: ∂f along each direction, (r, *s).
        applied: (L − c) f, (*s); (operators, *s) for `jointly`.
    """

    value: Tensor
    tangents: Tensor
    applied: Tensor


def propagate(f: Callable[[Any], Any], L: Any) -> Callable[[Tensor], Any]:
    """The triples (f, directional derivatives of f, (L − c) f) at the points x.

    `tangents` has one entry per direction: the rows that were given for `Factored`; scaled coordinates for a constant
    diagonal A; scaled eigenvectors for a constant dense one; the coordinates for an A that is learned.

    Args:
        f: a function of points in rows.
        L: an operator, or several by `jointly`.

    Examples:
        >>> import torch, dof.torch as dof
        >>> t = dof.propagate(lambda x: x[..., 0] * x[..., 1] ** 2, dof.laplacian)(torch.tensor([2.0, 3.0]))
        >>> t.value, t.tangents, t.applied
        (tensor(18.), tensor([ 9., 12.]), tensor(4.))
    """
    require_function(f)
    refuse_jax("L", L)
    if not isinstance(L, Applicable) or any(isinstance(operator, HigherOrder) for operator in L._operators()):
        found, fix = f"is of type {type(L).__name__}", "dof.propagate(f, dof.laplacian)(x); L(f)(x) for any order"
        raise ArgumentTypeError(describe("L", found, "an operator of order two, one or zero, or dof.jointly(…)", fix))

    def run(x: Tensor) -> Any:
        done = propagate_operators(f, L._operators(), x)

        def triple(value: Tensor, applied: Tensor | None, tangents: Tensor | None) -> PropagatedTriple:
            each = torch.stack([reading.derivatives(value, applied) for reading in done.readings])
            shape = (done.directions, *value.shape)
            full = value.new_zeros(shape) if tangents is None else tangents.expand(shape)
            return PropagatedTriple(value, full, each if isinstance(L, Jointly) else each[0])

        return done.each(triple)

    return run


def require_function(f: Any) -> None:
    """Refuse an `f` that cannot be called, or belongs to JAX."""
    refuse_jax("f", f)
    if not callable(f):
        found, fix = f"is of type {type(f).__name__}", "L(net)(x), or L(lambda x: (x**2).sum(-1))(x)"
        raise ArgumentTypeError(describe("f", found, "a module or a function", fix))
