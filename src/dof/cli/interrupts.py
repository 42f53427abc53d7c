"""Ctrl-C and SIGTERM as one KeyboardInterrupt that is not lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)
AGAIN_AFTER = 0.05
"""Seconds until an interrupt is sent again that came where exceptions are dropped; such calls take far less."""


@contextmanager
def interrupts_raised() -> Iterator[None]:
    """Raise KeyboardInterrupt at either signal; what the process was told to ignore stays ignored.

    Python prints and drops exceptions in callbacks of the garbage collector and of weak references, of which JAX has
    many while a program is compiled, and in finalisers: an interrupt that falls into one of these comes again.
    """
    before, dropped = {number: signal.getsignal(number) for number in SIGNALS}, sys.unraisablehook
    came, again = signal.SIGINT, threading.Timer(AGAIN_AFTER, os.getpid)  # not started: none is under way

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = signal.Signals(number)
        raise KeyboardInterrupt

    def on_dropped(what: Any) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            dropped(what)
            return
        # One at a time: a second one would interrupt what comes after the first.
        nonlocal again
        again.cancel()
        again = threading.Timer(AGAIN_AFTER, os.kill, (os.getpid(), came))
        again.daemon = True
        again.start()

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    sys.unraisablehook = on_dropped
    try:
        yield
    finally:
        again.cancel()
        sys.unraisablehook = dropped
        for number, handler in before.items():
            signal.signal(number, handler)
