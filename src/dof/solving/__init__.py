"""Solving PDEs with networks, in float64.

Reading order: `settings` (with `setting_checks`, and `choices_by_parameter_count` for what is "auto"), `networks` and
`networks_by_field`, `loss/` (points and residuals), `optimisers/` (steps), `devices` (of a mesh) and
`shares_of_points` (among them), `checks/`, `measuring/` (how good a state is), `points_of_interval`, `training`
(interval by interval, with `blas_threads`), `solver`, `warm_start` (from a solution), `solutions/`, `time_windows`,
`eigenvalue_problems`, `solution_from_file`.
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
