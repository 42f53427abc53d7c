"""Rules with backward passes written by hand, for large triples; `dof.torch.fusing` says for which."""
