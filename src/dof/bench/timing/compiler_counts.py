"""Memory and flops of a program as XLA's compiler counts them."""

from __future__ import annotations

from typing import Any


def temporary_bytes(compiled: Any) -> int:
    """Memory that the program needs beyond its arguments and results."""
    return compiled.memory_analysis().temp_size_in_bytes


def flops(program: Any) -> float:
    """Flops of a lowered or compiled program; the body of a loop counts once, however often it runs."""
    return program.cost_analysis()["flops"]


def flops_if_exact(compiled: Any) -> float | None:
    """Flops of a compiled program, or None if it has loops."""
    # XLA turns scans and maps into while instructions, whose bodies it counts once.
    return None if " while(" in compiled.as_text() else flops(compiled)
