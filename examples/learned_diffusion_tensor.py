"""An inverse problem: the diffusion tensor, found together with the solution from noisy measurements."""

import numpy as np

import dof

if __name__ == "__main__":
    solution = dof.solve("diffusion-tensor", adam=100, newton=60, width=20, points=500)
    found, true = solution.unknowns["a"], solution.training.problem.truth["a"]
    print(f"a = {found.round(4)}, true {true}")
    assert np.abs(found - true).max() < 5e-3
