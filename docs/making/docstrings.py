"""Docstrings as Markdown: examples become code, and `name: …` at the start of a line an entry of a list."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*\n?)+", flags=re.M)
"""From a prompt to the next empty line, and on while prompts follow."""
ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?::| {2,}) *(?=\S)((?:.*)(?:\n +.*)*)", flags=re.M)
"""`name: text` or `name   text`, with what is indented below it."""


class AsMarkdown(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    before, example, after = _split(docstring)
    fenced = f"\n```pycon\n{example.strip()}\n```\n" if example else ""
    return ENTRY.sub(_entry, before) + fenced + (as_markdown(after) if after else "")


def _split(docstring: str) -> tuple[str, str, str]:
    found = EXAMPLE.search(docstring)
    if found is None:
        return docstring, "", ""
    return docstring[: found.start()], found[0], docstring[found.end() :]


def _entry(found: re.Match[str]) -> str:
    names = ", ".join(f"`{name}`" for name in found[1].split(", "))
    return f"\n- {names}: {' '.join(found[2].split())}"
