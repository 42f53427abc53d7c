"""Indexing: elements are moved, repeated, dropped or chosen, never mixed. The same map on value, tangents, applied."""

from dof.jaxpr.nested_jvp import linear_rule, piecewise_rule
from dof.jaxpr.registry import register_named

register_named(
    "reshape transpose broadcast_in_dim squeeze rev slice dynamic_slice dynamic_update_slice concatenate pad split "
    "tile stack unstack scatter-add scatter-sub",
    "indexing",
    linear_rule,
)
register_named("select_n", "indexing", linear_rule, pointwise=True)

# As JAX differentiates them: an index that is out of bounds may read a fill value, whose derivative is zero; where
# several updates go to one place, the derivative must come from the one that won.
register_named("gather scatter scatter-max scatter-min", "indexing", piecewise_rule)
