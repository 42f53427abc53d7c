"""`dof bench torch`: dof.torch beside what people write in PyTorch."""
