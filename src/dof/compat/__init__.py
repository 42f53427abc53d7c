"""The calls of folx, DeepQMC and NetKet, by dof: so that an import line is all that changes."""
