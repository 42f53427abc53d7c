"""What a solution that is rough or worse is advised, and how states and unknowns are told."""

from dataclasses import replace

import pytest

from dof.solving import Report, Settings
from dof.solving.measuring.next_step import idle_since, next_step
from dof.solving.measuring.quality import quality
from dof.solving.measuring.training_report import fitted_residuals, steps_taken, unknown_texts

SETTINGS = Settings(points=1000, adam=100, newton=300)


def report(step=400, error=None, fitted=1.0, **residuals):
    """A report of terms whose residuals on fitted points are `fitted` times those on fresh ones."""
    residuals = residuals or {"equation": 2e-2}
    fresh = {name: share**2 for name, share in residuals.items()}
    size = sum(fresh.values()) ** 0.5
    losses = {name: loss * fitted**2 for name, loss in fresh.items()}
    return Report(step, "gauss-newton", 0.0, losses, fresh, residuals, size, fitted * size, error, {}, 1.0, 0.1, 1.0)


def falling(*shares, **more):
    """Reports of equal intervals."""
    steps = [400 * (k + 1) // len(shares) for k in range(len(shares))]
    return [report(step, equation=share, **more) for step, share in zip(steps, shares, strict=True)]


@pytest.mark.parametrize(
    ("history", "said", "fix"),
    [
        ([report(equation=1e-3, initial=7e-3, fitted=0.2)], "`initial` is fitted at its points", "edge_points=1000"),
        ([report(fitted=0.2)], "`equation` is fitted at its points", "points=4000"),
        (falling(0.2, 0.1, 0.05, 0.02), "still becoming smaller", "newton=600"),
        (falling(0.2, 0.02, 0.021, 0.0195), "From step 200 of 400 on", "width=64"),
        ([report(equation=2e-3, data=1.4e-2)], "as good as it can be", "width=64, if their noise is less"),
        ([report(equation=1e-6, error=1.2)], "another solution than the reference", "seed=1"),
        ([report(40)], "ended after 40 of 400 steps", "all of its steps"),
    ],
)
def test_what_is_rough_is_advised_what_limits_it(history, said, fix):
    advice = next_step(history, SETTINGS, given={"data"})
    assert said in advice and f"\n  Fix: {fix}" in advice


def test_other_ends_of_training():
    assert "Fix: newton=300" in next_step([report()], replace(SETTINGS, adam=400, newton=0))
    assert "Fix: tolerance=1e-03" in next_step([report(40, equation=9e-3)], replace(SETTINGS, tolerance=1e-2))


def test_noise_in_data_does_not_hide_a_term_that_has_too_few_points():
    wrong, noise = report(equation=2.3e-2, fitted=0.28), report(equation=1e-2, data=1.3e-2)
    both = replace(wrong, residuals=wrong.residuals | {"data": 1.3e-2}, fitted=1.5e-2)
    both = replace(both, losses=both.losses | noise.losses | wrong.losses, fresh_losses=noise.fresh_losses)
    both = replace(both, fresh_losses=both.fresh_losses | wrong.fresh_losses)
    assert "Fix: points=4000" in next_step([both], SETTINGS, given={"data"})


def test_a_good_solution_is_advised_nothing():
    assert next_step([report(equation=1e-4)], SETTINGS) == ""
    assert next_step([report(equation=0.5, error=1e-4)], SETTINGS) == ""


def test_steps_that_bring_nothing_are_counted_from_the_first_state_that_is_as_good():
    assert idle_since(falling(0.5, 0.02, 0.0199, 0.0198)) == 200
    assert idle_since(falling(0.5, 0.1, 0.05, 0.02)) is None


def test_data_have_no_fresh_points_and_may_be_noise():
    said = quality(report(equation=2e-3, data=1.4e-2), given={"data"}).text
    assert "`data` is fulfilled to 1.4 % of its size at its points, which may be its noise" in said
    assert "`equation` is fulfilled to 0.2 % of the size of its terms on fresh points" in said
    assert "data" not in quality(report(equation=2e-2, data=1e-3), given={"data"}).text


def test_unknowns_have_as_many_digits_as_the_residual_and_are_in_each_report():
    value = 0.28452190810650396
    assert unknown_texts({"c": value}, 3e-2) == {"c": "0.2845"}
    assert unknown_texts({"c": value}, 1e-7) == {"c": "0.28452191"}
    assert unknown_texts({"c": [value] * 6}, 1.0) == {"c": "[0.2845, 0.2845, 0.2845, 0.2845, … (6 numbers)]"}
    assert unknown_texts({"c": value}, float("nan")) == {"c": "0.2845"}
    assert ", c = 0.2845, " in str(replace(report(), unknowns={"c": value}))


def test_the_step_that_is_kept_is_said_where_it_is_not_the_last():
    assert steps_taken(400, 345) == "400 steps (the state of step 345 is kept)"
    assert steps_taken(400, 400) == "400 steps"


def test_residuals_at_fitted_points_are_relative_to_the_same_sizes():
    assert fitted_residuals(report(equation=2e-2, initial=1e-3, fitted=0.5)) == {"equation": 1e-2, "initial": 5e-4}
    exact = replace(report(), fresh_losses={"equation": 0.0}, losses={"equation": 0.0}, residuals={"equation": 0.0})
    assert fitted_residuals(exact) == {"equation": 0.0}


def test_a_residual_that_is_no_number_is_told():
    advice = next_step([report(equation=float("nan"))], SETTINGS)
    assert "is no number somewhere in the domain" in advice and "Fix: " in advice
