"""Where a PDE holds: shapes, time, parameters, their products and combinations, and points that fill them."""
