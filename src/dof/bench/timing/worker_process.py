"""One process for each method, seen from outside: it answers, fails, or is ended when it takes too long."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from typing import Any

from dof.bench.timing.worker import Job, serve


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    reason: str


class WorkerProcess:
    """A fresh process that works on one job, so that methods share neither memory nor compiled programs."""

    def __init__(self, job: Job) -> None:
        """Start the process."""
        # Several processes share one accelerator: none may take all of its memory in advance.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        # Not forked: a copy of a process in which JAX has started threads can hang.
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, job), daemon=True)
        self._process.start()
        # Only the child has the other end now, so that its death is seen as EOFError.
        theirs.close()

    def ask(self, *command: Any, seconds: float) -> Any:
        """The answer to a command, or a `Failure` after which the process is gone."""
        try:
            self._connection.send(command)
            if not self._connection.poll(seconds):
                # The process is ended: a late answer would be taken for that to the next command.
                return self._fail(f"no result in {seconds:.0f} s")
            is_answer, answer = self._connection.recv()
        except (EOFError, OSError):
            self._process.join(5)
            return self._fail(_reason(self._process.exitcode))
        return answer if is_answer else self._fail(answer)

    def _fail(self, reason: str) -> Failure:
        self.stop()
        return Failure(reason)

    def stop(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.kill()
        self._process.join()


def _reason(exit_code: int | None) -> str:
    # Killed by the system (−9) or aborted (−6): most likely it took too much memory.
    if exit_code in (-9, -6):
        return "out of memory: the process was ended"
    return f"the process ended with exit code {exit_code}"
