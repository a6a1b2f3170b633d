"""Inverse Arm and Forward Arm of the shell: inverses of each other, tied variables, gravity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.shell.arm import (
    base_acceleration,
    forward_arm,
    inverse_arm,
    limit_notes,
    torques,
    voltages,
    with_gravity,
)
from erfd.shell.session import ShellSession
from erfd.shell.variables import feed, match_name, read_values, unit_text, variable_line
from support.arms import random_robot

SEEDS = st.integers(0, 2**32 - 1)


def driven(seed: int, kinds: str) -> erfd.Robot:
    """A random arm with coupled gears, every sort of friction, and motors of known R and Kt."""
    rng = np.random.default_rng(seed)
    n = len(kinds)
    drives = []
    for i in range(n):
        coupling = rng.uniform(-0.5, 0.5, n) * (np.arange(n) < i) * rng.integers(0, 2)
        drives.append(
            erfd.Drive(
                ratio=float(rng.choice([-1, 1]) * rng.uniform(1, 5)),
                coupling=tuple(coupling.tolist()) if coupling.any() else (),
                load_friction=float(rng.choice([0.0, rng.uniform(0, 0.5)])),
                coulomb=float(rng.choice([0.0, rng.uniform(0, 2)])),
                viscous=float(rng.uniform(0, 0.1)),
                inertia=float(rng.uniform(0.01, 0.5)),
                resistance=float(rng.uniform(0.5, 5)),
                torque_constant=float(rng.uniform(0.2, 5)),
                voltage_max=1.0,  # one moment of the arm knows no limit
            )
        )
    return replace(random_robot(seed, kinds), drives=tuple(drives))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from(["R", "RR", "RPR", "RRRR"]), st.sampled_from(["moves", "rests"]))
def test_forward_arm_undoes_inverse_arm(seed: int, kinds: str, state: str) -> None:
    """To 1e-10 of the accelerations: with gears, friction, a push at the hand; moving or not."""
    robot = driven(seed, kinds)
    rng = np.random.default_rng(seed)
    theta, omega, alpha = rng.uniform(-2, 2, (3, robot.n))
    omega = omega if state == "moves" else np.zeros(robot.n)
    wrench = rng.uniform(-20, 20, 6)
    tau = inverse_arm(robot, theta, omega, alpha, wrench=wrench)
    found = forward_arm(robot, theta, omega, voltages(robot, tau, omega), wrench=wrench)
    assert found == pytest.approx(alpha, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", ["cmu_dd", "two_link", "lola15", "puma560", "stanford"])
def test_bundled_robots(name: str) -> None:
    """Those without motor data are driven by torques, of the joints if they have no drives."""
    robot = erfd.load(name)
    rng = np.random.default_rng(1)
    theta, omega, alpha = rng.uniform(-1, 1, (3, robot.n))
    given = inverse_arm(robot, theta, omega, alpha)
    if feed(robot) == "voltage":
        given = voltages(robot, given, omega)
    assert forward_arm(robot, theta, omega, given) == pytest.approx(alpha, abs=1e-10)


def test_direct_drive_is_the_report_s_arm() -> None:
    """Without gears and friction the motors give the joint torques of the equations."""
    robot = erfd.load("cmu_dd")
    bare = tuple(
        replace(d, coulomb=0.0, viscous=0.0, load_friction=0.0, inertia=0.0) for d in robot.drives
    )
    robot = replace(robot, drives=bare)
    theta, omega, alpha = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    tau = inverse_arm(robot, theta, omega, alpha)
    assert tau == pytest.approx(erfd.inverse_dynamics(robot, theta, omega, alpha), rel=1e-14)


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_voltage_to_torque_and_back(seed: int) -> None:
    """Exact but for the last bits: both are a product and a sum."""
    robot = driven(seed, "RRR")
    voltage, omega = np.random.default_rng(seed).uniform(-50, 50, (2, 3))
    back = voltages(robot, torques(robot, voltage, omega), omega)
    emf = np.array([d.torque_constant for d in robot.drives]) * (
        np.abs(omega) @ np.abs(np.array(robot.gear_matrix)).T
    )
    assert (np.abs(back - voltage) <= 4 * np.finfo(float).eps * (np.abs(voltage) + emf)).all()


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.floats(-20, 20))
def test_gravity_is_the_z_component_of_the_base_s_acceleration(seed: int, value: float) -> None:
    """A robot that feels v'_0 stands as one without gravity whose base accelerates so."""
    rng = np.random.default_rng(seed)
    mount = erfd.Pose((0.0, 0.0, 0.0), tuple(rng.uniform(-3, 3, 3).tolist()))
    robot = replace(random_robot(seed, "RRR"), mount=mount)
    before = base_acceleration(robot)
    after = with_gravity(robot, value)
    expected = np.array([before[0], before[1], value])
    assert base_acceleration(after) == pytest.approx(expected, abs=1e-12)
    q = rng.uniform(-2, 2, 3)
    upright = erfd.Pose()  # frame 0 in the world, gravity is -v'_0 there
    x, y, z = (-expected).tolist()
    plain = replace(robot, mount=upright, base=upright, gravity=(x, y, z))
    found = erfd.gravity_torque(after, q)
    assert found == pytest.approx(erfd.gravity_torque(plain, q), abs=1e-9)


def test_default_gravity() -> None:
    """As in the report: z of the base points down where an arm hangs, up where it stands."""
    assert ShellSession("cmu_dd", erfd.load("cmu_dd")).values["gravity"][0] == -9.80621
    assert ShellSession("lola15", erfd.load("lola15")).values["gravity"][0] == 9.81


def test_tied_variables() -> None:
    session = ShellSession("two_link", erfd.load("two_link"))
    assert session.set("voltage", np.array([8.0, 3.0])) == ("voltage", "torque", "DACOut")
    assert session.values["torque"].tolist() == [32.0, 4.0]  # Kt V / R
    session.set("omega", np.array([1.0, 0.0]))  # back EMF: V stays, torque falls
    assert session.values["voltage"].tolist() == [8.0, 3.0]
    assert session.values["torque"].tolist() == [16.0, 4.0]
    session.set("torque", np.array([0.0, 4.0]))
    assert session.values["voltage"].tolist() == [4.0, 3.0]
    assert session.values["DACOut"].tolist() == [4.0, 3.0]
    session.set("DACOut", np.array([0.0, 0.0]))
    assert session.values["torque"].tolist() == [-16.0, 0.0]


def test_no_voltage_without_motor_data() -> None:
    session = ShellSession("lola15", erfd.load("lola15"))
    with pytest.raises(InputError, match="voltage: robot 'lola15' does not tell R and Kt"):
        session.set("voltage", np.zeros(6))
    session.set("DACOut", np.ones(6))
    assert session.values["torque"].tolist() == [1.0] * 6


def test_limits_are_noted() -> None:
    robot = erfd.load("two_link")
    assert limit_notes(robot, np.array([80.0, 60.0])) == []
    assert limit_notes(robot, np.array([-81.0, 0.0])) == [
        "note: motor 1: -81 V is beyond its limit of 80"
    ]


def test_units() -> None:
    stanford = erfd.load("stanford")
    assert unit_text("theta", stanford) == "[rad] [rad] [m] [rad] [rad] [rad]"
    assert unit_text("f_hand", stanford) == "N"
    assert variable_line("gravity", np.array([1e-17]), stanford).split() == ["gravity", "0", "m/s2"]


def test_reading_values() -> None:
    robot = erfd.load("two_link")
    assert read_values("theta", " 180, -90 deg", robot) == pytest.approx([np.pi, -np.pi / 2])
    slides = erfd.load("stanford")
    mixed = read_values("theta", "180 0 0.3 0 0 0 deg", slides)
    assert mixed == pytest.approx([np.pi, 0, 0.3, 0, 0, 0])
    for text, why in (
        ("1", "theta: expected 2 numbers, found 1"),
        ("1 2 3", "theta: expected 2 numbers, found 3"),
        ("1 x", "theta: expected a number, found 'x'"),
        ("1 nan", "theta: expected a finite number, found 'nan'"),
        ("1 2 deg/s", "theta: expected numbers in rad or deg, found 'deg/s'"),
    ):
        with pytest.raises(InputError) as error:
            read_values("theta", text, robot)
        assert str(error.value) == why
    with pytest.raises(InputError, match="torque: expected numbers in N m, found 'deg'"):
        read_values("torque", "1 2 deg", robot)


def test_abbreviations() -> None:
    names = ("simulate", "show", "save", "theta", "torque", "DACOut", "DACTimePeriod")
    assert match_name("SIM", names, "a name") == "simulate"
    assert match_name("daco", names, "a name") == "DACOut"
    with pytest.raises(InputError, match="'s' may be simulate, show or save; write more of it"):
        match_name("s", names, "a name")
    with pytest.raises(InputError, match="expected a name, found 'x'; `help` lists them"):
        match_name("x", names, "a name")
