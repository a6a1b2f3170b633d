"""Erratum 13: Lagrange-Euler, Newton-Euler and d'Alembert as 004 prints them."""

from __future__ import annotations

import numpy as np
import pytest

import erfd
from erfd import Robot
from support.errata_witness import GRAVITY, Arm, crooked, newton_euler, state, torques

ROBOT = crooked()
Q, QD, QDD = state(6)
EXPECTED = torques(ROBOT, Q, QD, QDD)
ROUNDING = 1e-12 * np.abs(EXPECTED).max()
STILL = np.zeros(6)
TURN = np.zeros((4, 4))
TURN[0, 1], TURN[1, 0] = -1.0, 1.0  # d/dq of a rotation about z


class Derivatives:
    """U_jk (once), U_jkm (twice) and the pseudo-inertia J_j of (2.3), for revolute joints."""

    def __init__(self, robot: Robot, q: np.ndarray) -> None:
        frames = erfd.link_frames(robot, q)
        self.n = robot.n
        # the joint axes as operators in the base frame: T_(k-1) Q T_(k-1)^-1
        self.spin = [frame @ TURN @ np.linalg.inv(frame) for frame in frames[:-1]]
        self.frame = frames[1:]
        self.r = [np.append(link.center, 1.0) for link in robot.links]
        self.mass = [link.mass for link in robot.links]
        self.J = []
        for link in robot.links:
            tensor, center = np.array(link.inertia), np.array(link.center)
            second = np.trace(tensor) / 2 * np.eye(3) - tensor
            second += link.mass * np.outer(center, center)
            first = link.mass * center
            self.J.append(np.block([[second, first[:, None]], [first, link.mass]]))

    def once(self, j: int, k: int) -> np.ndarray:
        return self.spin[k] @ self.frame[j]

    def twice(self, j: int, k: int, m: int) -> np.ndarray:
        return self.spin[min(k, m)] @ self.spin[max(k, m)] @ self.frame[j]

    def inertial(self, rate: np.ndarray) -> np.ndarray:
        """The first term of (2.4) over q', as printed, or q''."""
        result = np.zeros(self.n)
        for i in range(self.n):
            for j in range(i, self.n):
                for k in range(j + 1):
                    result[i] += np.trace(self.once(j, k) @ self.J[j] @ self.once(j, i).T) * rate[k]
        return result

    def velocity(self, qd: np.ndarray) -> np.ndarray:
        result = np.zeros(self.n)
        for i in range(self.n):
            for j in range(i, self.n):
                total = sum(
                    self.twice(j, k, m) * qd[k] * qd[m] for k in range(j + 1) for m in range(j + 1)
                )
                result[i] += np.trace(total @ self.J[j] @ self.once(j, i).T)
        return result

    def gravity(self, g: np.ndarray) -> np.ndarray:
        """The last term of (2.4), plus sign."""
        result = np.zeros(self.n)
        for i in range(self.n):
            for j in range(i, self.n):
                result[i] += self.mass[j] * np.append(g, 0.0) @ self.once(j, i) @ self.r[j]
        return result


def test_13_lagrange_euler() -> None:
    known = Derivatives(ROBOT, Q)
    velocity, gravity = known.velocity(QD), known.gravity(GRAVITY)
    correct = known.inertial(QDD) + velocity - gravity  # (2.15)
    assert correct == pytest.approx(EXPECTED, abs=ROUNDING)
    first_term = known.inertial(QD) + velocity - gravity  # q' for q''
    assert np.abs(first_term - EXPECTED).max() > 50
    last_term = known.inertial(QDD) + velocity + gravity
    assert last_term - EXPECTED == pytest.approx(2 * gravity, abs=10 * ROUNDING)
    assert np.abs(gravity).max() > 50
    assert erfd.terms(ROBOT, Q, QD, method="lagrange")["c_i"] == pytest.approx(
        -gravity, abs=ROUNDING
    )


def dalembert(first: str = "", outside: bool = False) -> np.ndarray:
    """h_tran + h_rot + c of (4.3)-(4.5); the sums named in `first` start at 1, not at i."""
    arm, n = Arm.at(ROBOT, Q), ROBOT.n
    z, w, swing = arm.axis, np.zeros(3), np.zeros(3)
    spins, swings, centers = [], [], []
    carried = np.zeros(3)
    for s in range(n):
        swing = swing + np.cross(w, QD[s] * z[s])
        w = w + QD[s] * z[s]
        spins.append(w)
        swings.append(swing)
        own = arm.arm[s]  # c_s
        centers.append(carried + np.cross(w, np.cross(w, own)) + np.cross(swing, own))
        step = arm.step[s]
        carried = carried + np.cross(w, np.cross(w, step)) + np.cross(swing, step)
    u = np.zeros(n)
    for i in range(n):
        tangent = np.cross(z[i], arm.origin[1:] + arm.center - arm.origin[i])
        start = dict.fromkeys(("tran", "rot", "c"), i) | dict.fromkeys(first.split(), 0)
        for s in range(start["tran"], n):
            u[i] += arm.mass[s] * centers[s] @ tangent[s]  # (4.3)
        for s in range(start["rot"], n):
            u[i] += z[i] @ arm.inertia[s] @ swings[s]  # (4.4), first term
            if not outside or s == n - 1:  # outside the sum only one s is left
                u[i] += np.cross(z[i], spins[s]) @ arm.inertia[s] @ spins[s]
        for j in range(start["c"], n):
            u[i] -= GRAVITY @ (arm.mass[j] * tangent[j])  # (4.5)
    return u


def test_13_dalembert_sums() -> None:
    expected = torques(ROBOT, Q, QD, STILL)
    assert dalembert() == pytest.approx(expected, abs=ROUNDING)
    known = erfd.terms(ROBOT, Q, QD, method="dalembert")
    ours = known["h_tran"] + known["h_rot"] + known["c"]
    assert ours == pytest.approx(expected, abs=ROUNDING)
    for printed, size in (("tran", 5), ("rot", 0.5), ("c", 50)):
        error = np.abs(dalembert(printed) - expected)
        assert error[0] == pytest.approx(0, abs=ROUNDING)  # joint 1 carries every link
        assert error[1:].max() > size, printed
    second_term = np.abs(dalembert(outside=True) - expected)
    assert second_term[-1] == pytest.approx(0, abs=ROUNDING)  # the last joint carries one
    assert second_term[:-1].max() > 0.5


def test_13_base_accelerates_upward() -> None:
    """Table 1 and 2: v'_0 = (g_x, g_y, g_z); with the gravity vector it must be its opposite."""
    expected = torques(ROBOT, Q, STILL, STILL)
    arm = Arm.at(ROBOT, Q)
    printed = newton_euler(arm, STILL, STILL, gravity=-GRAVITY)  # a base that accelerates by g
    assert printed == pytest.approx(-expected, abs=ROUNDING)
    assert newton_euler(arm, STILL, STILL, gravity=GRAVITY) == pytest.approx(expected, abs=ROUNDING)
    assert np.abs(expected).max() > 50
