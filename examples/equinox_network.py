"""A network of Equinox, in an operator and in `dof.solve`."""

import equinox as eqx
import jax
import jax.numpy as jnp

import dof

if __name__ == "__main__":
    model = eqx.nn.MLP(2, "scalar", width_size=24, depth=2, activation=jnp.tanh, key=jax.random.key(0))
    points = jax.random.uniform(jax.random.key(1), (100, 2))
    laplacians = jax.jit(jax.vmap(dof.laplacian(model)))(points)
    hessians = jax.jit(jax.vmap(jax.hessian(model)))(points)
    print("off by", jnp.abs(laplacians - jnp.trace(hessians, axis1=1, axis2=2)).max())

    solution = dof.solve("poisson", model, adam=20, newton=20)
    print(solution)
    assert solution.error < 1e-3
