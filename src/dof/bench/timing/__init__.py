"""Measuring: one process for each method, rounds in which the methods take turns, suites of cases."""
