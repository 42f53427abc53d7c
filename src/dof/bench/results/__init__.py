"""What was measured: files, statistics, tables, plots, and the comparison of two runs."""
