"""The public calls of `dof.torch`: operators and how they are applied, batched, compiled, checked and explained."""
