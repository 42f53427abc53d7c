"""The theorems of the DOF paper, counted by the compiler."""
