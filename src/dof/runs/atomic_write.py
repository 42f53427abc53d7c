"""Files that are whole or not there: a process that dies while it writes leaves the file from before."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where a disk, or the share of it that one may have, is full."""


@contextmanager
def told_where(path: Path) -> Iterator[None]:
    """Say in errors of the system which file was being written, and in which folder."""
    try:
        yield
    except OSError as error:
        said = f"{error.strerror or error}: {path.name} cannot be written into {str(path.parent)!r}"
        fix = "free some space there" if error.errno in NO_SPACE else "permission to write there"
        raise OSError(error.errno, f"{said}.\n  Fix: {fix}, or --out with another folder") from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name, down to the disk, and give it its own name then."""
    part = path.with_name(f".{path.name}.part")
    with told_where(path):
        try:
            with part.open("wb") as file:
                _write_down(file, data)
            part.replace(path)
        except OSError:
            # On a full disk the part takes space that is needed.
            part.unlink(missing_ok=True)
            raise


def append_line(path: Path, text: str) -> None:
    """Add a line to a file, down to the disk."""
    with told_where(path), path.open("ab") as file:
        _write_down(file, f"{text}\n".encode())


def _write_down(file: Any, data: bytes) -> None:
    file.write(data)
    file.flush()
    # Without it a new name may reach the disk before the bytes do, and a machine that stops leaves an empty file.
    os.fsync(file.fileno())
