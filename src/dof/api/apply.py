"""Operators applied to functions: L(f), L.with_value(f), several at once, and the triples themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Unpack

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.frameworks import refuse_torch
from dof.function_arguments import Argnums, require_argnums, require_callable
from dof.operators.higher_order import HigherOrder
from dof.options import CutChoice, OptionKeywords, Options, Structure
from dof.pipeline.function_of_x import Call
from dof.pipeline.prepare import HasCoefficients
from dof.pipeline.propagate import propagate_operators
from dof.pipeline.propagated import Propagated
from dof.triples.readout import full_triple, value_as_array


def after_propagation(
    f: Callable[..., Any],
    operators: Sequence[HasCoefficients],
    argnums: Argnums,
    options: Options,
    read: Callable[[Propagated], Any],
    wants_tangents: bool = False,
) -> Callable[..., Any]:
    """The function of the arguments of f that propagates the operators through f and reads the result."""
    require_callable(f)
    require_argnums(argnums)

    @wraps(f)
    def applied(*args: Any, **kwargs: Any) -> Any:
        return read(propagate_operators(Call(f, args, kwargs, argnums), operators, options, wants_tangents))

    return applied


class Applicable:
    """Base of what can be applied to functions: one operator, or several jointly."""

    def __call__(
        self, f: Callable[..., Any], argnums: Argnums = 0, **options: Unpack[OptionKeywords]
    ) -> Callable[..., Any]:
        """L f, a function of the arguments of f.

        The options say how the work is done, not what comes out; `dof.explain` shows what they did.

        Args:
            f: a function that returns an array or a pytree of arrays.
            argnums: the argument or arguments that derivatives are with respect to.
            **options: `structure="auto"` keeps for each element only the directions it depends on, where that pays;
                "sparse" wherever it can be done; "dense" nowhere. `cut="auto"` looks for few values through which
                everything later depends on x, and makes their elements the coordinates where that pays; None never
                does. `directions=64` propagates so many directions at once, one group after the other, for functions
                whose tangents do not fit even for one point (for many points there is `dof.batched`); groups are dense
                and have no cuts. `mesh=` and `axis=` distribute the groups over the devices along an axis of a mesh.
        """
        return after_propagation(f, self._operators(), argnums, Options.of(options), self._read)

    def with_value(
        self, f: Callable[..., Any], argnums: Argnums = 0, **options: Unpack[OptionKeywords]
    ) -> Callable[..., Any]:
        """(f, L f) from the same pass, with the same options as `L(f)`."""
        read = lambda p: (p.each(value_as_array), self._read(p))  # noqa: E731
        return after_propagation(f, self._operators(), argnums, Options.of(options), read)

    def _operators(self) -> Sequence[Any]:
        return (self,)

    def _read(self, propagated: Propagated) -> Any:
        (reading,) = propagated.readings
        return propagated.each(reading.of)


class Jointly(Applicable):
    """Several operators of one function, from one pass; the results are a tuple."""

    def __init__(self, operators: Sequence[Any]) -> None:
        self.operators = tuple(operators)

    def __repr__(self) -> str:
        return f"dof.jointly{self.operators!r}"

    def _operators(self) -> Sequence[Any]:
        return self.operators

    def _read(self, propagated: Propagated) -> Any:
        return tuple(propagated.each(reading.of) for reading in propagated.readings)


def jointly(*operators: Any) -> Jointly:
    """Several operators at once: the value and the directional derivatives are computed only once.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> u_t, u_xx = dof.Operator(b=jnp.array([1.0, 0.0])), dof.Operator(a=jnp.array([0.0, 1.0]))
        >>> f = lambda tx: jnp.exp(-tx[0]) * tx[1] ** 3
        >>> [float(v) for v in dof.jointly(u_t, u_xx)(f)(jnp.array([0.0, 2.0]))]
        [-8.0, 12.0]
    """
    fix = "dof.jointly(L1, L2)(f)(x), with the operators one by one"
    if not operators:
        raise ArgumentError(describe("jointly", "has no operators", "at least one", fix))
    for operator in operators:
        require_operator(operator, "jointly", fix)
    return Jointly(operators)


def propagate(
    f: Callable[..., Any], L: Any, argnums: Argnums = 0, *, structure: Structure = "auto", cut: CutChoice = "auto"
) -> Callable[..., Any]:
    """The triples (f, directional derivatives of f, (L − c) f) at the arguments of f.

    `tangents` has one entry per direction: the rows that were given for `dof.Factored`; scaled coordinates for a
    constant diagonal A; scaled eigenvectors for a constant dense one; the coordinates for an A that is traced. Without
    a second-order part there are none. `applied` has an axis of operators in front for `dof.jointly` only.

    Args:
        f: a function that returns an array or a pytree of arrays.
        L: an operator, or several by `dof.jointly`.
        argnums: the argument or arguments that derivatives are with respect to.
        structure: as in `L(f)`.
        cut: as in `L(f)`.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> log_psi = lambda r: -jnp.sum(r**2) / 2  # a harmonic oscillator in its ground state
        >>> t = dof.propagate(log_psi, dof.laplacian)(jnp.array([0.5, 1.0, 2.0]))
        >>> print(f"{-(t.applied + jnp.sum(t.tangents**2)) / 2:.4f}")  # −Δψ / 2ψ
        -1.1250
    """
    require_operators(L, "dof.propagate(f, L)(x)")
    if any(isinstance(operator, HigherOrder) for operator in L._operators()):
        found, fix = (
            "has an order above two",
            "L.with_value(f)(x), or dof.jointly(L, dx, dy)(f)(x) for derivatives as well",
        )
        raise ArgumentError(describe("L", found, "an operator of order two, which triples are for", fix))
    read = lambda p: p.each(lambda out: full_triple(out, p.directions, p.readings))  # noqa: E731
    # Without groups of directions, which add up what is applied and keep no tangents.
    return after_propagation(f, L._operators(), argnums, Options(structure, cut), read, wants_tangents=True)


def require_operators(L: Any, fix: str) -> None:
    """Refuse what is neither one operator nor several of them jointly."""
    if not isinstance(L, Jointly):
        require_operator(L, "L", fix)


def require_operator(value: Any, argument: str, fix: str) -> None:
    """Refuse what is no single operator."""
    refuse_torch(argument, value)
    if not isinstance(value, Applicable) or isinstance(value, Jointly):
        found = f"is or has an entry of type {type(value).__name__}"
        raise ArgumentTypeError(describe(argument, found, "operators", fix))
