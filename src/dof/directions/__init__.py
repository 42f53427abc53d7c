"""A = Lᵀ Q L: the directions (rows of L) along which tangents are taken, and how they are summed. No JAX."""
