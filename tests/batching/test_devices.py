"""Eight devices give the same numbers as one: in one process, and in two."""

import os
import socket
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "run_on_devices.py"
SOURCE = Path(__file__).parents[2] / "src"


def start(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_eight_devices():
    output, _ = start().communicate(timeout=300)
    assert output.endswith("same\n"), output


def test_two_processes():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    processes = [start(str(number), address) for number in range(2)]
    for process in processes:
        output, _ = process.communicate(timeout=300)
        assert "same\n" in output, output
