"""Erratum 12: the CMU report (003), its integrator, its index ranges and its frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd import Pose, Robot
from support.errata_witness import F_E, Arm, crooked, mass_matrix, newton_euler, state, torques

ARM = replace(crooked(), tool=Pose())  # the report's hand frame is that of link N
Q, QD, QDD = state(6)
Derivative = Callable[[np.ndarray], np.ndarray]


def fall(theta: float) -> float:
    """F of a pendulum, theta'' = -sin(theta)."""
    return -math.sin(theta)


def runge_kutta(theta: float, omega: float, h: float, steps: int, printed: bool) -> np.ndarray:
    """The third-order scheme of the report; `printed` takes h c_1 for h k_1 in c_3."""
    for _ in range(steps):
        c1, k1 = omega, fall(theta)
        c2 = omega + h / 2 * k1
        k2 = fall(theta + h / 2 * c1)
        c3 = omega + 2 * h * k2 - h * (c1 if printed else k1)
        k3 = fall(theta + 2 * h * c2 - h * c1)
        theta += h / 6 * (c1 + 4 * c2 + c3)
        omega += h / 6 * (k1 + 4 * k2 + k3)
    return np.array([theta, omega])


def reference(rate: Derivative, start: np.ndarray, time: float, steps: int = 4000) -> np.ndarray:
    """Classical fourth-order Runge-Kutta with steps so small that only rounding is left."""
    y, h = start, time / steps
    for _ in range(steps):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y


def test_12_order_of_the_integrator() -> None:
    exact = reference(lambda y: np.array([y[1], fall(y[0])]), np.array([1.0, 0.5]), 2.0)

    def orders(printed: bool) -> np.ndarray:
        errors = [
            np.abs(runge_kutta(1.0, 0.5, 2.0 / n, n, printed) - exact).max()
            for n in (50, 100, 200, 400)
        ]
        return np.log2(np.array(errors[:-1]) / errors[1:])

    assert orders(printed=False) == pytest.approx(np.full(3, 3.0), abs=0.1)
    assert orders(printed=True) == pytest.approx(np.full(3, 1.0), abs=0.1)


def test_12_differential_equations_swapped() -> None:
    """As printed, d theta/dt = F and d theta'/dt = theta': the pendulum runs away."""

    def energy(y: np.ndarray) -> float:
        return y[1] ** 2 / 2 - math.cos(y[0])

    start = np.array([1.0, 0.5])
    right = reference(lambda y: np.array([y[1], fall(y[0])]), start, 2.0)
    swapped = reference(lambda y: np.array([fall(y[0]), y[1]]), start, 2.0)
    assert energy(right) == pytest.approx(energy(start), abs=1e-12)
    assert swapped[1] == pytest.approx(0.5 * math.exp(2.0), rel=1e-12)
    assert energy(swapped) - energy(start) > 5


def test_12_bias_at_zero_acceleration() -> None:
    """The text sets theta' to zero; the bias is what is left at theta'' = 0."""
    expected = torques(ARM, Q, QD, QDD) - mass_matrix(ARM, Q) @ QDD
    correct = erfd.inverse_dynamics(ARM, Q, QD, np.zeros(6))
    assert correct == pytest.approx(expected, abs=1e-11)
    assert erfd.bias(ARM, Q, QD, method="wo3") == pytest.approx(expected, abs=1e-11)
    printed = erfd.inverse_dynamics(ARM, Q, np.zeros(6), QDD)
    assert np.abs(printed - expected).max() > 10


def composite_bodies(
    robot: Robot, q: np.ndarray, last_diagonal: int, axis_of_j: bool = False
) -> np.ndarray:
    """H by (16)-(26), link frames; what the ranges leave out stays NaN."""
    n = robot.n
    frames = erfd.link_frames(robot, q)
    A = [frames[i, :3, :3].T @ frames[i + 1, :3, :3] for i in range(n)]  # A_i^(i+1)
    p = [
        np.array([joint.a, joint.d * math.sin(joint.alpha), joint.d * math.cos(joint.alpha)])
        for joint in robot.joints
    ]
    z0 = np.array([0.0, 0.0, 1.0])
    H = np.full((n, n), np.nan)
    M, c, E = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in reversed(range(n)):
        link = robot.links[j]
        s, J = np.array(link.center), np.array(link.inertia)
        beyond = A[j + 1] @ (c + p[j + 1]) if j + 1 < n else s
        turned = A[j + 1] @ E @ A[j + 1].T if j + 1 < n else E
        total = M + link.mass  # (16)
        c = (link.mass * s + M * beyond) / total  # (17)
        E = turned + M * _spread(beyond - c) + J + link.mass * _spread(s - c)  # (18)
        M = total
        axis = A[j].T @ z0
        f = M * np.cross(axis, c + p[j])  # (19), (21)
        moment = E @ axis + np.cross(c + p[j], f)  # (20), (22)
        if j < last_diagonal:
            H[j, j] = moment @ axis  # (23)
        for i in reversed(range(j)):
            f = A[i + 1] @ f  # (24)
            moment = A[i + 1] @ moment + np.cross(p[i], f)  # (25)
            wrong = frames[i + 1, :3, :3].T @ frames[j, :3, 2]  # A_i^(j-1) Z_0
            H[i, j] = H[j, i] = moment @ (wrong if axis_of_j else A[i].T @ z0)  # (26)
    return H


def _spread(r: np.ndarray) -> np.ndarray:
    return (r @ r) * np.eye(3) - np.outer(r, r)


def test_12_composite_bodies() -> None:
    expected = mass_matrix(ARM, Q)
    assert composite_bodies(ARM, Q, last_diagonal=6) == pytest.approx(expected, abs=1e-12)
    summary = composite_bodies(ARM, Q, last_diagonal=5)  # (21), (23) from N - 1
    assert np.argwhere(np.isnan(summary)).tolist() == [[5, 5]]
    text = composite_bodies(ARM, Q, last_diagonal=6, axis_of_j=True)  # (26) with j - 1
    off = ~np.eye(6, dtype=bool)
    assert np.diag(text) == pytest.approx(np.diag(expected), abs=1e-12)
    assert np.abs(text - expected)[off].max() > 20  # kg m2
    # (10) printed from N - 1, too: the last joint, which carries a torque, would get none
    assert abs(torques(ARM, Q, QD, QDD)[-1]) > 1


def test_12_angular_momentum() -> None:
    """N = dL/dt gives Euler's equation (7) from L = J omega, not from L = J omega'."""
    J, w = np.diag([1.0, 2.0, 4.0]), np.array([0.3, -0.5, 0.7])  # a steady turn, not about an axis

    def momentum(t: complex) -> np.ndarray:
        x, y, z = w / np.linalg.norm(w)
        k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        angle = np.linalg.norm(w) * t
        turned = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
        return turned @ J @ turned.T @ w

    rate = momentum(1e-30j).imag / 1e-30  # complex step: exact to rounding
    euler = np.cross(w, J @ w)  # (7) with omega' = 0
    assert rate == pytest.approx(euler, abs=1e-14)
    assert np.linalg.norm(euler) > 0.5  # whereas J omega' = 0 has no rate of change at all


def test_12_force_of_the_hand() -> None:
    """(8), (9) with f_(N+1) give the torques of a hand that exerts it, not that suffers it."""
    by_recursion = newton_euler(Arm.at(ARM, Q), QD, QDD, tip_force=F_E)
    nothing = np.zeros(3)
    exerted = torques(ARM, Q, QD, QDD, (-F_E, nothing))
    suffered = torques(ARM, Q, QD, QDD, (F_E, nothing))
    assert by_recursion == pytest.approx(exerted, abs=1e-11)
    assert np.abs(by_recursion - suffered).max() > 100


def test_12_length_a_is_along_x_i() -> None:
    frames = erfd.link_frames(ARM, Q)
    for i, joint in enumerate(ARM.joints, start=1):
        step = frames[i, :3, 3] - frames[i - 1, :3, 3]
        assert step @ frames[i, :3, 0] == pytest.approx(joint.a, abs=1e-14)
        in_frame_i = frames[i, :3, :3].T @ step
        r, alpha = joint.d, joint.alpha
        hat = [joint.a, r * math.sin(alpha), r * math.cos(alpha)]  # the report's own p_i
        assert in_frame_i == pytest.approx(hat, abs=1e-14)
    along_previous = (frames[2, :3, 3] - frames[1, :3, 3]) @ frames[1, :3, 0]
    assert abs(along_previous - ARM.joints[1].a) > 0.1
