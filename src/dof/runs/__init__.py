"""What `dof solve` leaves behind: a folder with settings, metrics, weights, plots and a page that shows them.

Reading order: `problem_source` (which problem), `problem_code` (its file, read and run), `run_config` (what a run began
with), `run_folder` (its files), `folder_lock` (one process at a time), `checkpoints` (states that survive a kill),
`training_run` (training into a folder, and going on), `windowed_run` (the same in windows of time), `hessian_race`,
`html_page`, `report_files`, `load` (`dof.load`), `zoo_rows`. Files are whole or not there, by `atomic_write`.
"""
