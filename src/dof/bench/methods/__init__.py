"""The methods that compute an operator, and the reference that their results are compared with."""
