"""Operators of any order on JAX arrays: the columns that are carried for a value, and how they go through a program.

Reading order: `jet` (what is carried), `seed` (jets of x), `interpreter` (a rule for each family), its rules
(`linear_and_bilinear`, `elementwise` with Taylor coefficients in `taylor_by_hand` or `taylor_nested`, `linear_algebra`,
`loops`, `general`), `columns_read` (columns that nothing reads are left out), `readout`, `trace_log` (for
`dof.explain`). `nested` is the other way: the factors of an operator one after the other.
"""
