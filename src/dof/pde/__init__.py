"""PDEs as on paper: `@pde.residual("x t")`, domains, conditions, problems.

Reading order: `notation` (names, derivatives, fields, residuals), `planning` (one propagation for all that a residual
reads), `geometry` (domains), `conditions` (what holds where), `problem`.
"""

from dof.pde.conditions.conditions import dirichlet, initial, initial_velocity, neumann, periodic, robin
from dof.pde.conditions.measured_data import data
from dof.pde.conditions.user_residual import on
from dof.pde.geometry.ball import Ball
from dof.pde.geometry.box import Box, Interval, Parameter, Time
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.polygon import Polygon, Triangle
from dof.pde.geometry.product import Cylinder
from dof.pde.geometry.shell import Shell
from dof.pde.notation.residual import Residual, residual
from dof.pde.notation.vector_calculus import advect, biharmonic, div, dt, grad, laplacian
from dof.pde.problem import Problem

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
