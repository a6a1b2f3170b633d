"""Computed torque control of Lola 15 in a forward simulation, with a perfect and a wrong model."""

from dataclasses import replace

import numpy as np

import erfd

robot = erfd.load("lola15")
K = np.array(robot.gear_matrix)
inertia, viscous, mu = (
    np.array([getattr(drive, name) for drive in robot.drives])
    for name in ("inertia", "viscous", "load_friction")
)
start = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
goal = np.array([0.8, -0.3, 0.4, 0.5, 0.2, 1.0])
seconds, period = 2.0, 0.001


def reference(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the arm should be: a smooth motion that rests at both ends."""
    s = min(t / seconds, 1.0)
    way = goal - start
    place = 10 * s**3 - 15 * s**4 + 6 * s**5
    rate = (30 * s**2 - 60 * s**3 + 30 * s**4) / seconds
    bend = (60 * s - 180 * s**2 + 120 * s**3) / seconds**2
    return start + place * way, rate * way, bend * way


def computed_torque(model: erfd.Robot, stiffness: float = 400.0):
    """A controller with this model: the accelerations it wants as torques of the motors."""

    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        q_ref, qd_ref, qdd_ref = reference(t)
        qdd = qdd_ref + stiffness * (q_ref - q) + 2 * stiffness**0.5 * (qd_ref - qd)
        load = np.linalg.solve(K.T, erfd.inverse_dynamics(model, q, qd, qdd))
        friction = mu * np.abs(load) * np.sign(K @ qd_ref)
        return load + friction + inertia * (K @ qdd) + viscous * (K @ qd)

    return controller


wrong = replace(robot, links=tuple(replace(k, mass=0.9 * k.mass) for k in robot.links))
for name, model in (("its own model", robot), ("every mass 10 % too small", wrong)):
    run = erfd.simulate(
        robot, start, np.zeros(6), computed_torque(model), duration=seconds, control_dt=period
    )
    wanted = np.array([reference(t)[0] for t in run["t"]])
    tool = erfd.forward_kinematics(robot, wanted)[:, :3, 3]
    away = 1000 * np.linalg.norm(run["pose"][:, :3, 3] - tool, axis=1)
    print(
        f"{name}: the tool is at most {away.max():.2f} mm off its path, {away[-1]:.2f} at the end"
    )
    part = np.abs(run["u_a"]).max(axis=0) / [drive.torque_max for drive in robot.drives]
    print("  largest motor torques:", ", ".join(f"{x:.0%}" for x in part), "of their limits")
