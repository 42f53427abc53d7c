"""The loss: a sum of squares over points, as a function of one vector θ of all that is trained.

Reading order: `collocation_points`, `objective` (the terms and their residuals), `causal_weights`, `residual_gradient`.
"""
