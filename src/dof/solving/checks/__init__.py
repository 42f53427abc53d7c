"""What is checked of a problem and its settings before training, and of the loss during it.

`warnings_before_training` puts together what is likely to go wrong: `contradicting_conditions`, `free_constant`,
`initial_conditions`, `missing_names`, `open_boundary`, `overlapping_conditions`, `reference_check`. `memory_check`,
`finite_fields` and `diverged_training` end a training.
"""
