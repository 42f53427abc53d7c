"""Propagation of triples through a traced JAX program."""

from dof.jaxpr import rules  # noqa: F401  # fills the registry, which the modules here read whoever imports them
