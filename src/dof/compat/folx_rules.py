"""The calls of folx that give it rules. dof refuses them: a rule that is not asked could change the result unseen."""

from __future__ import annotations

from typing import Any, NoReturn

from dof.errors import ArgumentError, describe

_FIX = "leave the call out, since dof propagates through the function, or give dof a rule: dof.register_rule(f, rule)"


def register_function(name: str, fwd_lapl_fn: Any) -> NoReturn:
    """Refused: folx finds its rules by the names of functions, dof by the functions themselves."""
    raise ArgumentError(describe("fwd_lapl_fn", f"is a rule of folx for {name!r}", "no rule of folx", _FIX))


def deregister_function(name: str) -> NoReturn:
    """Refused, as `register_function` is."""
    raise ArgumentError(describe("name", f"is {name!r}, for which dof has no rule", "no rule of folx", _FIX))


def wrap_forward_laplacian(fn: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: it makes rules for `register_function`."""
    name = getattr(fn, "__name__", repr(fn))
    raise ArgumentError(describe("fn", f"is {name!r}, to be made a rule of folx", "no rule of folx", _FIX))


def warp_without_fwd_laplacian(fn: Any) -> NoReturn:
    """Refused, as `wrap_forward_laplacian` is."""
    wrap_forward_laplacian(fn)
