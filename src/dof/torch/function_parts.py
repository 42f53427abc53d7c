"""What a function is made of: its code and the objects that it refers to. It may be made anew at each call."""

from __future__ import annotations

from collections.abc import Iterator
from dis import get_instructions
from functools import lru_cache, partial
from inspect import iscode, isfunction, ismethod
from types import CodeType
from typing import Any


def parts_of(f: Any) -> list[Any]:
    """What tells a function apart; one without code, such as a module, is a part of itself.

    Functions, methods and partials are opened, as are those that they refer to; of global functions only those of the
    same file, since libraries have no end. Not opened are containers and attributes of objects: `nets[0]` is seen as
    the list `nets`, and `model.net` as `model`.
    """
    return list(_opened(f, set()))


def _opened(part: Any, seen: set[int]) -> Iterator[Any]:
    is_open = isfunction(part) or ismethod(part) or isinstance(part, partial)
    if not is_open:
        yield part
    elif id(part) not in seen:  # functions may refer to themselves
        seen.add(id(part))
        inside = _of_function if isfunction(part) else _of_method if ismethod(part) else _of_partial
        yield from inside(part, seen)


def _of_function(f: Any, seen: set[int]) -> Iterator[Any]:
    yield f.__code__
    for cell in f.__closure__ or ():
        yield from _opened(cell.cell_contents, seen) if _is_filled(cell) else ()
    for name in _global_names(f.__code__):
        part = f.__globals__.get(name)
        is_near = ismethod(part) or getattr(part, "__globals__", None) is f.__globals__
        yield from _opened(part, seen) if is_near else (part,)
    for part in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
        yield from _opened(part, seen)


def _of_method(method: Any, seen: set[int]) -> Iterator[Any]:
    yield from _opened(method.__func__, seen)
    yield method.__self__


def _of_partial(f: partial[Any], seen: set[int]) -> Iterator[Any]:
    for part in (f.func, *f.args, *f.keywords, *f.keywords.values()):
        yield from _opened(part, seen)


@lru_cache(maxsize=1024)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """Names that are read as global variables, also by functions inside; `co_names` has those of attributes as well."""
    own = [step.argval for step in get_instructions(code) if step.opname == "LOAD_GLOBAL"]
    inner = [name for const in code.co_consts if iscode(const) for name in _global_names(const)]
    return tuple(dict.fromkeys([*own, *inner]))


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # a variable that is not assigned yet
        return False
