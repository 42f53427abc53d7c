"""What XLA says of a compiled program."""

from __future__ import annotations

from typing import Any


def temporary_bytes(compiled: Any) -> int:
    return compiled.memory_analysis().temp_size_in_bytes


def flops(program: Any) -> float:
    """Of a lowered or compiled program. A loop counts as one turn of it."""
    return program.cost_analysis()["flops"]


def has_loops(compiled: Any) -> bool:
    return " while(" in compiled.as_text()
