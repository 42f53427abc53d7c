"""What dof refuses: the operation, the user's line, the reason, and a way out."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NoReturn

import torch

import dof
from dof.errors import NotDifferentiableError

_LIBRARIES = tuple(os.path.dirname(module.__file__ or "") + os.sep for module in (torch, dof))


class NoRuleError(NotDifferentiableError):
    """No rule is known for an operation, and PyTorch has no derivatives that could take its place."""


def refuse(
    func: Any,
    reason: str,
    fix: str,
    error: type[NotDifferentiableError] = NotDifferentiableError,
    line: str | None = None,
) -> NoReturn:
    """Raise an error about an operation.

    Args:
        func: the operation, or its name.
        reason: what would be lost or wrong, as "under torch.no_grad, where …".
        fix: what to write instead.
        error: the class of the error.
        line: file and line of the user's call, where it is not under way any more.
    """
    name = func if isinstance(func, str) else str(func).removesuffix(".default")
    _latest.error = error(f"`f` applies `{name}` at {line or users_line()} {reason}.\n  Fix: {fix}")
    raise _latest.error


@contextmanager
def told_as_raised() -> Iterator[None]:
    """Raise a refusal again where PyTorch has turned it into a TypeError of its own, as it does for x * y."""
    _latest.error = None
    try:
        yield
    except TypeError:
        raise (_latest.error or sys.exception()) from None  # pyright: ignore[reportGeneralTypeIssues]
    finally:
        _latest.error = None


class _Latest(threading.local):
    error: NotDifferentiableError | None = None


_latest = _Latest()


def calling_file() -> str:
    """The file of the innermost call that is not in dof, nor in a mode of functions: of the user, or of PyTorch."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _passes_on(frame.f_code):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


def _passes_on(code: CodeType) -> bool:
    return code.co_filename.startswith(_LIBRARIES[1]) or code.co_name == "__torch_function__"


def users_line() -> str:
    """File and line of the innermost call that is neither in PyTorch nor in dof."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((*_LIBRARIES, "<frozen")):
        frame = frame.f_back
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
