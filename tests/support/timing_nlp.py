"""The fastest run along a path as a nonlinear program: an independent witness of `erfd.fastest`.

Speeds at the nodes are the unknowns; torques count in the middle of each cell. Nothing of
`erfd.timing` is used: loads by `erfd.inverse_dynamics`, friction written out here, |load| rounded
off at its tip. IPOPT, which comes with CasADi, solves it; what it finds is a local optimum.
"""

import casadi as ca
import numpy as np

import erfd


def fastest_by_nlp(robot, curve, cells, *, guess=None, wrench=None):
    """The time (s) from rest to rest along a SciPy spline in so many cells; None: not found."""
    drives = robot.drives
    s = np.linspace(curve.x[0], curve.x[-1], cells + 1)
    step, middle = np.diff(s), (s[:-1] + s[1:]) / 2
    q, first, second = (curve(middle, order) for order in range(3))
    still = np.zeros_like(q)

    def load(qd, qdd):
        u = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)
        return u @ np.linalg.inv(np.array(robot.gear_matrix))

    rest = load(still, still)
    a, b = load(still, first) - rest, load(first, second) - rest
    K = np.array(robot.gear_matrix)
    turn, bend = first @ K.T, second @ K.T
    damping = (first * [j.damping for j in robot.joints]) @ np.linalg.inv(K)
    v = ca.SX.sym("v", cells + 1)
    vm = ca.sqrt((v[1:] ** 2 + v[:-1] ** 2) / 2 + 1e-12)
    u = (v[1:] ** 2 - v[:-1] ** 2) / (2 * step)
    rows = []
    for i, drive in enumerate(drives):
        x = a[:, i] * u + b[:, i] * vm**2 + rest[:, i] + damping[:, i] * vm
        small = 1e-3 * max(float(np.abs(rest[:, i]).max()), 1e-3 * drive.torque_max)
        size = ca.sqrt(x**2 + small**2)
        rub = np.sign(turn[:, i]) * (drive.load_friction * size + drive.coulomb)
        spin = drive.inertia * (turn[:, i] * u + bend[:, i] * vm**2)
        torque = x + rub + spin + drive.viscous * turn[:, i] * vm
        limit = drive.torque_max
        if drive.curve:
            speeds, torques = zip(*drive.curve, strict=True)
            table = ca.interpolant("curve", "linear", [list(speeds)], list(torques))
            limit = ca.vertcat(*(table(abs(turn[k, i]) * vm[k]) for k in range(cells)))
        rows += [torque - limit, -torque - limit]
    rows = ca.vertcat(*rows) / np.repeat([d.torque_max for d in drives], 2 * cells)
    top = np.full(cells + 1, 100.0)
    ends = curve(s, 1)
    with np.errstate(divide="ignore"):
        for i, joint in enumerate(robot.joints):
            top = np.minimum(top, joint.velocity_max / np.abs(ends[:, i]))
            top = np.minimum(top, drives[i].speed_max / np.abs(ends @ K.T)[:, i])
    top[[0, -1]] = 0.0
    cost = ca.sum1(2 * step / (v[1:] + v[:-1]))
    start = 0.3 * np.sqrt(np.minimum(s - s[0], s[-1] - s)) if guess is None else guess(s)
    start = np.clip(start, 1e-3, 0.95 * top)
    start[[0, -1]] = 0.0
    options = {"print_time": False, "ipopt": {"print_level": 0, "max_iter": 3000, "sb": "yes"}}
    solver = ca.nlpsol("fastest", "ipopt", {"x": v, "f": cost, "g": rows}, options)
    low = np.where(top > 0, 1e-6, 0.0)
    found = solver(x0=start, lbx=low, ubx=top, lbg=-ca.inf, ubg=0.0)
    return float(found["f"]) if solver.stats()["success"] else None
