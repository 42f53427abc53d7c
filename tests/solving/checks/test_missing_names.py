"""Equations in which a field or an unknown does not occur."""

import jax
import jax.numpy as jnp
import pytest

import dof
from dof import pde
from dof.solving.checks.missing_names import missing_names
from dof.solving.solver import training_of

SHIFTED = dof.laplacian - 3
LINE = pde.Interval(0, 1)


def missing(equation, fields=None, coordinates="x", domain=LINE, **more):
    return missing_names(pde.Problem(pde.residual(coordinates, fields)(equation), domain, **more))


@pytest.mark.parametrize("equation", [lambda u, x: x * 0, lambda u, x: (jnp.sin(x), 1.0)])
def test_an_equation_without_the_field_is_refused(equation):
    problem = pde.Problem(pde.residual("x")(equation), LINE, [pde.dirichlet(1.0)])
    with pytest.raises(dof.ArgumentError, match=r"`residual` returns a residual in which u does not occur(.|\n)*Fix: "):
        dof.solve(problem, adam=1, newton=0, width=4)


@pytest.mark.parametrize(
    "equation",
    [
        lambda u, x: u.xx,
        lambda u, x: 0.0 * u,
        lambda u, x: jnp.where(u > 0, 1.0, 2.0),
        lambda u, x: jnp.log(u),
        lambda u, x: u.apply(SHIFTED),
        lambda u, x: u.laplacian * x + u.gradient @ jnp.ones(1),
    ],
)
def test_a_field_that_occurs_is_found(equation):
    assert missing(equation) == []


@pytest.mark.parametrize(
    ("equation", "fields", "found"),
    [
        (lambda v, p, x: v.xx.sum(), "v[2] p", ["p"]),
        (lambda v, p, x: (v[0], p.x), "v[2] p", []),
        (lambda u, v, x: (u.xx, u - 1), "u v", ["v"]),
        (lambda u, v, x: u.x * jax.nn.relu(v), "u v", []),
        (lambda a, b, x: (a.xx.real, a.imag), "a: complex b: complex", ["b"]),
        (lambda a, b, x: abs(a) ** 2 * b.xx.imag, "a: complex b: complex", []),
    ],
)
def test_the_fields_that_do_not_occur_are_named(equation, fields, found):
    assert missing(equation, fields) == found


def test_unknowns_that_do_not_occur_are_named_unless_a_condition_has_them():
    equation = pde.residual("x")(lambda u, x, *, k, m: u.xx - m)
    edge = pde.on("boundary", pde.residual("x")(lambda u, x, *, k: u - k))
    parts = {"unknowns": {"k": jnp.zeros(2), "m": 0.0}}
    assert missing_names(pde.Problem(equation, LINE, **parts)) == ["k"]
    said = [
        [text for text in training_of(problem, None, {"width": 4, "points": 50}).advice if "does not occur" in text]
        for problem in (
            pde.Problem(equation, LINE, [pde.dirichlet()], **parts),
            pde.Problem(equation, LINE, [edge], unknowns={"k": 0.0, "m": 0.0}),
        )
    ]
    assert len(said[0]) == 1 and "`k` does not occur in `residual`" in said[0][0] and said[1] == []


def test_given_functions_and_unknowns_are_known_to_the_equation():
    equation = lambda u, x, *, k, f: k * u.xx - f  # noqa: E731
    assert missing(equation, unknowns={"k": 0.0}, given={"f": jnp.sin}) == []


def test_a_field_that_does_not_occur_is_told_before_training():
    equation = pde.residual("x", fields="u v")(lambda u, v, x: (u.xx - 1, u.x))
    advice = training_of(pde.Problem(equation, LINE, [pde.dirichlet(0.0)]), None, {"width": 4, "points": 50}).advice
    assert any("`v` does not occur in `residual`" in text for text in advice)


@pytest.mark.parametrize(
    ("equation", "said"),
    [
        (
            lambda u, v, x, *, k: (0.0 * u, v.xx - u - k),
            "The residual number 1 of `residual` is the same whatever u and v",
        ),
        (lambda u, v, x, *, k: (k * u.xx, jnp.where(v > 0, 1.0, 2.0)), ""),
    ],
)
def test_an_equation_that_is_multiplied_by_zero_is_told(equation, said):
    parts = {"unknowns": {"k": 0.0}}
    problem = pde.Problem(pde.residual("x", fields="u v")(equation), LINE, [pde.dirichlet(1.0)], **parts)
    advice = training_of(problem, None, {"width": 4, "points": 50}).advice
    assert [text[: len(said)] for text in advice if "is the same whatever" in text] == [said] * bool(said)


@pytest.mark.parametrize(
    "equation",
    [
        lambda u, x: jnp.where(x > 0.95, u.xx - 1.0, 0.0),
        lambda u, x: -0.5 * u.laplacian / u + 0.5 * x**2 - 0.5,
        lambda u, x: u.xx / u + x**2,
    ],
)
def test_equations_of_a_part_of_the_domain_and_of_ratios_are_no_mistakes(equation):
    problem = pde.Problem(pde.residual("x")(equation), LINE, [pde.dirichlet(1.0)])
    assert not any("occur" in sentence or "whatever" in sentence for sentence in training_of(problem, None, {}).advice)
