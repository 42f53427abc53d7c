"""Many points in blocks, on one or several devices, and directions in groups."""
