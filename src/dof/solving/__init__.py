"""Solving PDEs with networks, in float64.

Reading order: `settings`, `networks`, `loss/` (points and residuals), `optimisers/` (steps), `devices` (of a mesh),
`checks/`, `measuring/` (how good a state is), `training` (interval by interval), `solver`, `solutions/`,
`time_windows`, `eigenvalue_problems`, `solution_from_file`.
"""

from dof.errors import Diverged
from dof.solving.eigenvalue_problems import eigenpairs
from dof.solving.measuring.training_report import Report
from dof.solving.networks import Network
from dof.solving.settings import Settings
from dof.solving.solutions.solution import Solution
from dof.solving.solver import solve
from dof.solving.time_windows import WindowedSolution

__all__ = ["Diverged", "Network", "Report", "Settings", "Solution", "WindowedSolution", "eigenpairs", "solve"]
