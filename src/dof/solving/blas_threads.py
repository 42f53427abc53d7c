"""One BLAS thread during training, also where several threads of Python train at the same time.

LAPACK's threads wait for each other in loops: beside other programs two of them are forty times as slow as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits


class _OneThread:
    """The limit, which belongs to the whole process, and how many are using it.

    A limit of one's own for each user would be restored in the order of leaving: who comes second finds one thread,
    and restores one thread after the first has restored all of them.
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._limit: threadpool_limits | None = None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limit = threadpool_limits(1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._limit is not None:
                self._limit.restore_original_limits()


_ONE_THREAD = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it BLAS and LAPACK have one thread. The last to leave restores the number there was before the first."""
    _ONE_THREAD.enter()
    try:
        yield
    finally:
        _ONE_THREAD.leave()
