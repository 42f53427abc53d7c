"""The public calls of `dof.torch`."""
