"""Puts the operations of PyTorch that have rules into docs/reference/pytorch-operations.md, file by file.

    python docs/making/torch_operations.py

It needs PyTorch 2.13: `.venv-torch/bin/python`, which `make test-torch` makes. A test compares the page with the rules.
"""

from __future__ import annotations

import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.overrides import resolve_name

import dof.torch.rules
from dof.torch.jets import taylor_by_hand
from dof.torch.registry import FUNCTIONS, RECORDS
from dof.torch.rules import elementwise_by_hand
from dof.torch.rules.fused import derivatives

PAGE = Path(__file__).parents[1] / "reference" / "pytorch-operations.md"
MARKS = re.compile(r"(<!-- table: operations -->\n).*?(<!-- end of table -->)", flags=re.S)
FOLDER = Path(dof.torch.rules.__file__).parent
PACKAGE = FOLDER.parents[1]
BY_HAND = {
    "f' and f''": (elementwise_by_hand, "BY_HAND"),
    "f''', for gradients of fused kernels": (elementwise_by_hand, "THIRD"),
    "f' and f'' without fresh memory, in fused kernels": (derivatives, "WRITTEN"),
    "Taylor coefficients, for an order above two": (taylor_by_hand, "BY_HAND"),
}
"""Tables of derivatives written by hand: (file, name of the table)."""

Registered = tuple[dict[Any, Any], dict[Any, Any]]


def registered(file: Path) -> Registered:
    """The records and the functions that a file of rules registers, found by running it once more."""
    before = dict(RECORDS), dict(FUNCTIONS)
    RECORDS.clear()
    FUNCTIONS.clear()
    importlib.reload(importlib.import_module(_module(file)))
    found = dict(RECORDS), dict(FUNCTIONS)
    RECORDS.update(before[0])
    FUNCTIONS.update(before[1])
    return found


def _module(file: Path) -> str:
    return ".".join(["dof", *file.relative_to(PACKAGE).with_suffix("").parts])


def table() -> str:
    """What is between the marks."""
    files = [file for file in sorted(FOLDER.rglob("*.py")) if file.name != "__init__.py"]
    found = {file: registered(file) for file in files}
    if sum(len(records) for records, _ in found.values()) != len(RECORDS):
        raise ValueError("an operation is registered in two files")
    by_name: dict[str, set[tuple[Path, str]]] = defaultdict(set)
    for file, (records, _) in found.items():
        for func, record in records.items():
            by_name[_name(func)].add((file, record.family))
    # A name of which overloads are in several places has them written out.
    split = {name for name, places in by_name.items() if len(places) > 1}
    return "\n".join(_lines(found, split, len(by_name))) + "\n"


def _lines(found: dict[Path, Registered], split: set[str], operations: int) -> Iterator[str]:
    overloads, functions = (sum(len(each[n]) for each in found.values()) for n in (0, 1))
    version = ".".join(torch.__version__.split(".")[:2])
    yield f"PyTorch {version}: {operations} operations with {overloads} overloads, and {functions} functions.\n"
    yield "## Registered, file by file"
    for file, (records, caught) in found.items():
        if records or caught:
            yield f"\n### {_path(file)}\n\n{_docstring(file)}\n"
            yield from _families(records, split)
            if caught:
                yield f"- functions ({len(caught)}): {_listed(_function_name(f) for f in caught)}"
    yield "\n## Elementwise, with derivatives by hand\n"
    for what, (module, name) in BY_HAND.items():
        names = {_name(func) for func in getattr(module, name)}
        yield f"- {what}: `{name}` in {_path(Path(module.__file__))} ({len(names)}): {_listed(names)}"
    yield "\n## What these rules are made of\n"
    yield from (f"- {_path(file)}: {_docstring(file)}" for file, each in found.items() if not any(each))


def _families(records: dict[Any, Any], split: set[str]) -> Iterator[str]:
    """A line for each family of the records of a file."""
    families: dict[str, set[str]] = defaultdict(set)
    for func, record in records.items():
        families[record.family].add(f"{_name(func)}.{func._overloadname}" if _name(func) in split else _name(func))
    for family, names in sorted(families.items()):
        yield f"- {family} ({len(names)}): {_listed(names)}"


def _name(func: Any) -> str:
    return func._schema.name.removeprefix("aten::")


def _function_name(function: Any) -> str:
    return resolve_name(function) or f"{function.__module__}.{function.__name__}"


def _listed(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names, key=lambda name: (name.lstrip("_"), name)))


def _path(file: Path) -> str:
    return f"`{file.relative_to(PACKAGE).as_posix()}`"


def _docstring(file: Path) -> str:
    """The first paragraph of what a file says of itself."""
    text = importlib.import_module(_module(file)).__doc__ or ""
    return " ".join(text.strip().split("\n\n")[0].split())


def made(page: str) -> str:
    """The text of the page with the operations as the rules register them."""
    return MARKS.sub(lambda found: found[1] + table() + found[2], page)


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
