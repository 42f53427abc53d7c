"""What dof raises. Every message names the argument, what was found, what was expected, and a line that fixes it."""

import inspect
import re
from typing import Any

MOST_SHOWN = 200
"""Characters of a value that are shown; more do not help to find it."""


class DofError(Exception):
    """Base of everything that dof raises on purpose.

    Examples:
        >>> import dof
        >>> try:
        ...     dof.laplacian * dof.laplacian
        ... except dof.DofError as error:
        ...     print(error)
        `scale` is an operator; expected a number on the right of an operator.
          Fix: L1 @ L2 for φ ↦ L₁(L₂ φ)
    """


class ArgumentError(DofError, ValueError):
    """An argument has the wrong shape or value.

    Examples:
        >>> import dof
        >>> dof.Operator(a=float("nan"))
        Traceback (most recent call last):
        dof.errors.ArgumentError: `a` is nan; expected finite numbers.
          Fix: a = jnp.nan_to_num(a)
    """


class ArgumentTypeError(DofError, TypeError):
    """An argument has the wrong type.

    Examples:
        >>> import dof
        >>> dof.laplacian(3.0)
        Traceback (most recent call last):
        dof.errors.ArgumentTypeError: `f` is of type float; expected a function.
          Fix: L(lambda x: jnp.sum(x**2))(x)
    """


class NotDifferentiableError(DofError, TypeError):
    """The function applies a primitive that has no derivative to a value that depends on x.

    Examples:
        >>> import dof, jax, jax.numpy as jnp, numpy as np
        >>> f = lambda x: jax.pure_callback(np.sin, x, x)
        >>> dof.laplacian(f)(jnp.array(1.0))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        dof.errors.NotDifferentiableError: `f` applies the primitive `pure_callback` at ...
    """


class NotEnoughMemoryError(DofError, MemoryError):
    """What was asked for does not fit into the memory that is free."""


class Diverged(DofError, ArithmeticError):
    """In training the loss is no longer a number, or has grown without bound.

    Attributes:
        solution: from `dof.solve`, the solution at the last report before; None if there was none.

    Examples:
        >>> import dof
        >>> dof.solve("poisson", adam=2, newton=0, depth=1, rate=1e9)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        dof.errors.Diverged: The loss of the term `equation` is ... at step 2...
    """

    solution: Any = None


def describe(argument: str, found: str, expected: str, fix: str) -> str:
    """The text of an error about an argument: its name, what was found, what was expected, and a line that fixes it."""
    return f"`{argument}` {found}; expected {expected}.\n  Fix: {fix}"


def shown(value: Any) -> str:
    """What the user gave, in an error: functions and objects without a text of their own by name, never by address.

    Examples:
        >>> from dof.errors import shown
        >>> print(shown(shown), shown(lambda x: x), shown(object()), shown([1, "x"]), sep=", ")
        the function `shown`, a lambda, an object of type object, [1, 'x']
    """
    if inspect.isroutine(value):
        name = getattr(value, "__name__", "")
        return f"the function `{name}`" if name.isidentifier() else "a lambda"
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    if type(value).__repr__ is object.__repr__:
        return f"an object of type {type(value).__name__}"
    try:
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    except Exception:  # as of an array whose memory was given away
        return f"of type {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
