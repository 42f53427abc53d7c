"""Time in windows: each starts where the one before ended."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.measuring.training_plots import plot_training
from dof.solving.solver import training_in_window

SMALL = {"adam": 0, "newton": 6, "points": 50, "width": 6, "depth": 1, "report": 6, "error_points": 64}


@pde.residual("x t")
def wave(u, x, t):
    return u.tt - u.xx


def problem(**changes):
    conditions = [
        pde.dirichlet(0.0, hard=True),
        pde.initial(lambda x, t: jnp.sin(jnp.pi * x), hard=True),
        pde.initial_velocity(0.0, hard=True),
        pde.data([[0.5, 0.25], [0.5, 0.75]], [2**-0.5, -(2**-0.5)], weight=1e-3),
    ]
    exact = lambda x, t: jnp.sin(jnp.pi * x) * jnp.cos(jnp.pi * t)  # noqa: E731
    whole = {"conditions": conditions, "reference": exact} | changes
    return pde.Problem(wave, pde.Interval(0, 1) * pde.Time(0, 1), **whole)


@pytest.fixture(scope="module")
def solution():
    return dof.solve(problem(), windows=2, **SMALL)


def test_windows_go_on_with_value_and_velocity(solution):
    first, second = solution.windows
    assert [window.problem.domain.bounds[0][1] for window in solution.windows] == [0, 0.5]
    x = np.linspace(0.1, 0.9, 5)
    np.testing.assert_allclose(second(x, 0.5), first(x, 0.5), rtol=1e-10)
    np.testing.assert_allclose(second.d("t")(x, 0.5), first.d("t")(x, 0.5), rtol=1e-10)
    np.testing.assert_array_equal(solution(x, 0.2), first(x, 0.2))
    np.testing.assert_array_equal(solution(x, 0.7), second(x, 0.7))
    # That of the initial value alone, u₀ at all times, is 1.4.
    assert solution.error < 0.3
    assert [len(c.z) for w in solution.windows for c in w.problem.conditions[3:]] == [1, 1]
    assert len(solution.history) == 2 and "2 windows" in repr(solution)
    assert solution.relative_residual == max(w.relative_residual for w in solution.windows)
    assert f"the error is {100 * solution.error:.2g} %" in solution.quality


def test_windows_are_the_same_from_a_file(solution, tmp_path):
    solution.save(tmp_path / "wave.safetensors")
    again = dof.load(tmp_path / "wave.safetensors", problem())
    points = np.random.default_rng(0).random((20, 2))
    np.testing.assert_array_equal(again(points), solution(points))
    np.testing.assert_array_equal(again.d("t")(points), solution.d("t")(points))
    assert again.history == solution.history and again.error == solution.error
    later = solution.windows[1]
    later.save(tmp_path / "later.safetensors")
    x = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(dof.load(tmp_path / "later.safetensors", later.problem)(x, 0.8), later(x, 0.8))


@pytest.mark.parametrize(
    ("changes", "windows", "said"),
    [
        ({}, 0, "`windows` is 0"),
        ({}, 2.0, r"`windows` is 2\.0"),
        ({"conditions": [pde.dirichlet(0.0)]}, 2, "need an initial condition"),
    ],
)
def test_windows_that_cannot_be_are_refused(changes, windows, said):
    with pytest.raises(dof.DofError, match=said):
        dof.solve(problem(**changes), windows=windows, **SMALL)


def ramp(reference):
    """u stays zero in the first half of time."""
    equation = pde.residual("t")(lambda u, t: u.t - 3 * jnp.maximum(t - 2, 0.0) ** 2)
    return pde.Problem(equation, pde.Time(0, 4), [pde.initial(0.0)], reference=reference)


def test_a_window_where_the_reference_is_zero_has_no_error():
    solution = dof.solve(ramp(lambda t: jnp.maximum(t - 2, 0.0) ** 3), windows=2, **SMALL)
    first, second = solution.windows
    assert first.error is None and second.error is not None and solution.error is not None
    # The first report has no error; that of the later ones is drawn.
    labels = [text.get_text() for text in plot_training(solution.history).axes[0].get_legend().get_texts()]
    assert "relative error" in labels


@pytest.mark.filterwarnings("ignore:The reference")
@pytest.mark.parametrize(
    ("reference", "said"), [(lambda t: 0 * t, "zero everywhere"), (lambda t: jnp.sqrt(3 - t), "no number at")]
)
def test_a_reference_without_values_is_refused_before_the_first_window(reference, said):
    reports = []
    with pytest.raises(dof.ArgumentError, match=f"`reference` is {said}"):
        dof.solve(ramp(reference), windows=2, on_report=reports.append, **SMALL)
    assert reports == []


def test_what_the_window_before_ended_with_does_not_speak_against_the_reference():
    few = SMALL | {"windows": 2, "newton": 1}
    decay = pde.residual("t")(lambda u, t: u.t + u)
    whole = pde.Problem(decay, pde.Time(0, 8), [pde.initial(1.0)], reference=lambda t: jnp.exp(-t))
    first = dof.solve(whole, **few | {"windows": 1})
    assert abs(first([4.0]) - np.exp(-4)) > 0.1 * np.exp(-4)
    assert not any("The reference" in text for text in training_in_window(whole, (first,), None, few).advice)
