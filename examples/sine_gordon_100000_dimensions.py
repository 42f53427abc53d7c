"""A sine-Gordon equation in 100,000 dimensions, solved with exact Laplacians: no Hessian of it fits into memory.

The elements of the first layer and |x|² take the place of the 100,000 coordinates (the narrowest cut). With the name of
another problem as argument, that one is solved.
"""

import sys

import dof
from dof.zoo import problem_named

if __name__ == "__main__":
    problem = problem_named(sys.argv[1] if len(sys.argv) > 1 else "sine-gordon-100000")
    solution = dof.solve(problem)
    for report in solution.history:
        print(f"step {report.step}: relative error {report.error:.1e}")
    print(f"{solution.history[-1].seconds_per_step:.2f} s for a step")
    assert solution.error < 1e-3
