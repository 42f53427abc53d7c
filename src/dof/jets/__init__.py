"""Operators of any order on JAX arrays: the columns that are carried for a value, and how they go through a program."""
