"""Errata 8-11, 14, 18: motors, friction, coupling and the velocity of a cycle (001)."""

from __future__ import annotations

import numpy as np
import pytest

from support.errata_witness import F_E, LOLA, S0, mass_matrix, torques

K = np.array(LOLA.gear_matrix)
RATIO = np.diag(K)
LIMIT = np.array([drive.torque_max for drive in LOLA.drives])
ROTOR = np.array([drive.inertia for drive in LOLA.drives])
VISCOUS = np.array([drive.viscous for drive in LOLA.drives])
MU = np.array([drive.load_friction for drive in LOLA.drives])
SPEED = np.array([drive.speed_max for drive in LOLA.drives])
JOINT_SPEED = np.array([joint.velocity_max for joint in LOLA.joints])
STILL = np.zeros(6)
DT = 0.01
RPM = 60 / (2 * np.pi)
DEMAND = np.array([1.0, 45.0, -32.0, 5.0, 0.5, 3.0])  # rad/s2, too much for motor 2

# erratum 8


def test_8_step_6_contradicts_itself() -> None:
    """A demand beyond motor 2: (92) for all, then the demand again where i_u = 0."""
    H, bias = mass_matrix(LOLA, S0), torques(LOLA, S0, STILL, STILL)
    H_a = H / RATIO[:, None] + ROTOR[:, None] * K  # (D.3), no friction
    wanted = H_a @ DEMAND + bias / RATIO
    clamped = np.clip(wanted, -LIMIT, LIMIT)
    saturated = wanted != clamped
    assert saturated.tolist() == [False, True, False, False, False, False]
    solved = np.linalg.solve(H_a, clamped - bias / RATIO)
    mixed = np.where(saturated, solved, DEMAND)
    needs = H_a @ mixed + bias / RATIO
    assert needs[1] == pytest.approx(31.98, abs=0.01)  # of 38.6: below the limit it is held at
    assert needs[2] == pytest.approx(-19.35, abs=0.01)  # of 17.8: beyond what the motor can do
    # the print without the text, (92) for all joints, does not keep the other accelerations
    assert H_a @ solved + bias / RATIO == pytest.approx(clamped, rel=1e-12)
    assert (solved - DEMAND)[2] == pytest.approx(10.9, abs=0.1)  # rad/s2


def test_8_consistent_reading_has_a_solution() -> None:
    """Rotor acceleration given on free motors, torque on saturated ones: every condition holds."""
    bias = np.linalg.solve(K.T, torques(LOLA, S0, STILL, STILL))
    back = np.linalg.inv(K)
    A = back.T @ mass_matrix(LOLA, S0) @ back + np.diag(ROTOR)  # over rotor accelerations
    assert np.linalg.eigvalsh(A)[0] > 0  # so that every principal block can be solved
    wanted = K @ DEMAND
    held = np.zeros(6)  # the sign of the limit at which a motor is held
    for _ in range(20):
        fast, slow = held != 0, held == 0
        x = wanted.copy()
        rest = (held * LIMIT - bias)[fast] - A[np.ix_(fast, slow)] @ wanted[slow]
        x[fast] = np.linalg.solve(A[np.ix_(fast, fast)], rest)
        u = A @ x + bias
        over = slow & (np.abs(u) > LIMIT * (1 + 1e-12))
        free = fast & (held * (x - wanted) > 0)  # held although it already has what it wants
        if not over.any() and not free.any():
            break
        held = np.where(over, np.sign(u), np.where(free, 0.0, held))
    assert held.tolist() == [0, 1, 0, 0, 0, 0]  # at its full torque it leaves motor 3 in its limit
    assert (np.abs(u) <= LIMIT * (1 + 1e-12)).all()
    assert x[held == 0] == pytest.approx(wanted[held == 0], rel=1e-14)
    assert u[held != 0] == pytest.approx((held * LIMIT)[held != 0], rel=1e-12)


# erratum 9


def test_9_printed_friction_creates_energy() -> None:
    """Friction adds torque f to the motor's load; what it takes out of the motion is f q'."""
    rng = np.random.default_rng(9)
    u, qd = rng.normal(size=(2, 1000, 6)) * [[[300.0]], [[2.0]]]
    printed = MU * np.sign(qd) * u * qd  # (D.3)
    assert ((printed < 0) == (u < 0)).all()  # energy from nothing, whichever way the joint turns
    assert printed.min() < -100  # W
    dissipative = MU * np.abs(u) * np.sign(qd) * qd
    assert dissipative.min() >= 0
    assert np.where(u > 0, dissipative - printed, 0) == pytest.approx(np.zeros((1000, 6)))
    # axis 2 at the first point of the demonstration, at the full speed of its motor
    load, speed = torques(LOLA, S0, STILL, STILL)[1], SPEED[1] / RATIO[1]
    assert load < 0
    for direction in (1, -1):
        power = MU[1] * np.sign(direction) * load * direction * speed
        assert power == pytest.approx(-129.8, abs=0.1)  # W, out of nothing


# erratum 10


def test_10_virtual_work() -> None:
    """Motors and joints exchange the same power only if u = K^T u_a."""
    u = torques(LOLA, S0, STILL, STILL, (-F_E, STILL[:3]))
    qd = np.array([0.0, 2.0, 0.0, 0.0, 1.5, 0.0])
    power = u @ qd
    by_transpose = np.linalg.solve(K.T, u) @ (K @ qd)
    assert by_transpose == pytest.approx(power, rel=1e-13)
    diagonal = (u / RATIO) @ (K @ qd)  # u_i / k_i of (D.3)
    assert diagonal - power == pytest.approx(6.9, abs=0.1)  # W, of 849
    # a motor that turns two joints must hold both: motor 6 turns joint 5, too
    difference = np.linalg.solve(K.T, u) - u / RATIO
    assert np.flatnonzero(np.abs(difference) > 1e-12).tolist() == [1, 3, 4]


# erratum 11


def test_11_extra_factor_u_3() -> None:
    """English (D.3), at rest and without friction, against virtual work at the motor."""
    u = torques(LOLA, S0, STILL, STILL)
    expected = np.linalg.solve(K.T, u)[2]
    assert u[2] / RATIO[2] == pytest.approx(expected, rel=1e-13)  # Serbian: [u'_3 + ...] / k_3
    printed = u[2] * u[2] / RATIO[2]
    assert [expected, printed] == pytest.approx([3.8, 1715.7], abs=0.1)  # N m


def test_11_rows_of_the_motor_equations() -> None:
    """H_a of (D.3) with h_aii and h_54: rotor inertia, and viscous friction at the cycle's end."""
    H, bias = mass_matrix(LOLA, S0), torques(LOLA, S0, STILL, STILL)
    qd, qdd = np.full(6, 0.3), np.array([1.0, -2.0, 3.0, 2.0, -1.0, 4.0])
    torque = (H @ qdd + bias) / RATIO  # the papers' diagonal path
    torque += ROTOR * (K @ qdd) + VISCOUS * (K @ (qd + qdd * DT))
    H_a = H / RATIO[:, None]
    own = ROTOR + VISCOUS * DT
    for i in (0, 1, 3):
        H_a[i, i] = H[i, i] / RATIO[i] + RATIO[i] * own[i]  # h_aii, printed h_a11
    H_a[2, 1] = H[2, 1] / RATIO[2] + RATIO[2] * own[2] / RATIO[1]
    H_a[2, 2] = H[2, 2] / RATIO[2] + RATIO[2] * own[2]
    H_a[4, 3] = H[4, 3] / RATIO[4] + K[4, 3] * own[4]  # h_54, printed a_54
    H_a[4, 4] = H[4, 4] / RATIO[4] + RATIO[4] * own[4]
    for j in (3, 4, 5):
        H_a[5, j] = H[5, j] / RATIO[5] + K[5, j] * own[5]
    known = bias / RATIO + VISCOUS * (K @ qd)
    assert H_a @ qdd + known == pytest.approx(torque, rel=1e-12)
    literal = H_a.copy()
    literal[[1, 3], [1, 3]] = H_a[0, 0]  # h_a11 for i = 1, 2, 4
    assert np.abs(literal @ qdd + known - torque).max() > 0.1  # N m


# erratum 14


def test_14_velocity_one_sample_late() -> None:
    """Step 7 with the velocities of section 3 runs one sample ahead; with ours, it is exact."""
    q = np.sin(np.linspace(0, 2, 201) ** 2)

    def step_7(velocity: np.ndarray) -> np.ndarray:
        """q(t_k+1) = q(t_k) + q'(t_k+1) dt."""
        return q[0] + np.r_[0, np.cumsum(velocity[1:]) * DT]

    ours = np.r_[0, np.diff(q) / DT]  # q'(t_k) = (q(t_k) - q(t_k-1)) / dt
    assert step_7(ours) == pytest.approx(q, abs=1e-14)
    printed = np.r_[np.diff(q) / DT, 0]  # q'(t_k) = (q(t_k+1) - q(t_k)) / dt
    shifted = np.r_[q[1:], q[-1]] - q[1] + q[0]
    assert step_7(printed) == pytest.approx(shifted, abs=1e-14)
    assert np.abs(step_7(printed) - q).max() > 0.02


# erratum 18


def test_18_speeds_of_joints_and_motors() -> None:
    needed = RATIO * JOINT_SPEED * RPM
    assert needed[:3] == pytest.approx([3495, 3932, 3500], abs=0.5)
    assert (SPEED * RPM).tolist() == pytest.approx([3150, 2800, 3150, 3400, 3400, 3400])
    assert (needed[:3] > 1.1 * SPEED[:3] * RPM).all()
    assert (needed[3:] < SPEED[3:] * RPM).all()
    assert needed[3:] == pytest.approx(SPEED[3:] * RPM, rel=2e-3)
    reachable = SPEED / RATIO
    assert reachable[:3] == pytest.approx([2.749, 2.464, 2.772], abs=5e-4)
    wrist = JOINT_SPEED * [0, 0, 0, 0, 1, 1]
    assert (K @ wrist)[5] * RPM == pytest.approx(4222, abs=1)  # axes 5 and 6 at full speed
    wrist = JOINT_SPEED * [0, 0, 0, 1, 1, 1]
    assert (K @ wrist)[5] * RPM == pytest.approx(4197, abs=1)  # axis 4, too
    worst = JOINT_SPEED * [0, 0, 0, -1, 1, 1]
    assert (K @ worst)[5] * RPM == pytest.approx(4247, abs=1)
