"""When there are new points, which state is kept, and when training ends."""

from dataclasses import replace

import numpy as np
import pytest

from dof.solving.measuring.early_stopping import Progress, interval_length, is_enough
from dof.solving.settings import Settings


def test_new_points_come_sooner_once_the_two_have_parted(overfitted):
    # First there are twice as many, which are still too few.
    assert [report.step for report in overfitted.history[:4]] == [8, 16, 18, 20]


def test_the_solution_is_the_state_with_the_smallest_residual(overfitted):
    assert overfitted.relative_residual == min(report.residual for report in overfitted.history)
    points = np.random.default_rng(0).random((2000, 3))
    exact = np.prod(np.sin(np.pi * points), axis=1)
    error = np.linalg.norm(overfitted(points) - exact) / np.linalg.norm(exact)
    assert overfitted.error == pytest.approx(error, rel=0.2)


def test_patience_counts_reports_without_a_smaller_residual(overfitted):
    report, settings = overfitted.history[0], Settings(patience=2)
    progress = Progress(None)
    for residual in (0.5, 0.7, 0.4, 0.6, 0.4):
        assert not is_enough(settings, progress)
        progress = progress.after(replace(report, residual=residual, fitted=residual), residual, is_last=True)
    assert is_enough(settings, progress) and progress.best == 0.4
    assert not is_enough(Settings(), progress) and is_enough(Settings(tolerance=0.4), progress)
    assert interval_length(settings, progress) == settings.report


@pytest.mark.parametrize(("settings", "length"), [({}, 20), ({"adaptive": True}, 5), ({"optimiser": "lbfgs"}, 5)])
def test_intervals_are_shorter_where_more_points_are_not_enough(overfitted, settings, length):
    chosen = Settings(**settings).chosen_for(100, 1)
    once = Progress(None).after(overfitted.history[0], None, is_last=True)
    again = once.after(overfitted.history[0], None, is_last=True)
    assert [interval_length(chosen, progress) for progress in (Progress(None), once, again)] == [20, length, 5]
