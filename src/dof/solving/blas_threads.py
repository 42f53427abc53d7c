"""One BLAS thread during training, also where several threads of Python train at the same time.

LAPACK's threads wait for each other in busy loops: on a machine whose cores are taken by other programs, two threads
were seen to be forty times slower than one (how it was measured is not recorded).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import OpenBLASController, threadpool_limits


class _OneThread:
    """The limit, which belongs to the whole process, and how many threads of Python train under it.

    They are counted, and only the first sets the limit and the last restores it. If each thread had a limit of its own,
    the second would find one BLAS thread as the number before, and leave BLAS at one when it restores it.
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._limit: threadpool_limits | None = None

    def enter(self) -> None:
        """Set the limit if nobody has."""
        with self._lock:
            if self._users == 0:
                self._limit = threadpool_limits(1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        """Restore what there was before if nobody else trains."""
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._limit is not None:
                self._limit.restore_original_limits()
            # From threadpoolctl 3.8 on limits are changed by the thread that did so first, and silently not by others,
            # until it gives this up: another one may have to restore them.
            release = getattr(OpenBLASController, "clear_controlling_thread", None)
            if release is not None:
                release()


_ONE_THREAD = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it BLAS and LAPACK have one thread. The last to leave restores the number there was before the first."""
    _ONE_THREAD.enter()
    try:
        yield
    finally:
        _ONE_THREAD.leave()
