"""The residual on fresh points: what it is, and what is decided by it."""

import re
import warnings
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import ArgumentError, pde
from dof.jax_compat import enable_x64
from dof.solving.checks.reference_check import on_reference
from dof.solving.measuring.early_stopping import Progress, interval_length, is_enough
from dof.solving.measuring.quality import quality
from dof.solving.measuring.training_plots import plot_training
from dof.solving.settings import Settings
from dof.solving.solver import training_of

FEW = {"width": 12, "depth": 1, "edge_points": 20, "error_points": 256, "report": 8}
EXACT = lambda x: jnp.prod(jnp.sin(np.pi * x))  # noqa: E731
WAVY = pde.Problem(
    pde.residual("x[3]")(lambda u, x: u.laplacian + 3 * np.pi**2 * EXACT(x)),
    pde.Box([0.0] * 3, [1.0] * 3),
    [pde.dirichlet(0.0, hard=True)],
    reference=EXACT,
)


@pytest.fixture(scope="module")
def overfitted():
    """A network of 61 parameters that fits 10 points exactly, with the warning that came before."""
    with pytest.warns(UserWarning, match=r"10 residuals for 61 parameters(.|\n)*points=1000"):
        return dof.solve(WAVY, **FEW, points=10, adam=0, newton=32)


def test_what_is_right_at_the_fitted_points_only_is_called_so(overfitted):
    first = overfitted.history[0]
    assert first.fitted < 1e-6 and first.residual > 0.1
    assert "wrong between them" in quality(first).text and quality(first).rank >= 3


def test_new_points_come_sooner_once_the_two_have_parted(overfitted):
    # First there are twice as many, which are still too few.
    assert [report.step for report in overfitted.history[:4]] == [8, 16, 18, 20]


def test_there_are_more_points_once_the_two_have_parted_and_more_where_the_residual_is_large():
    parted = Progress(None, has_parted=True)
    found = {}
    for adaptive in (False, "auto", True):
        with enable_x64():
            training = training_of(WAVY, None, {**FEW, "points": 200, "adaptive": adaptive})
            state = training.start()
            sizes = {
                n: training.batch(state._replace(progress=p))
                for n, p in (("usual", state.progress), ("parted", parted))
            }
            found[adaptive] = {
                n: (len(batch[0][0]), float(np.mean(training.points.squares(0, state.theta, batch[0]))))
                for n, batch in sizes.items()
            }
    even = found[False]["usual"]
    assert found[False]["parted"] == found["auto"]["usual"] == even and even[0] == 200
    assert found["auto"]["parted"][0] == 400 and found["auto"]["parted"][1] > 1.2 * even[1]
    assert found[True]["usual"][0] == 200 and found[True]["usual"][1] > 1.2 * even[1]


def test_the_solution_is_the_state_with_the_smallest_residual(overfitted):
    assert overfitted.relative_residual == min(report.residual for report in overfitted.history)
    points = np.random.default_rng(0).random((2000, 3))
    exact = np.prod(np.sin(np.pi * points), axis=1)
    error = np.linalg.norm(overfitted(points) - exact) / np.linalg.norm(exact)
    assert overfitted.error == pytest.approx(error, rel=0.2)


def test_both_residuals_are_plotted_and_the_phases_named(overfitted):
    figure = plot_training(overfitted.history)
    (axis,) = figure.axes
    assert {"fresh points: equation", "fitted points"} <= {line.get_label() for line in axis.lines}
    assert [text.get_text().strip() for text in axis.texts] == ["gauss-newton"]


def test_with_enough_points_there_is_no_warning_and_a_good_solution_is_called_good():
    line = pde.Problem(
        pde.residual("x")(lambda u, x: u.xx + jnp.sin(x)),
        pde.Interval(0, np.pi),
        [pde.dirichlet(0.0, on="x=0"), pde.neumann(-1.0, on=f"x={np.pi}")],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = dof.solve(line, **FEW, points=60, adam=0, newton=200, tolerance=1e-6)
    assert solution.relative_residual <= 1e-6 < solution.history[-2].residual and solution.history[-1].step < 200
    assert solution.quality.startswith("Very good: `") and solution.error is None
    assert solution.report.residuals.keys() == {"equation", "dirichlet at x=0", f"neumann at x={np.pi}"}


def test_residuals_are_relative_to_the_terms_of_equation_and_conditions():
    """In other units of u all stays the same, and a function that is zero fulfils nothing but u = 0."""

    def residuals(size, net):
        problem = pde.Problem(
            pde.residual("x")(lambda u, x: u.xx + size * jnp.sin(x)),
            pde.Interval(0, 3),
            [pde.dirichlet(lambda x: size * jnp.cos(x), on="x=0"), pde.dirichlet(0.0, on="x=3")],
        )
        training = training_of(problem, ({"a": jnp.ones(1)}, lambda p, z: size * net(p["a"] * z)), FEW)
        fresh = training.evaluation.fresh(training.objective.start)
        return fresh.relative(fresh.losses)

    wave = lambda z: jnp.sin(3 * z[0])  # noqa: E731
    np.testing.assert_allclose(residuals(1.0, wave), residuals(1e6, wave), rtol=1e-9)
    np.testing.assert_allclose(residuals(1.0, lambda z: 0 * z[0]), [1.0, 1.0, 0.0], rtol=1e-9)


WAVE = pde.residual("x t")(lambda u, x, t: u.tt - u.xx)
LEAVES = pde.on("x=1", pde.residual("x t")(lambda u, x, t, *, n: u.t + n[0] * u.x))
FLAT = pde.residual("x")(lambda u, x: u.xx)


@pytest.mark.parametrize(
    ("equation", "domain", "condition", "net"),
    [
        (WAVE, pde.Interval(0, 1) * pde.Time(0, 1), LEAVES, lambda z: jnp.sin(3 * (z[0] - z[1]))),
        (FLAT, pde.Interval(0, 1), pde.robin(-3.0, 1.0, on="x=1"), lambda z: jnp.exp(3 * z[0])),
    ],
)
def test_a_condition_that_holds_inside_too_has_the_size_of_its_parts(equation, domain, condition, net):
    """u_t + u_x of a wave that leaves, and u_x − 3 u of exp(3 x), are zero everywhere."""
    nearly = lambda p, z: net((z + 1) / 2) * (1 + p[0] * z[0])  # noqa: E731
    training = training_of(pde.Problem(equation, domain, [condition]), (jnp.array([1e-6]), nearly), FEW)
    fresh = training.evaluation.fresh(training.objective.start)
    assert 1e-8 < fresh.relative(fresh.losses)[1] < 1e-5


def test_points_are_chosen_by_the_number_of_parameters():
    parameters = 4 * 250 + 251
    assert training_of(WAVY, None, {"width": 250, "depth": 1}).settings.points == int(np.ceil(1.25 * parameters))
    assert Settings(optimiser="lbfgs").chosen_for(parameters, 1).points == 1000
    assert Settings(points=7).chosen_for(parameters, 1).points == 7
    assert Settings().chosen_for(parameters, 3).points == 1000


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


def test_an_equation_that_no_parameter_moves_leaves_the_weights_finite():
    points = np.linspace(0, 1, 30)[:, None]
    still = pde.residual("x")(lambda u, x: 0.0 * u)
    problem = pde.Problem(still, pde.Interval(0, 1), [pde.data(points, np.sin(points[:, 0]))])
    solution = dof.solve(problem, **FEW, points=40, adam=0, newton=16)
    np.testing.assert_allclose(solution(points), np.sin(points[:, 0]), atol=1e-3)


@pytest.mark.parametrize(("activation", "is_warned"), [(jax.nn.relu, True), (jnp.tanh, False)])
def test_second_derivatives_of_relu_are_said_to_be_zero(activation, is_warned):
    weights = jnp.asarray(np.random.default_rng(0).normal(size=(2, 12, 3)))
    network = (weights, lambda w, z: jnp.sum(activation(w[0] @ z) * w[1, :, 0]))
    advice = training_of(WAVY, network, FEW | {"points": 1000}).advice
    assert any("second derivatives of the network are zero" in sentence for sentence in advice) == is_warned


@pytest.mark.parametrize(("edge", "is_warned"), [(jnp.sin, True), (lambda x: x / 2 * jnp.sin(2.0), False)])
def test_hard_conditions_that_are_the_reference_are_told(edge, is_warned):
    equation = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x))
    problem = pde.Problem(equation, pde.Interval(0, 2), [pde.dirichlet(edge, hard=True)], reference=jnp.sin)
    advice = training_of(problem, None, FEW | {"points": 1000}).advice
    assert any("nothing is left to be found" in sentence for sentence in advice) == is_warned


def with_reference(reference):
    equation = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x))
    return pde.Problem(equation, pde.Interval(0, jnp.pi), [pde.dirichlet(0.0)], reference=reference)


def from_a_table(x):
    """The solution by NumPy, which has no derivatives in JAX."""
    return jax.pure_callback(
        lambda x: np.sin(x), jax.ShapeDtypeStruct(jnp.shape(x), float), x, vmap_method="sequential"
    )


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (with_reference(jnp.sin), None),
        (with_reference(from_a_table), None),
        (with_reference(lambda x: 1.01 * jnp.sin(x)), None),
        (with_reference(lambda x: jnp.sin(2 * x)), r"a residual of \d+ % of the terms of `equation`:"),
        (with_reference(lambda x: 1.0 + jnp.sin(x)), r"a residual of \d+ % of the terms of `dirichlet`:"),
        (with_reference(lambda x: 2.0 + x * x), r"of the terms of `equation` and \d+ % of the terms of `dirichlet`:"),
    ],
)
def test_a_reference_that_does_not_solve_the_problem_is_told(problem, said):
    found = [text for text in training_of(problem, None, FEW | {"points": 100}).advice if "The reference" in text]
    assert found == [] if said is None else re.search(said, found[0])


def is_told_of_reference(training):
    return any("The reference" in text for text in training.advice)


def test_noise_of_measured_data_does_not_speak_against_a_reference():
    z = np.linspace(0, np.pi, 30)[:, None]
    noisy = pde.data(z, np.sin(z[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=30))
    problem = with_reference(jnp.sin)
    problem = replace(problem, conditions=[*problem.conditions, noisy])
    assert not is_told_of_reference(training_of(problem, None, FEW | {"points": 100}))


def test_a_reference_need_not_fulfil_the_gradient_of_the_equation():
    """Its residual is 0.5 % of the equation's terms, the derivative of that 20 %."""
    problem = with_reference(lambda x: jnp.sin(x) + 0.005 * jnp.sin(40 * x) / 1600)
    assert not is_told_of_reference(training_of(problem, None, FEW | {"points": 100, "residual_gradient": 1.0}))


def test_what_a_reference_raises_is_not_lost():
    def broken(x):
        raise KeyError("table")

    training = training_of(with_reference(jnp.sin), None, FEW | {"points": 100})
    training.objective.problem = replace(training.problem, reference=broken)
    with pytest.raises(KeyError, match="table"):
        on_reference(training.objective)


@pytest.mark.parametrize(("value", "is_warned"), [(2.0, False), (3.0, True)])
def test_a_reference_is_looked_at_with_the_true_unknowns(value, is_warned):
    equation = pde.residual("x")(lambda u, x, *, k: u.xx + k * jnp.sin(x))
    whole = {"conditions": [pde.dirichlet(0.0)], "unknowns": {"k": 1.0}, "reference": lambda x: 2 * jnp.sin(x)}
    known = pde.Problem(equation, pde.Interval(0, jnp.pi), truth={"k": value}, **whole)
    unknown = pde.Problem(equation, pde.Interval(0, jnp.pi), **whole)
    assert is_told_of_reference(training_of(known, None, FEW)) is is_warned
    assert not is_told_of_reference(training_of(unknown, None, FEW))


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (lambda x: jnp.sqrt(x - 1), r"`reference` is no number at \d+ of 256 points, the first at \(x\) = \("),
        (lambda x: 0.0 * x, "`reference` is zero everywhere"),
        (lambda x: jnp.stack([x, x]), r"`reference` has shape \(2,\)"),
    ],
)
def test_a_reference_without_values_is_refused_before_the_first_step(reference, said):
    with pytest.raises(ArgumentError, match=said), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it does not solve the problem
        dof.solve(with_reference(reference), **FEW, points=100, adam=1, newton=0)


@pytest.mark.parametrize(
    ("error", "said"), [(1e-4, "1.0e-04"), (0.0123, "1.2 %"), (0.19, "19 %"), (1.0, "100 %"), (12.3, "1230 %")]
)
def test_shares_are_read_without_counting_digits(overfitted, error, said):
    assert f"the error is {said}." in quality(replace(overfitted.history[-1], error=error, fitted=1.0)).text


@pytest.mark.parametrize(
    ("source", "edge", "is_warned"),
    [
        (0.0, pde.dirichlet(0.0), True),
        (0.0, pde.dirichlet(0.0, hard=True), True),
        (1.0, pde.dirichlet(0.0), False),
        (0.0, pde.dirichlet(1.0), False),
        (0.0, pde.dirichlet(1.0, hard=True), False),
    ],
)
def test_problems_that_zero_solves_are_told(source, edge, is_warned):
    line = pde.residual("x")(lambda u, x: u.xx + u - source)
    training = training_of(pde.Problem(line, pde.Interval(0, 1), [edge]), None, FEW | {"points": 100})
    assert any("u = 0 solves" in sentence for sentence in training.advice) is is_warned


TWO_FIELDS = pde.residual("x y", fields="u v")
MEASURED_FIELD = pde.data(jnp.full((1, 2), 0.5), [1.0], field="u")


@pytest.mark.parametrize(
    ("equation", "conditions", "is_warned"),
    [
        (lambda u, v, x, y: u.x + v.y - 1, [pde.dirichlet(0.0)], True),
        (lambda u, v, x, y: (u.xx - 1, v.yy + u), [pde.dirichlet(0.0)], False),
        (lambda u, v, x, y: u.x + v.y - 1, [pde.dirichlet(0.0), MEASURED_FIELD], False),
    ],
)
def test_fewer_equations_than_fields_are_told(equation, conditions, is_warned):
    problem = pde.Problem(TWO_FIELDS(equation), pde.Box([0, 0], [1, 1]), conditions)
    advice = training_of(problem, None, FEW | {"points": 100}).advice
    assert any("1 equation for 2 fields" in sentence for sentence in advice) is is_warned
