"""What the user says: linear differential operators, their algebra, and their coefficients at x."""
