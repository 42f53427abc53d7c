"""What is carried for every value that depends on x: (value, tangents, applied)."""
