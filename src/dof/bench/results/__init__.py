"""What was measured: files, statistics, tables, plots, and the comparison of two runs.

Reading order: `outcomes` (every sample, and its file), `statistics`, `tables` of a run (of single suites `paper_tables`
and `wave_tables`), `plots` and `questions` (pictures), `write_results`, `compare_runs`.
"""
