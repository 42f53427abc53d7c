"""The problems of `dof bench solvers` for DeepXDE: networks, points and steps are those of DeepXDE's own examples.

Imported only in the process that runs DeepXDE. Test points and metrics of the examples are left out, which saves time.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from dof.bench.solvers.references import measured_concentration

# As Any: DeepXDE has no types, and what can be guessed of them is wrong.
dde: Any = import_module("deepxde")
torch: Any = import_module("torch")


@dataclass(frozen=True)
class DeepXdeTraining:
    """A model, and how it is trained: steps of Adam, its options, and whether L-BFGS follows."""

    model: Any
    adam: int
    options: dict[str, Any]
    then_lbfgs: bool = True


def klein_gordon() -> DeepXdeTraining:
    """u_tt − u_xx + u² = f for ten units of time."""
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 10))

    def residual(x, y):
        u_xx, u_tt = (dde.grad.hessian(y, x, i=i, j=i) for i in (0, 1))
        exact = x[:, 0:1] * torch.cos(x[:, 1:2])
        return u_tt - u_xx + y**2 + exact - exact**2

    def exact(x):
        return x[:, 0:1] * np.cos(x[:, 1:2])

    def velocity(x, y, _):
        return dde.grad.jacobian(y, x, i=0, j=1)

    edge = dde.icbc.DirichletBC(domain, exact, lambda _, on_boundary: on_boundary)
    start = dde.icbc.IC(domain, exact, lambda _, on_initial: on_initial)
    still = dde.icbc.OperatorBC(domain, velocity, lambda _, on_initial: on_initial)
    points = {"num_domain": 30000, "num_boundary": 1500, "num_initial": 1500}
    data = dde.data.TimePDE(domain, residual, [edge, start, still], **points)
    net = dde.nn.FNN([2, 40, 40, 1], "tanh", "Glorot uniform")
    return DeepXdeTraining(dde.Model(data, net), 20000, {"lr": 1e-3, "decay": ("inverse time", 3000, 0.9)})


def burgers() -> DeepXdeTraining:
    """u_t + u u_x = (0.01 / π) u_xx, with a shock."""
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 0.99))

    def residual(x, y):
        u_x, u_t = (dde.grad.jacobian(y, x, i=0, j=j) for j in (0, 1))
        return u_t + y * u_x - 0.01 / np.pi * dde.grad.hessian(y, x, i=0, j=0)

    edge = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
    start = dde.icbc.IC(domain, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
    points = {"num_domain": 2540, "num_boundary": 80, "num_initial": 160}
    data = dde.data.TimePDE(domain, residual, [edge, start], **points)
    net = dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal")
    return DeepXdeTraining(dde.Model(data, net), 15000, {"lr": 1e-3})


def diffusion() -> DeepXdeTraining:
    """u_t = u_xx + f."""
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))

    def residual(x, y):
        source = torch.exp(-x[:, 1:]) * (1 - np.pi**2) * torch.sin(np.pi * x[:, 0:1])
        return dde.grad.jacobian(y, x, j=1) - dde.grad.hessian(y, x, j=0) + source

    def exact(x):
        return np.sin(np.pi * x[:, 0:1]) * np.exp(-x[:, 1:])

    edge = dde.icbc.DirichletBC(domain, exact, lambda _, on_boundary: on_boundary)
    start = dde.icbc.IC(domain, exact, lambda _, on_initial: on_initial)
    points = {"num_domain": 40, "num_boundary": 20, "num_initial": 10}
    data = dde.data.TimePDE(domain, residual, [edge, start], **points)
    net = dde.nn.FNN([2, 32, 32, 32, 1], "tanh", "Glorot uniform")
    return DeepXdeTraining(dde.Model(data, net), 10000, {"lr": 1e-3}, then_lbfgs=False)


def allen_cahn() -> DeepXdeTraining:
    """u_t = 0.001 u_xx + 5 (u − u³), whose phases separate; the conditions hold by construction."""
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))

    def residual(x, y):
        u_t, u_xx = dde.grad.jacobian(y, x, i=0, j=1), dde.grad.hessian(y, x, i=0, j=0)
        return u_t - 0.001 * u_xx - 5 * (y - y**3)

    def hold_conditions(z, y):
        x, t = z[:, 0:1], z[:, 1:2]
        return x**2 * torch.cos(np.pi * x) + t * (1 - x**2) * y

    points = {"num_domain": 8000, "num_boundary": 400, "num_initial": 800}
    data = dde.data.TimePDE(domain, residual, [], **points)
    net = dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal")
    net.apply_output_transform(hold_conditions)
    return DeepXdeTraining(dde.Model(data, net), 40000, {"lr": 1e-3})


def helmholtz() -> DeepXdeTraining:
    """Δu + k² u = −f with two waves in each direction; the conditions hold by construction."""
    k, square = 4 * np.pi, dde.geometry.Rectangle([0, 0], [1, 1])

    def residual(x, y):
        u_xx, u_yy = (dde.grad.hessian(y, x, i=i, j=i) for i in (0, 1))
        return -u_xx - u_yy - k**2 * y - k**2 * torch.sin(k * x[:, 0:1]) * torch.sin(k * x[:, 1:2])

    def hold_conditions(x, y):
        return x[:, 0:1] * (1 - x[:, 0:1]) * x[:, 1:2] * (1 - x[:, 1:2]) * y

    data = dde.data.PDE(square, residual, [], num_domain=20**2, num_boundary=4 * 20)
    net = dde.nn.FNN([2, 150, 150, 150, 1], "sin", "Glorot uniform")
    net.apply_output_transform(hold_conditions)
    return DeepXdeTraining(dde.Model(data, net), 5000, {"lr": 1e-3}, then_lbfgs=False)


def l_shape() -> DeepXdeTraining:
    """Δu = −1 where the boundary has a corner to the inside."""
    domain = dde.geometry.Polygon([[0, 0], [1, 0], [1, -1], [-1, -1], [-1, 1], [0, 1]])

    def residual(x, y):
        return -dde.grad.hessian(y, x, i=0, j=0) - dde.grad.hessian(y, x, i=1, j=1) - 1

    edge = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
    data = dde.data.PDE(domain, residual, edge, num_domain=1200, num_boundary=120)
    net = dde.nn.FNN([2, 50, 50, 50, 50, 1], "tanh", "Glorot uniform")
    net.apply_feature_transform(lambda x: x.float())  # with NumPy 2 the points of a polygon are in double precision
    return DeepXdeTraining(dde.Model(data, net), 50000, {"lr": 1e-3})


def reaction_rate() -> DeepXdeTraining:
    """0.01 u'' = k(x) u + sin(2πx), with the rate k to be found from values of u."""
    interval = dde.geometry.Interval(0, 1)

    def residual(x, y):
        u_xx = dde.grad.hessian(y, x, i=0, j=0, component=0)
        return 0.01 * u_xx - y[:, 0:1] * y[:, 1:2] - torch.sin(2 * np.pi * x)

    points, values = measured_concentration(100)
    seen = dde.icbc.PointSetBC(points, values[:, None], component=0)
    edge = dde.icbc.DirichletBC(interval, lambda x: 0, lambda _, on_boundary: on_boundary, component=0)
    counts = {"num_domain": 50, "num_boundary": 8, "train_distribution": "uniform"}
    data = dde.data.PDE(interval, residual, [edge, seen], **counts)
    net = dde.nn.PFNN([1, [20, 20], [20, 20], 2], "tanh", "Glorot uniform")
    return DeepXdeTraining(dde.Model(data, net), 20000, {"lr": 1e-3}, then_lbfgs=False)
