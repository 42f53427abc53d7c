"""Linear differential operators as data: their terms, their algebra, and their coefficients at x."""
