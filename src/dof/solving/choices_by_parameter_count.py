"""What is chosen by how many numbers are trained: the number of points, and the optimiser that follows Adam."""

import math

LEAST_POINTS = 1000
"""Points inside of the domain where the network is so small that its parameters ask for fewer."""
EQUATIONS_PER_PARAMETER = 1.25
"""Equations inside of the domain for each number that is trained, by default. With fewer than one, Gauss–Newton fits
all points exactly and is off between them. On Hamilton–Jacobi–Bellman in 20 dimensions, 1,793 parameters, 80 steps, the
error is 7.5 % with 0.67 of them, 2.3 % with 1.1, 3.0 % with 2.0, 2.6 % with 3.0; the time of a step grows with them."""

MOST_PRODUCTS = 3e10
"""Products in the matrix of one step up to which "auto" is Gauss–Newton with all points in each step. With the usual
number of points they are 1.25 P³, so many for P = 2,900 parameters; in a stochastic step they are 2e10 for P = 20,000.
At which number of parameters both are equally good is not measured."""
STEP_RESIDUALS = 1000
"""Residuals of the equation in a step of stochastic Gauss–Newton. Poisson's equation in 2-D with 19,761 parameters: 500
of them take 0.4 s for a step and bring the error to 1.8e-6 in 20 steps, after which all steps are refused;
1,000 take 1.2 to 1.7 s, and bring it to 2.8e-6 in 20 steps and 3.9e-7 in 30."""


def default_points(parameters: int, equations: int) -> int:
    """Points inside of the domain for so many parameters, with so many equations at each."""
    return max(LEAST_POINTS, math.ceil(EQUATIONS_PER_PARAMETER * parameters / equations))


def optimiser_for(name: str, parameters: int, residuals: int) -> str:
    """The optimiser of that name; for "auto" the one for so many parameters, and residuals at all points."""
    # Of Jᵀ J and J Jᵀ the smaller one is made.
    small, large = sorted([parameters, residuals])
    by_count = "gauss-newton" if small**2 * large <= MOST_PRODUCTS else "stochastic-gauss-newton"
    return by_count if name == "auto" else name
