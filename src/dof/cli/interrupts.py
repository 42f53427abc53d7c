"""Ctrl-C and SIGTERM as one KeyboardInterrupt that is not lost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
AGAIN_AFTER = 0.05
"""Seconds until a signal is sent again that came where exceptions are dropped; such calls take far less."""
DROPPED_IN = ("_xla_gc_callback", "__del__")
"""Functions whose exceptions Python prints and drops: JAX's callback of the garbage collector, which runs often while a
program is compiled, and finalisers. Ctrl-C in there would have no effect."""


@contextmanager
def interrupts_raised() -> Iterator[None]:
    """Raise KeyboardInterrupt at either signal; what the process was told to ignore stays ignored."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _is_dropped_in(frame):
        again = threading.Timer(AGAIN_AFTER, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()
        return
    raise KeyboardInterrupt


def _is_dropped_in(frame: FrameType | None) -> bool:
    """Whether a frame, or one that called it, drops exceptions."""
    while frame is not None:
        if frame.f_code.co_name in DROPPED_IN:
            return True
        frame = frame.f_back
    return False
