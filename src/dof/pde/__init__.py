"""PDEs as on paper: `@pde.residual("x t")`, domains, conditions, problems.

Reading order: coordinates, reads, field (the notation); affine, merge, plan, evaluate, residual (one propagation for
all that is read); domains, shapes, places (where); checks, term, conditions, stated, trial (what must hold there);
problem.
"""

from dof.pde.conditions import dirichlet, initial, initial_velocity, neumann, periodic, robin
from dof.pde.field import advect, div, dt, grad, laplacian
from dof.pde.problem import Problem
from dof.pde.residual import Residual, residual
from dof.pde.shapes import Ball, Box, Interval, Time
from dof.pde.stated import data, on

__all__ = [
    "Ball",
    "Box",
    "Interval",
    "Problem",
    "Residual",
    "Time",
    "advect",
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
