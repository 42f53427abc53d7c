"""A network of Flax NNX, in an operator and in `dof.solve`."""

import jax
import jax.numpy as jnp
from flax import nnx

import dof


class Network(nnx.Module):
    def __init__(self, width, rngs):
        self.first = nnx.Linear(2, width, rngs=rngs)
        self.second = nnx.Linear(width, width, rngs=rngs)
        self.last = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, z):
        return self.last(jnp.tanh(self.second(jnp.tanh(self.first(z)))))[0]


if __name__ == "__main__":
    model = Network(24, nnx.Rngs(0))
    points = jax.random.uniform(jax.random.key(1), (100, 2))
    laplacians = jax.jit(jax.vmap(dof.laplacian(model)))(points)
    hessians = jax.jit(jax.vmap(jax.hessian(model)))(points)
    print("off by", jnp.abs(laplacians - jnp.trace(hessians, axis1=1, axis2=2)).max())

    solution = dof.solve("poisson", model, adam=20, newton=30)
    print(solution)
    assert solution.error < 1e-3
