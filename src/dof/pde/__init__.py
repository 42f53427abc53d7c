"""PDEs as on paper: `@pde.residual("x t")`, and what stands in a residual."""

from dof.pde.field import advect, div, dt, grad, laplacian
from dof.pde.residual import Residual, residual

__all__ = ["Residual", "advect", "div", "dt", "grad", "laplacian", "residual"]
