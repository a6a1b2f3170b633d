"""Benchmark of forward simulation beside MuJoCo: steps of rk4 of one arm on one core.

Both simulate the same arm from the same state under the same constant joint torques, and record q
and q' of every step; the ends must agree. Whole calls of `erfd.simulate` work out all columns, too.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..forward.batch import simulate_batch
from ..forward.compiled_loop import SimulationLoop
from ..forward.plant import plant_of
from ..forward.simulate import initial_modes, simulate
from ..ground.arrays import Array
from ..kernels.compiler import host
from ..kernels.settings import backend
from ..mechanics.dynamics import gravity_torque
from ..robot.model import Robot
from .measure import best_in_turns
from .models import mjcf

BAR = 15.0
"""Times MuJoCo's rate that one simulation without friction must reach."""
DT = 0.001
ROUNDS = 8
FENCE = np.array([[-1e5], [1e5]])


def measure(robot: Robot, steps: int = 2000, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure us per step of MuJoCo's rollout and of ours, best of several, and the ratio."""
    q, qd = _start(robot)
    u = gravity_torque(robot, q)
    settings: dict[str, Any] = {"steps": steps, "dt": DT, "method": "rk4", "kind": "joint_torque"}
    settings["stops"] = None
    with backend("compiled"):
        cases: dict[str, Callable[[], Array]] = {
            "loop": _loop(robot, "joint_torque", u, steps),
            "lanes": _loop(robot, "joint_torque", u, steps, host().width),
            "motion": lambda: simulate_batch(robot, q, qd, u, **settings).q[0, -1],
            "call": lambda: simulate(robot, q, qd, u, **settings)["q"][-1],
        }
        if robot.drives:
            torque = np.linalg.solve(np.array(robot.gear_matrix).T, u)
            cases["friction"] = _loop(robot, "torque", 1.5 * torque, steps)
        if find_spec("mujoco"):
            cases["mujoco"] = _mujoco(robot, u, steps)
        ends = {name: case() for name, case in cases.items()}
        best = best_in_turns(cases, rounds, 3)
    lanes = {"lanes": host().width}
    us = {name: 1e6 * seconds / steps / lanes.get(name, 1) for name, seconds in best.items()}
    data: dict[str, Any] = {"robot": robot.name, "steps": steps, "us": us, "bar": BAR}
    data["ratio"] = data["difference"] = data["met"] = None
    if "mujoco" in us:
        data["ratio"] = {name: us["mujoco"] / value for name, value in us.items()}
        data["difference"] = float(np.abs(ends["mujoco"] - ends["loop"]).max())
        data["met"] = bool(data["ratio"]["loop"] >= BAR and data["difference"] < 1e-6)
    return data


def _start(robot: Robot) -> tuple[Array, Array]:
    """Joint positions and velocities at the start, (n,) each, rad, rad/s."""
    return np.full(robot.n, 0.2), np.full(robot.n, 0.1)


def _loop(robot: Robot, kind: str, u: Array, steps: int, width: int = 1) -> Callable[[], Array]:
    """Our compiled loop; as many equal simulations as lanes."""
    q, qd = _start(robot)
    plant, values = plant_of(robot, kind)
    loop, n = SimulationLoop(plant, values, "rk4", DT, width), robot.n
    first = np.zeros((plant.size, width))
    first[:n], first[n : 2 * n] = q[:, None], (np.array(plant.K) @ qd)[:, None]
    given, fence = u[None, :, None], FENCE * np.ones(n)

    def run() -> Array:
        rows, _ = loop.run(first.copy(), initial_modes(n, width), given, steps, 1, fence)
        return np.asarray(rows[-1, :n, 0])

    return run


def _mujoco(robot: Robot, u: Array, steps: int) -> Callable[[], Array]:
    """MuJoCo's rollout of the same arm with its RK4, in this thread."""
    mj: Any = import_module("mujoco")
    import_module("mujoco.rollout")
    model = mj.MjModel.from_xml_string(mjcf(robot))
    model.opt.integrator, model.opt.timestep = mj.mjtIntegrator.mjINT_RK4, DT
    n = robot.n
    start = np.concatenate([[0.0], *_start(robot)])[None]
    control = np.ascontiguousarray(np.broadcast_to(u, (1, steps, n)))
    out, data = np.empty((1, steps, 1 + 2 * n)), [mj.MjData(model)]
    roll = mj.rollout.Rollout(nthread=0)
    spec = int(mj.mjtState.mjSTATE_QFRC_APPLIED)

    def run() -> Array:
        roll.rollout(model, data, start, control, control_spec=spec, nstep=steps, state=out)
        return np.asarray(out[0, -1, 1 : 1 + n])

    return run
