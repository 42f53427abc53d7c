"""What is measured: architectures, operators, and the cases that combine them."""
