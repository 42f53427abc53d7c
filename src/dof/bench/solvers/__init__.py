"""`dof bench solvers`: DeepXDE on example problems of its own, beside `dof.solve`.

Reading order: `races` lists the problems with their references, `dof_problems` and `deepxde_problems` write each for
one of the two solvers, `solver_process` runs a solver and watches its error, `write_solvers` has table and plot.
"""
