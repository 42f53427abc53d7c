"""Files that are whole or not there: a process that dies while it writes leaves the file from before."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name, down to the disk, and give it its own name then."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        # Without it the new name may reach the disk before the bytes do, and a machine that stops leaves an empty file.
        os.fsync(file.fileno())
    part.replace(path)
