"""What the machine is: its free memory, processor, cores, and the versions of what runs on it."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("dof", "jax", "jaxlib", "numpy", "folx", "torch", "deepxde")


def free_bytes() -> int:
    """Memory that programs can take without swapping."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        fields = dict(line.split(":") for line in meminfo.read_text().splitlines())
        return int(fields["MemAvailable"].split()[0]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def limit_memory(most: int) -> None:
    """Limit the data of this process to `most` bytes, so that an allocation fails before the system kills a process."""
    # Only on Linux (since 4.7) does RLIMIT_DATA count memory from mmap, where large arrays are.
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))


def use_one_core() -> None:
    """Keep this process on one core, where the system can; to be called before JAX starts its threads.

    jaxlib 0.10 waits forever if a program runs as many LAPACK calls side by side as it has threads, but not with one.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def processor() -> str:
    """The name of the processor."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine_facts() -> dict[str, Any]:
    """System, processor, number of cores that this process may use, and memory in bytes."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
    }


def _commit() -> dict[str, str]:
    """The commit that runs, with the word dirty after changes to it; nothing where dof is installed from a wheel."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists() or shutil.which("git") is None:
        return {}
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    return {"commit": done.stdout.strip()} if done.returncode == 0 else {}


def versions() -> dict[str, str]:
    """Versions of Python and of those of `PACKAGES` that are installed, and the commit of a checkout of dof."""
    found = {"python": platform.python_version(), **_commit()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
