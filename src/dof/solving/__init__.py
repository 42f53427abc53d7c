"""Solving PDEs with networks, in float64.

Reading order: `settings`, `networks`, `sampling` (points), `objective` (the loss), `devices` (of a mesh),
`gauss_newton`, `point_blocks` and `stochastic_gauss_newton` (for many parameters), `optimisers`, `evaluation` (how good
a state is) with `fresh_residual`, `progress`, `training` (interval by interval), `solver`, `quality` (in words),
`solution` (a `function_of_points`), `time_windows`, `eigenvalue_problems`, and the plots.
"""

from dof.errors import Diverged
from dof.solving.eigenvalue_problems import eigenpairs
from dof.solving.networks import Network
from dof.solving.settings import Settings
from dof.solving.solution import Solution
from dof.solving.solver import solve
from dof.solving.time_windows import WindowedSolution
from dof.solving.training_report import Report

__all__ = ["Diverged", "Network", "Report", "Settings", "Solution", "WindowedSolution", "eigenpairs", "solve"]
