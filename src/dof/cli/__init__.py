"""The command `dof`, which needs packages that are not installed with the library alone."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code of what Ctrl-C or SIGTERM has ended, as shells have it."""


def main() -> None:
    """Run the command, or say what to install for it."""
    try:
        with _ended_by_interrupt():
            from dof.cli.app import app
    except ModuleNotFoundError as error:
        print(f'The command `dof` needs {error.name}. Install it with:  pip install "dof[cli]"', file=sys.stderr)
        sys.exit(2)
    try:
        app()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _end_now()
        raise


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """End the process at Ctrl-C: imports take seconds, and libraries crash where an exception ends their own.

    Once a command runs, it has its own word for an interrupt.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: _end_now())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_now() -> None:
    """End the process without an orderly end, which takes away what a step uses that still runs in threads of XLA."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)
