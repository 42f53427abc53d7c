"""Ctrl-C and SIGTERM: one KeyboardInterrupt, also where Python would drop it."""

import gc
import signal
import time

import pytest

from dof.cli.interrupts import SIGNALS, interrupts_raised


@pytest.mark.parametrize("number", SIGNALS)
def test_either_signal_interrupts_and_handlers_come_back(number):
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with pytest.raises(KeyboardInterrupt), interrupts_raised():
        signal.raise_signal(number)
        time.sleep(5)
    assert {each: signal.getsignal(each) for each in SIGNALS} == before


def test_an_interrupt_in_a_callback_of_the_garbage_collector_comes_again():
    """Without it Python prints "Exception ignored in" and goes on, as if nobody had pressed Ctrl-C."""
    seen = []

    def _xla_gc_callback(*_):  # by the name that JAX gives its own
        if not seen:
            seen.append(True)
            signal.raise_signal(signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt), interrupts_raised():
            # Not before: Python collects when it likes, and then the signal would not find the handler.
            gc.callbacks.append(_xla_gc_callback)
            gc.collect()
            time.sleep(5)
    finally:
        gc.callbacks.remove(_xla_gc_callback)
    assert seen


def test_what_is_ignored_stays_ignored():
    """As of a job in the background of a shell, which Ctrl-C in its terminal must not end."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_raised():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
