"""Steps of training: Adam and L-BFGS by optax, Gauss–Newton with all points, and with blocks of them.

Reading order: `optimiser` (which takes which step), `gauss_newton`, `damped_step` (one step with its trials),
`damped_solver` (its linear system), `stochastic_gauss_newton` and `point_blocks` (for many parameters),
`repeated_steps` (several steps in one program).
"""
