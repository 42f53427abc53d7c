"""How a PDE is written: names of coordinates and fields, derivatives of a field, residuals."""
