"""Where a benchmark is: one live line on a terminal, a line for each case elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from dof.bench.timing.suites import OnProgress

# Tables go to the standard output, which may be a file.
QUIET = Console(stderr=True)


@contextmanager
def shown(total: int) -> Iterator[OnProgress]:
    """A function of (case, what is being done), to be called on the way through `total` cases, which shows both."""
    began, seen = time.monotonic(), []

    def text(case: str, step: str) -> str:
        if case not in seen:
            seen.append(case)
        return f"{len(seen)} of {total}  {case}: {step}  ({time.monotonic() - began:.0f} s)"

    if QUIET.is_terminal:
        with QUIET.status("starting") as status:
            yield lambda case, step: status.update(text(case, step))
        return

    def on_a_line(case: str, step: str) -> None:
        is_new = case not in seen
        line = text(case, step)
        if is_new:
            QUIET.print(line, highlight=False, soft_wrap=True)

    yield on_a_line
