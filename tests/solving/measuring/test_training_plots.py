"""Pictures of a training."""

from dof.solving.measuring.training_plots import plot_training


def test_both_residuals_are_plotted_and_the_phases_named(overfitted):
    figure = plot_training(overfitted.history)
    (axis,) = figure.axes
    assert {"fresh points: equation", "fitted points"} <= {line.get_label() for line in axis.lines}
    assert [text.get_text().strip() for text in axis.texts] == ["gauss-newton"]
