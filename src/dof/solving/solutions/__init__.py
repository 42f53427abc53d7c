"""What `dof.solve` returns: a function of points, with derivatives, plots and files.

Reading order: `point_arguments`, `fixed_coordinates`, `grids`, `function_of_points` (what all have in common),
`solution`, `save_solution`, `slices` (of a domain), `solution_plot`.
"""
