"""From a residual to the cheapest single propagation that gives every derivative it reads."""
