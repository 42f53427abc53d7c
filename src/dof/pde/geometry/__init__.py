"""Where a PDE holds: intervals, boxes, balls, time, their products and differences, and points that fill them."""
