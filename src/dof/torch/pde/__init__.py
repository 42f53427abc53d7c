"""PDEs as on paper, for networks of PyTorch: `@pde.residual("x t")`, all derivatives from one propagation."""

from dof.torch.pde.residual import Residual, residual
from dof.torch.pde.vector_calculus import advect, biharmonic, div, dt, grad, laplacian

__all__ = ["Residual", "advect", "biharmonic", "div", "dt", "grad", "laplacian", "residual"]
