"""PDEs as on paper: `@pde.residual("x t")`, domains, conditions, problems.

Reading order: coordinates, reads, field (the notation); affine, merge, plan, evaluate, residual (one propagation for
all that is read); domains, shapes, places (where); term, conditions, trial (what must hold there); problem.
"""

from dof.pde.conditions import data, dirichlet, initial, initial_velocity, neumann, on, periodic, robin
from dof.pde.field import advect, div, dt, grad, laplacian
from dof.pde.problem import Problem
from dof.pde.residual import Residual, residual
from dof.pde.shapes import Ball, Box, Interval, Time

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
