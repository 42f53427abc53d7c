"""Ctrl-C and SIGTERM: one KeyboardInterrupt, also where Python would drop it."""

import gc
import os
import signal
import sys
import time
import weakref

import pytest

from dof.cli import INTERRUPTED, main
from dof.cli.app import app
from dof.cli.interrupts import AGAIN_AFTER, SIGNALS, interrupts_raised


@pytest.mark.parametrize("number", SIGNALS)
def test_either_signal_interrupts_and_handlers_come_back(number):
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with pytest.raises(KeyboardInterrupt), interrupts_raised():
        signal.raise_signal(number)
        time.sleep(5)
    assert {each: signal.getsignal(each) for each in SIGNALS} == before


def _in_the_garbage_collector():
    gc.callbacks.append(_raise)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(_raise)


def _raise(*_):
    signal.raise_signal(signal.SIGINT)


class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)


def _in_a_weak_reference():
    class Referred:
        pass

    referred = Referred()
    kept = weakref.ref(referred, _raise)
    del referred
    return kept


@pytest.mark.parametrize("drops", [_in_the_garbage_collector, Finalised, _in_a_weak_reference])
def test_an_interrupt_where_exceptions_are_dropped_comes_again(drops):
    """Without it Python prints "Exception ignored in" and goes on, as if nobody had pressed Ctrl-C."""
    left = False
    with pytest.raises(KeyboardInterrupt), interrupts_raised():
        drops()  # nothing keeps the object, so that it is finalised at once
        left = True
        time.sleep(5)
    assert left
    time.sleep(4 * AGAIN_AFTER)  # and once only, though the collector calls back at its start and its end


def test_other_exceptions_that_are_dropped_are_printed_as_before(monkeypatch):
    class Faulty:
        def __del__(self):
            raise ValueError

    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: printed.append(what.exc_type))
    with interrupts_raised():
        Faulty()
    assert printed == [ValueError]


def test_what_is_ignored_stays_ignored():
    """As of a job in the background of a shell, which Ctrl-C in its terminal must not end."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_raised():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


class Ended(BaseException):
    pass


@pytest.fixture
def ends(monkeypatch):
    """The codes that the process would have been ended with at once."""
    codes = []

    def end(code):
        codes.append(code)
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    return codes


def test_an_interrupted_command_ends_at_once(ends, monkeypatch):
    """In an orderly end steps that still run in threads of XLA crash, and the exit code is that of the crash."""

    def interrupted():
        sys.exit(INTERRUPTED)

    monkeypatch.setattr("dof.cli.app.app", interrupted)
    with pytest.raises(Ended):
        main()
    assert ends == [INTERRUPTED]
    monkeypatch.setattr("dof.cli.app.app", lambda: sys.exit(2))
    with pytest.raises(SystemExit):
        main()


def test_an_interrupt_while_importing_ends_the_process(ends, monkeypatch):
    class Importing:
        def __getattr__(self, name):
            signal.raise_signal(signal.SIGINT)
            return app

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setitem(sys.modules, "dof.cli.app", Importing())
    with pytest.raises(Ended):
        main()
    assert set(ends) == {INTERRUPTED} and signal.getsignal(signal.SIGINT) is before
