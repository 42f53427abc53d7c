"""Values and slopes of u that are given on one part of the boundary."""

import pytest

from dof import pde
from dof.solving.solver import training_of

DISK = pde.Ball([0, 0], 1.0).named("outer") - pde.Ball([0, 0], 0.5).named("hole")
LINE = pde.Interval(0, 1)
flat = pde.residual("x y")(lambda u, x, y: u.laplacian - 1)
plate = pde.residual("x y")(lambda u, x, y: u.biharmonic - 1)
bent = pde.residual("x")(lambda u, x: u.xx - 1)
line = pde.residual("x", "w m")(lambda w, m, x: (w.xx - m, m.xx - 1))


def told(equation, domain, *conditions, **more):
    problem = pde.Problem(equation, domain, conditions, **more)
    return [sentence for sentence in training_of(problem, None, {"width": 4}).advice if "on the same part" in sentence]


@pytest.mark.parametrize(
    ("equation", "domain", "conditions"),
    [
        (flat, DISK, [pde.dirichlet(0.0, on="hole"), pde.neumann(0.0)]),
        (flat, DISK, [pde.dirichlet(0.0, on="hole", hard=True), pde.robin(1.0, 1.0, on=lambda x, y: x > 0)]),
        (bent, LINE, [pde.dirichlet(0.0), pde.neumann(0.0, on="x=1")]),
    ],
)
def test_both_on_one_part_are_told(equation, domain, conditions):
    (sentence,) = told(equation, domain, *conditions)
    assert "`dirichlet" in sentence and 'on="outer"' in sentence


@pytest.mark.parametrize(
    ("equation", "domain", "conditions", "more"),
    [
        (flat, DISK, [pde.dirichlet(0.0, on="hole"), pde.neumann(0.0, on="outer")], {}),
        (bent, LINE, [pde.dirichlet(0.0, on="x=0"), pde.robin(1.0, 1.0, on="x=1")], {}),
        (plate, DISK, [pde.dirichlet(0.0), pde.neumann(0.0)], {}),
        (line, LINE, [pde.dirichlet(0.0, field="w"), pde.neumann(0.0, field="w")], {}),
        (bent, LINE, [pde.dirichlet(0.0), pde.neumann(0.0), pde.data([[0.5]], [0.1])], {}),
    ],
)
def test_others_are_not(equation, domain, conditions, more):
    assert told(equation, domain, *conditions, **more) == []
