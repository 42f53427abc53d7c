"""What `dof solve` leaves behind: a folder with settings, metrics, weights, plots and a page that shows them.

Reading order: source (which problem), folder (its files), checkpoint (states that survive a kill), run (training into a
folder, and going on), race (against the Hessian), page, report, zoo.
"""
