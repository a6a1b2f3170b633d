"""Errata 1-5: the modified recursive Newton-Euler algorithm as printed and as it is right."""

from __future__ import annotations

import numpy as np
import pytest

import erfd
from erfd import Joint, Link, Robot
from support.errata_witness import (
    F_E,
    GRAVITY,
    LOLA,
    S0,
    Arm,
    as_rows,
    crooked,
    mass_matrix,
    newton_euler,
    state,
    torques,
)

CROOKED = crooked()
N_E = np.array([20.0, -35.0, 15.0])  # a moment, for the terms that the demonstration leaves at zero
STILL = np.zeros(6)
Vectors = dict[str, np.ndarray]


def close(expected: np.ndarray) -> object:
    """Equal but for rounding: 1e-12 of the largest entry."""
    return pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


# erratum 1


def test_1_gravity_sign() -> None:
    expected = torques(LOLA, S0, STILL, STILL)
    arm = Arm.at(LOLA, S0)
    printed = newton_euler(arm, STILL, STILL, gravity=np.array([0.0, 0.0, 9.81]))  # -g, g = 9.81
    assert printed == close(-expected)  # every torque comes out with the opposite sign
    assert abs(printed - expected)[1] == pytest.approx(478.9, abs=0.1)
    assert newton_euler(arm, STILL, STILL, gravity=GRAVITY) == close(expected)
    # a third witness: the torque that holds the arm is the slope of its potential energy
    h = 1e-5
    for i, bump in enumerate(h * np.eye(6)):
        slope = erfd.potential_energy(LOLA, S0 + bump) - erfd.potential_energy(LOLA, S0 - bump)
        assert expected[i] == pytest.approx(slope / (2 * h), abs=1e-5)


# erratum 2


def test_2_wrench_is_exerted_on_the_environment() -> None:
    q, qd, qdd = state(6)
    on_environment = torques(CROOKED, q, qd, qdd, (-F_E, -N_E))  # the hand feels the reaction
    left_side = torques(CROOKED, q, qd, qdd) + erfd.external_torque(CROOKED, q, np.r_[F_E, N_E])
    assert left_side == close(on_environment)  # J^T k_e with a plus, as in (1)
    on_hand = torques(CROOKED, q, qd, qdd, (F_E, N_E))  # "acting on the end effector"
    assert np.abs(on_hand - left_side).max() > 100
    ours = erfd.inverse_dynamics(CROOKED, q, qd, qdd, wrench=np.r_[F_E, N_E])
    assert ours == close(on_environment)


def test_2_lever_arm_and_lost_terms() -> None:
    """(11) and (22) on an arm whose p*_n is not zero, as it happens to be on Lola 15."""
    q, qd, qdd = state(6)
    arm, known = Arm.at(CROOKED, q), erfd.terms(CROOKED, q, qd)
    F = known["e_i"][-1] + qdd @ known["e_ik"][-1]  # (12)
    N = known["d_i"][-1] + qdd @ known["d_ik"][-1]  # (16)
    z = arm.axis[-1]
    lever = arm.step[-1] + arm.lever
    inertial = N + np.cross(arm.arm[-1], F)
    expected = torques(CROOKED, q, qd, qdd, (-F_E, -N_E))[-1]
    assert z @ (inertial + N_E + np.cross(lever, F_E)) == close(expected)
    short_lever = z @ (inertial + N_E + np.cross(arm.lever, F_E))
    assert abs(short_lever - expected) > 10
    no_moment = z @ (inertial + np.cross(lever, F_E))  # (22)
    assert abs(no_moment - expected) > 10
    no_force = z @ (N + N_E + np.cross(lever, F_E))  # (11)
    assert abs(no_force - expected) > 10
    assert Arm.at(LOLA, S0).step[-1] == pytest.approx(np.zeros(3), abs=1e-15)


def test_2_force_counted_twice() -> None:
    """(14), (22) and (59) of Lola 15 at the first point of the demonstration, standing still."""
    expected = torques(LOLA, S0, STILL, STILL, (-F_E, STILL[:3]))
    arm, known = Arm.at(LOLA, S0), erfd.terms(LOLA, S0, STILL)
    tip = np.cross(arm.lever, F_E)
    twice = known["e_i"].copy()
    twice[-1] += F_E  # (14)
    printed = _bias(arm, twice, known["d_i"], F_E, tip)  # (22), and f_7 once more in (59)
    error = abs(printed - expected)
    assert error[1:3] == pytest.approx([164.4, 166.8], abs=0.1)
    general = _bias(arm, twice, known["d_i"], STILL[:3], tip)  # (22), but (23) without f_(n+1)
    assert np.abs(general - expected).max() == pytest.approx(12.1, abs=0.1)
    assert _bias(arm, known["e_i"], known["d_i"], F_E, tip) == close(expected)
    ours = erfd.bias(LOLA, S0, STILL, wrench=np.r_[F_E, STILL[:3]], method="mrnea")
    assert ours == close(expected)


def _bias(
    arm: Arm, e: np.ndarray, d: np.ndarray, f_tip: np.ndarray, n_tip: np.ndarray
) -> np.ndarray:
    """u' by (22), (23), (28) with the prime, (36)."""
    n = len(e)
    E, moment = f_tip, n_tip
    u = np.zeros(n)
    for i in reversed(range(n)):
        moment = moment + d[i] + np.cross(arm.arm[i], e[i]) + np.cross(arm.step[i], E)
        E = E + e[i]
        u[i] = arm.axis[i] @ moment
    return u


# erratum 3


def test_3_step_vectors() -> None:
    """p*_i = p_(i+1) - p_i of the Serbian text, beside l_i = p*_i + r_i, takes the next link's."""
    q, qd, qdd = state(6)
    arm, expected = Arm.at(CROOKED, q), torques(CROOKED, q, qd, qdd)
    printed = np.vstack([arm.step[1:], arm.lever])
    wrong = newton_euler(arm, qd, qdd, backward_step=printed)
    assert np.abs(wrong - expected).max() > 50
    assert newton_euler(arm, qd, qdd) == close(expected)
    lola, expected = Arm.at(LOLA, S0), torques(LOLA, S0, STILL, STILL)
    printed = np.vstack([lola.step[1:], lola.lever])
    wrong = newton_euler(lola, STILL, STILL, backward_step=printed)
    assert np.abs(wrong - expected).max() == pytest.approx(1631.4, abs=0.1)


def test_3_joint_axes() -> None:
    """Z_(i-1) is the third column of T_(i-1); that of T_i is the axis of the next joint."""
    arm = Arm.at(LOLA, S0)
    expected = torques(LOLA, S0, STILL, STILL)
    printed = newton_euler(arm, STILL, STILL, projected_on=arm.rotation[:, :, 2])
    assert abs(printed - expected)[0] == pytest.approx(489.1, abs=0.1)
    assert newton_euler(arm, STILL, STILL) == close(expected)


# erratum 4


def test_4_prime_of_equation_28() -> None:
    """Without the prime, n'_ic holds two links instead of all beyond i."""
    q, qd, _ = state(6)
    printed, correct = _both_28(CROOKED, q, qd)
    expected = torques(CROOKED, q, qd, STILL)
    assert correct == close(expected)
    assert printed[4:] == close(expected[4:])  # two links are right
    assert np.abs(printed - expected)[:4].min() > 10
    printed, correct = _both_28(LOLA, S0, STILL)
    expected = torques(LOLA, S0, STILL, STILL)
    assert correct == close(expected)
    assert abs(printed - expected)[1:4] == pytest.approx([74.8, 16.9, 7.1], abs=0.1)


def _both_28(robot: Robot, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u' of (36) from n'_ic as printed and with the prime."""
    arm, known = Arm.at(robot, q), erfd.terms(robot, q, qd)
    own = known["d_i"] + np.cross(arm.arm, known["e_i"])  # n_ic of (22), (23)
    own[:-1] += np.cross(arm.step[:-1], known["E_i"][1:])
    pairs = own.copy()
    pairs[:-1] += own[1:]
    sums = np.cumsum(own[::-1], axis=0)[::-1]
    assert known["n_ic"] == close(sums)
    return np.sum(arm.axis * pairs, axis=1), np.sum(arm.axis * sums, axis=1)


# erratum 5


def _printed_29(arm: Arm) -> np.ndarray:
    """Sums from i in every column, d_jk and e_jk with j < k taken by the formula of the others."""
    n = len(arm.mass)
    result = np.zeros((n, n, 3))
    for k in range(n):
        reach = arm.origin[1:] + arm.center - arm.origin[k]
        e = arm.mass[:, None] * np.cross(arm.axis[k], reach)
        terms = arm.inertia @ arm.axis[k] + np.cross(arm.arm, e)
        result[:, k] = np.cumsum(terms[::-1], axis=0)[::-1]
    result[:, -1] = terms[-1]  # the last column is printed as d_nn + l_n x e_nn
    return result


def _printed_30(arm: Arm, known: Vectors) -> np.ndarray:
    n = len(arm.mass)
    result = np.zeros((n, n, 3))
    for i in range(n - 1):
        for k in range(n - 1):
            for j in range(i, n - 1):
                result[i, k] += np.cross(arm.step[j], known["E_ik"][j + 1, k])
        result[i, -1] = np.cross(arm.step[-2], known["E_ik"][-1, -2])  # n_(n-1)(n-1)
    return result


def _printed_31(arm: Arm, known: Vectors) -> np.ndarray:
    n = len(arm.mass)
    result = np.zeros((n, n, 3))
    for i in range(n - 2):
        for k in range(2, n):
            result[i, k] = np.cross(arm.step[: k - 1].sum(axis=0), known["E_ik"][k, k])
    return result


@pytest.mark.parametrize(
    ("robot", "q", "at_least"),
    [(LOLA, S0, [58.5, 0.89, 9.2]), (CROOKED, state(6)[0], [3.0, 8.0, 14.0])],
    ids=["lola15", "crooked"],
)
def test_5_columns_of_equations_29_to_31(
    robot: Robot, q: np.ndarray, at_least: list[float]
) -> None:
    arm, known = Arm.at(robot, q), erfd.terms(robot, q, STILL)
    expected = mass_matrix(robot, q)
    n1, n2, n3 = (known[f"n_ia{k}"] for k in (1, 2, 3))

    def error(*parts: np.ndarray) -> np.ndarray:
        return np.einsum("ix,ikx->ik", arm.axis, sum(parts)) - expected  # (35), both halves

    rounding = 1e-12 * np.abs(expected).max()
    nothing = pytest.approx(np.zeros((6, 6)), abs=rounding)
    assert error(n1, n2, n3) == nothing
    wrong_29 = error(_printed_29(arm), n2, n3)
    wrong_30 = error(n1, _printed_30(arm, known), n3)
    wrong_31 = error(n1, n2, _printed_31(arm, known))
    sizes = [np.abs(wrong).max() for wrong in (wrong_29, wrong_30, wrong_31)]  # kg m2
    assert (np.array(sizes) > at_least).all()
    # what of the print is right: the lower half of (29) and (30), the first row of (31)
    assert np.tril(wrong_29) == nothing
    assert np.tril(wrong_30) == nothing
    assert wrong_31[0] == pytest.approx(np.zeros(6), abs=rounding)


def test_5_sums_of_the_trainer() -> None:
    """(87) = (E.11) leaves e_41 and e_42 out of E_21 and E_22 of the 4R trainer."""
    quarter = np.pi / 2
    joints = (
        Joint("arm", a=2.0),
        Joint("yaw", d=0.5, alpha=quarter),
        Joint("roll", theta=quarter, alpha=quarter),
        Joint("pitch"),
    )  # the printed axes; lengths and masses are ours
    tensor = as_rows(np.diag([3.0, 4.0, 5.0]))
    links = tuple(Link(f"link {i}", 100.0, (0.1, -0.2, 0.3), tensor) for i in range(4))
    robot = Robot("trainer", joints, links)
    q, qd = np.array([0.3, -0.8, 0.6, 1.1]), np.zeros(4)
    arm, e = Arm.at(robot, q), erfd.terms(robot, q, qd)["e_ik"]
    n1 = erfd.terms(robot, q, qd)["n_ia1"]
    printed, correct = [], []
    for k in (0, 1):
        beyond = np.cross(arm.step[1], e[2:, k].sum(axis=0))  # p*_2 x E_3k, right in (86)
        short = np.cross(arm.step[0], e[1:3, k].sum(axis=0))
        full = np.cross(arm.step[0], e[1:4, k].sum(axis=0))
        printed.append(arm.axis[0] @ (n1[0, k] + beyond + short))
        correct.append(arm.axis[0] @ (n1[0, k] + beyond + full))
    expected = mass_matrix(robot, q)[0, :2]
    assert np.array(correct) == close(expected)
    lost = expected - np.array(printed)
    assert lost == pytest.approx([417.1, 17.1], abs=0.1)  # kg m2
