"""Pictures of a training."""

from dataclasses import replace

import dof
from dof.solving.measuring.training_plots import plot_training
from problems import LINE

SMALL = {"width": 12, "depth": 1, "points": 60, "edge_points": 20, "report": 5, "error_points": 64}


def test_both_residuals_are_plotted_and_the_phases_named(overfitted):
    figure = plot_training(overfitted.history)
    (axis,) = figure.axes
    assert {"fresh points: equation", "fitted points"} <= {line.get_label() for line in axis.lines}
    assert [text.get_text().strip() for text in axis.texts] == ["gauss-newton"]


def test_training_is_plotted_with_the_names_that_each_report_has():
    """As in a run that was begun when terms had other names."""
    (report,) = dof.solve(LINE, **SMALL, adam=1, newton=0).history
    figure = plot_training([report, replace(report, residuals={f"term {k}": 1.0 for k in range(20)})])
    names = [line.get_label() for line in figure.axes[0].lines]
    assert names[:3] == [f"fresh points: {name}" for name in report.losses] and "fresh points: term 19" in names
