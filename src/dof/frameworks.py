"""Which framework something belongs to, without importing it: modules of PyTorch given to `dof`, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from dof.errors import ArgumentTypeError, describe

TORCH, JAX = ("torch",), ("jax", "jaxlib", "flax", "equinox", "haiku")
"""Packages whose classes belong to a framework."""

NOT_A_TENSOR, NOT_AN_ARRAY = "must be Tensor, not", "as an abstract array"
"""What PyTorch says of a value that is none of its tensors, and JAX of one that is no array."""


def belongs_to(packages: tuple[str, ...], value: Any) -> bool:
    """Whether the class of a value, or one that it inherits from, comes from one of these packages."""
    return any(cls.__module__.partition(".")[0] in packages for cls in type(value).__mro__)


def refuse_torch(argument: str, value: Any) -> None:
    """Refuse a module or tensor of PyTorch where dof expects JAX."""
    if belongs_to(TORCH, value) or type(value).__module__.startswith("dof.torch"):
        raise ArgumentTypeError(_of_torch(argument, f"is of type {_name(value)}"))


def refuse_jax(argument: str, value: Any) -> None:
    """Refuse a function or array of JAX where `dof.torch` expects PyTorch."""
    if belongs_to(JAX, value) or type(value).__module__.startswith("dof.api."):
        raise ArgumentTypeError(_of_jax(argument, f"is of type {_name(value)}"))


def expecting_jax() -> AbstractContextManager[None]:
    """Name the right import where f applies functions of PyTorch to arrays of JAX."""
    return _told_as(_of_torch("f", "or a coefficient applies functions of PyTorch"), NOT_A_TENSOR)


def expecting_torch() -> AbstractContextManager[None]:
    """Name the right import where f or a coefficient applies functions of JAX to tensors of PyTorch."""
    return _told_as(_of_jax("f", "or a coefficient applies functions of JAX"), NOT_AN_ARRAY)


@contextmanager
def _told_as(text: str, said: str) -> Iterator[None]:
    """Raise an error with this text in place of a TypeError that says so."""
    try:
        yield
    except TypeError as error:
        if said not in str(error):
            raise
        raise ArgumentTypeError(text) from error


def _of_torch(argument: str, found: str) -> str:
    fix = "import dof.torch as dof for PyTorch, with the same names; L(net)(x) takes points in the rows of x there"
    return describe(argument, found, "functions and arrays of JAX, which `import dof` is for", fix)


def _of_jax(argument: str, found: str) -> str:
    fix = "import dof for JAX, with the same names; jax.vmap(L(f))(x) takes points in the rows of x there"
    return describe(argument, found, "modules, functions and tensors of PyTorch, which `import dof.torch` is for", fix)


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__name__}"
