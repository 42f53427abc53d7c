"""A Klein–Gordon equation with an operator and a training loop of one's own: Adam, on blocks of points."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

import dof

WAVE = dof.Operator(a=np.array([1.0, -1.0]))  # ∂²/∂t² − ∂²/∂x², for points (t, x)


def exact(tx):
    return jnp.cos(2 * tx[0]) * jnp.sin(tx[1])


def source(tx):
    return -3 * exact(tx) + exact(tx) ** 3


def net(params, tx):
    """The value and the velocity at t = 0 hold by construction."""
    t, x = tx
    hidden = jnp.tanh(params["in"] @ tx + params["bias"])
    return jnp.sin(x) + t**2 * (params["out"] @ jnp.tanh(params["mid"] @ hidden))


def point_loss(params, tx):
    u, wave = WAVE.with_value(net, argnums=1)(params, tx)
    return (wave + u**3 - source(tx)) ** 2


@jax.jit
def step(params, state, key):
    points = jax.random.uniform(key, (512, 2), minval=jnp.array([0.0, -jnp.pi]), maxval=jnp.array([1.0, jnp.pi]))
    loss, gradient = dof.value_and_grad(point_loss)(params, points)
    change, state = RULE.update(gradient, state)
    return optax.apply_updates(params, change), state, loss


RULE = optax.adam(optax.cosine_decay_schedule(1e-2, 700))

if __name__ == "__main__":
    keys = jax.random.split(jax.random.key(0), 704)
    shapes = {"in": (32, 2), "bias": (32,), "mid": (32, 32), "out": (32,)}
    params = {n: jax.random.normal(k, s) / np.sqrt(s[-1]) for k, (n, s) in zip(keys, shapes.items(), strict=False)}
    state = RULE.init(params)
    for n, key in enumerate(keys[4:]):
        params, state, loss = step(params, state, key)
        if n % 100 == 99:
            print(f"step {n + 1}: loss {loss:.2e}")
    points = jax.random.uniform(jax.random.key(1), (1000, 2))
    u, reference = jax.jit(jax.vmap(lambda z: (net(params, z), exact(z))))(points)
    error = jnp.linalg.norm(u - reference) / jnp.linalg.norm(reference)
    print(f"relative error {error:.1e}")
    assert error < 1e-2
