"""What `dof.solve` returns: a function of points, with derivatives, plots and files.

Reading order: `point_arguments`, `function_of_points` (what all solutions have in common), `solution`,
`save_solution`, `slices` (of a domain), `solution_plot`.
"""
