"""How good a state of training is, on points that no step is taken at.

Reading order: `fresh_residual`, `evaluation` (with the error against a reference), `training_report` (a line of the
history), `early_stopping` (the best state, and when to stop), `quality` (in words), `next_step` (what to
change), `training_plots`.
"""
