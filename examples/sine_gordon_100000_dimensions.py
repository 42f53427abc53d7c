"""A sine-Gordon equation in 100,000 dimensions with exact Laplacians: what no Hessian fits into memory for.

The elements of the first layer and |x|² take the place of the 100,000 coordinates (the narrowest cut).
"""

import dof
from dof.zoo import problem_named

if __name__ == "__main__":
    problem = problem_named("sine-gordon-100000")
    solution = dof.solve(problem, points=24, adam=20, report=5, error_points=32)
    for report in solution.history:
        print(f"step {report.step}: loss {report.loss:.1e}, relative error {report.error:.2f}")
    print(f"{solution.history[-1].seconds_per_step:.2f} s for a step at 24 points")
    assert solution.history[-1].loss < solution.history[0].loss
