"""Where a PDE holds: shapes, time, parameters, their products and combinations, and points that fill them.

Reading order: `domain` (what every domain has), shapes (`box`, `ball`, `shell`, `cylinder`, `polygon` with
`polygon_shapes` and `polygon_distance`), `time_and_parameters`, `product`, `domain_with_hole`, `combination` (unions,
intersections and other differences) with `combination_points` and `combination_distance`, `product_or_difference`
(which of them `*` and `-` make). What they use: `r_functions` (smooth logic), `corners` (that point inwards),
`rejection` (points by candidates), `box_cells`, `without_boundary`; `named_domain` gives coordinates their names.
"""
