"""One BLAS thread while anybody trains, and as many as before when nobody does."""

from threading import Barrier, Thread

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dof.solving.blas_threads import one_blas_thread


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def in_a_thread(action):
    """Some versions of threadpoolctl let nobody else change a limit as long as the thread lives that changed it."""
    thread = Thread(target=action)
    thread.start()
    thread.join()


@pytest.fixture(autouse=True)
def two_threads():
    """Two BLAS threads to begin with, also on a machine with one core."""
    limits = []
    in_a_thread(lambda: limits.append(threadpool_limits(2, user_api="blas")))
    assert blas_threads() == {2}
    yield
    in_a_thread(limits[0].restore_original_limits)


def test_two_threads_that_overlap_leave_what_they_found():
    """The first leaves before the second does: both have entered, one of them while the limit was set."""
    barrier, seen = Barrier(2, timeout=60), {}

    def first():
        with one_blas_thread():
            barrier.wait()
            barrier.wait()  # both are in
        barrier.wait()  # the first is out
        barrier.wait()  # both are out, and this thread still lives

    def second():
        barrier.wait()
        with one_blas_thread():
            barrier.wait()
            barrier.wait()
            seen["alone"] = blas_threads()
        seen["after"] = blas_threads()
        barrier.wait()

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"alone": {1}, "after": {2}} and blas_threads() == {2}


def test_the_limit_is_lifted_after_an_error():
    with pytest.raises(ValueError), one_blas_thread():
        assert blas_threads() == {1}
        raise ValueError
    assert blas_threads() == {2}
