"""Propagation of triples through a traced JAX program."""
