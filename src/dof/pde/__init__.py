"""PDEs as on paper: `@pde.residual("x t")`, domains, conditions, problems.

Reading order: `notation` (names, derivatives, fields, residuals), `planning` (one propagation for all that a residual
reads), `geometry` (domains), `conditions` (what holds where), `problem`.

Names are imported when they are first used: `notation.names` and `notation.derivatives`, which `dof.torch` shares, need
no JAX.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dof.pde.conditions.conditions import dirichlet, initial, initial_velocity, neumann, periodic, robin
    from dof.pde.conditions.measured_data import data
    from dof.pde.conditions.user_residual import on
    from dof.pde.geometry.ball import Ball
    from dof.pde.geometry.box import Box, Interval
    from dof.pde.geometry.cylinder import Cylinder
    from dof.pde.geometry.domain import Domain
    from dof.pde.geometry.polygon import Polygon, Triangle
    from dof.pde.geometry.shell import Shell
    from dof.pde.geometry.time_and_parameters import Parameter, Time
    from dof.pde.notation.residual import Residual, residual
    from dof.pde.notation.vector_calculus import advect, biharmonic, div, dt, grad, laplacian
    from dof.pde.problem import Problem

_MODULE_OF = {
    "Ball": "dof.pde.geometry.ball",
    "Box": "dof.pde.geometry.box",
    "Cylinder": "dof.pde.geometry.cylinder",
    "Domain": "dof.pde.geometry.domain",
    "Interval": "dof.pde.geometry.box",
    "Parameter": "dof.pde.geometry.time_and_parameters",
    "Polygon": "dof.pde.geometry.polygon",
    "Problem": "dof.pde.problem",
    "Residual": "dof.pde.notation.residual",
    "Shell": "dof.pde.geometry.shell",
    "Time": "dof.pde.geometry.time_and_parameters",
    "Triangle": "dof.pde.geometry.polygon",
    "advect": "dof.pde.notation.vector_calculus",
    "biharmonic": "dof.pde.notation.vector_calculus",
    "data": "dof.pde.conditions.measured_data",
    "dirichlet": "dof.pde.conditions.conditions",
    "div": "dof.pde.notation.vector_calculus",
    "dt": "dof.pde.notation.vector_calculus",
    "grad": "dof.pde.notation.vector_calculus",
    "initial": "dof.pde.conditions.conditions",
    "initial_velocity": "dof.pde.conditions.conditions",
    "laplacian": "dof.pde.notation.vector_calculus",
    "neumann": "dof.pde.conditions.conditions",
    "on": "dof.pde.conditions.user_residual",
    "periodic": "dof.pde.conditions.conditions",
    "residual": "dof.pde.notation.residual",
    "robin": "dof.pde.conditions.conditions",
}


_OTHER_NAMES = {
    "Annulus": "Shell([0, 0], 0.5, 1.0), an annulus in two dimensions",
    "Cuboid": "Box([0, 0, 0], [1, 1, 1])",
    "DirichletBC": "dirichlet(0.0)",
    "GeometryXTime": "Interval(0, 1) * pde.Time(0, 1)",
    "Hypercube": "Box([0, 0, 0], [1, 1, 1])",
    "Hypersphere": "Ball([0, 0, 0], 1.0)",
    "IC": "initial(lambda x, t: x)",
    "NeumannBC": "neumann(0.0)",
    "OperatorBC": 'on("boundary", residual)',
    "PeriodicBC": 'periodic("x")',
    "PointSetBC": "data(points, values)",
    "RobinBC": "robin(1.0, 1.0, 0.0)",
    "TimeDomain": "Time(0, 1)",
    "TimePDE": "Problem(equation, domain, conditions)",
    "Circle": "Ball([0, 0], 1.0), a disk in two dimensions",
    "Disk": "Ball([0, 0], 1.0), a disk in two dimensions",
    "Rectangle": "Box([0, 0], [2, 1])",
    "Sphere": "Ball([0, 0, 0], 1.0)",
}
"""What shapes, conditions and problems are called elsewhere, and here."""


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        fix = f"\n  Fix: pde.{_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
        raise AttributeError(f"module 'dof.pde' has no attribute {name!r}{fix}")
    found = getattr(importlib.import_module(_MODULE_OF[name]), name)
    # Python asks `__getattr__` only for names that the module does not have.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Ball",
    "Box",
    "Cylinder",
    "Domain",
    "Interval",
    "Parameter",
    "Polygon",
    "Problem",
    "Residual",
    "Shell",
    "Time",
    "Triangle",
    "advect",
    "biharmonic",
    "data",
    "dirichlet",
    "div",
    "dt",
    "grad",
    "initial",
    "initial_velocity",
    "laplacian",
    "neumann",
    "on",
    "periodic",
    "residual",
    "robin",
]
