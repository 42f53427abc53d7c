"""`dof bench`: the time and memory that an operator costs by dof and by every other method, on this machine.

Reading order: `cases` says what is computed, `methods` how, and has the reference that results are compared with.
`timing` runs each method in a process of its own, in rounds; `results` has files, statistics, tables and plots, and
compares two runs. `theory` counts flops and memory against the theorems of the DOF paper. `solvers` has DeepXDE beside
`dof.solve`, `torch_races` has `dof.torch` beside what people write in PyTorch.
"""
