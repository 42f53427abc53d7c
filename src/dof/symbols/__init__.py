"""Symbols: operators with constant coefficients as polynomials in ∂, and the algebra that belongs to them (no JAX)."""
