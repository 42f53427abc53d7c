"""`dof bench`: what an operator costs by dof and by every other way, on this machine.

To be read in this order: `networks` and `coefficients` are what is computed, `cases` puts them together, `methods` are
the ways to compute it. `worker` builds and runs one method in a process of its own, `race` lets the methods of a case
take turns, `suites` are lists of cases. `results`, `statistics`, `tables`, `plots` and `compare` are for what comes
out; `theory` counts flops and memory against the theorems of the paper.
"""
