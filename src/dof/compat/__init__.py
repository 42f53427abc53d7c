"""The calls of other packages, by dof: so that an import line is all that changes."""
