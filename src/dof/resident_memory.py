"""The memory of this process: what is resident now, and the peak that a call takes."""

from __future__ import annotations

import ctypes
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident_bytes() -> int:
    """Memory of this process that is resident now; 0 where the system does not say."""
    return _status("VmRSS") or 0


def restart_peak() -> None:
    """Give unused memory back to the system and reset its record of the peak; does nothing except on Linux."""
    if CLEAR.exists():
        # Freed memory that the allocator keeps is still resident: taken again, it would not show in the peak.
        ctypes.CDLL(None).malloc_trim(0)
        # 5 resets the peak (VmHWM), see proc_pid_clear_refs(5).
        CLEAR.write_text("5")


def peak_resident_bytes() -> int:
    """The most that was resident since `restart_peak`, or since the process began."""
    # getrusage counts in kilobytes, on macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def with_peak(call: Callable[[], Any]) -> tuple[Any, int]:
    """The result of a call, and the bytes that it added to the resident memory at its peak."""
    restart_peak()
    before = resident_bytes()
    result = call()
    return result, max(0, peak_resident_bytes() - before)


def _status(field: str) -> int | None:
    if not STATUS.exists():
        return None
    lines = [line for line in STATUS.read_text().splitlines() if line.startswith(field)]
    return int(lines[0].split()[1]) * 1024 if lines else None
