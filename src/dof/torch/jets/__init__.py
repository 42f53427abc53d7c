"""Operators of an order above two: triples whose tangents are the columns of a span, which multiply in its algebra."""
