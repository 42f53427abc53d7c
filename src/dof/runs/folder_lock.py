"""One process at a time in the folder of a run. The system releases the lock when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dof.errors import ArgumentError, describe
from dof.runs.atomic_write import told_where

LOCK = ".lock"
"""The file that is locked; it has the number of the process and stays when the lock is released."""


@contextmanager
def locked(folder: Path, argument: str) -> Iterator[None]:
    """Keep other processes out of a folder, which is made if it is not there.

    Args:
        folder: The folder of a run.
        argument: The option that named it, for the error.

    Raises:
        ArgumentError: If another process is in it.
    """
    path = folder / LOCK
    with told_where(path):
        folder.mkdir(parents=True, exist_ok=True)
        # Not "w", which would empty the file before it is known to be free.
        file = path.open("a+")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            found = f"{str(folder)!r} is in use by the process {owner}"
            raise ArgumentError(
                describe(argument, found, "a folder of its own", f"wait for it, or kill {owner}")
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
