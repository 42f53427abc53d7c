"""Solving PDEs with networks, in float64.

Reading order: settings, networks, sampling (points), objective (the loss), gauss_newton, optimisers, training (one
interval), solve, plots.
"""

from dof.errors import Diverged
from dof.solving.networks import Network
from dof.solving.settings import Settings
from dof.solving.solver import Solution, solve
from dof.solving.training import Report

__all__ = ["Diverged", "Network", "Report", "Settings", "Solution", "solve"]
