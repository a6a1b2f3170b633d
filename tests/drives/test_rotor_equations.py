"""The equations at the motors: H_a, u'_a and u_a agree with each other, and with plain formulas."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError

LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 3.0, -2.0, 1.0]


def states(count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(2)
    return tuple(rng.normal(size=(count, 6)) for _ in range(3))


@pytest.fixture(params=["compiled", "numpy"])
def computing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "compiled":
        request.getfixturevalue("compiled")


@pytest.mark.usefixtures("computing")
@pytest.mark.parametrize("path", ["virtual-work", "diagonal"])
@pytest.mark.parametrize("wrench", [None, WRENCH])
def test_the_parts_make_the_torque(path: str, wrench: list[float] | None) -> None:
    """(77), against H and u of another formulation, with dt and without."""
    q, qd, qdd = states(9)
    K = np.array(LOLA.gear_matrix)
    drives = LOLA.drives
    mu, c, f, inertia = (
        np.array([getattr(d, name) for d in drives])
        for name in ("load_friction", "coulomb", "viscous", "inertia")
    )
    u = erfd.inverse_dynamics(LOLA, q, qd, qdd, wrench=wrench, method="ne_base")
    load = u / np.diag(K) if path == "diagonal" else np.linalg.solve(K.T, u.T).T
    rate, y = qd @ K.T, qdd @ K.T
    for dt in (0.0, 0.01):
        options = {"wrench": wrench, "dt": dt, "torque_path": path}
        torque = erfd.rotor_torque(LOLA, q, qd, qdd, **options)
        plain = load + (mu * np.abs(load) + c) * np.sign(rate) + (inertia + f * dt) * y + f * rate
        assert np.abs(torque - plain).max() < 1e-11 * np.abs(plain).max()
        printed = erfd.rotor_torque(LOLA, q, qd, qdd, friction="printed", **options)
        extra = (mu * u / np.diag(K) + c) * np.sign(qd)
        assert np.allclose(printed, load + extra + (inertia + f * dt) * y + f * rate, rtol=1e-11)
        matrix = erfd.rotor_mass_matrix(LOLA, q, dt=dt, torque_path=path)
        rest = erfd.rotor_bias(LOLA, q, qd, qdd, **options)
        assert np.allclose(np.einsum("kij,kj->ki", matrix, qdd) + rest, torque, rtol=1e-11)
        h = erfd.mass_matrix(LOLA, q, method="denoc")
        turned = h / np.diag(K)[:, None] if path == "diagonal" else np.linalg.inv(K).T @ h
        assert np.allclose(matrix, turned + (inertia + f * dt)[:, None] * K, rtol=1e-11)


@pytest.mark.usefixtures("computing")
def test_what_motors_give_is_more_than_joints_take() -> None:
    """Power: the rotors' is that of the damped joints, of friction and of the rotors' inertia."""
    robot = replace(LOLA, joints=tuple(replace(j, damping=3.0) for j in LOLA.joints))
    q, qd, qdd = states(9)
    at_joints = erfd.rotor_torque(robot, q, qd, qdd) @ np.array(robot.gear_matrix)
    bare = erfd.inverse_dynamics(robot, q, qd, qdd)
    damped = erfd.inverse_dynamics(robot, q, qd, qdd, damping=True)
    K, drives = np.array(robot.gear_matrix), robot.drives
    mu, c, f, inertia = (
        np.array([getattr(d, name) for d in drives])
        for name in ("load_friction", "coulomb", "viscous", "inertia")
    )
    rate, y = qd @ K.T, qdd @ K.T
    lost = (mu * np.abs(np.linalg.solve(K.T, damped.T).T) + c) * np.abs(rate) + f * rate**2
    power = (at_joints * qd).sum(axis=1)
    wanted = (bare * qd + 3.0 * qd**2 + inertia * y * rate + lost).sum(axis=1)
    assert np.allclose(power, wanted, rtol=1e-11)


@pytest.mark.usefixtures("computing")
def test_shapes_and_rest() -> None:
    q, qd, qdd = states(6)
    stacked = erfd.rotor_torque(LOLA, q.reshape(2, 3, 6), qd[0], qdd[0])
    assert stacked.shape == (2, 3, 6)
    assert np.array_equal(stacked[1, 2], erfd.rotor_torque(LOLA, q[5], qd[0], qdd[0]))
    assert erfd.rotor_mass_matrix(LOLA, np.zeros((0, 6))).shape == (0, 6, 6)
    assert erfd.rotor_mass_matrix(LOLA, q[0]).shape == (6, 6)
    # at rest, friction is against the acceleration that is wanted; standing, there is none
    up, down = (erfd.rotor_torque(LOLA, q[0], np.zeros(6), s * qdd[0]) for s in (1, -1))
    still = erfd.rotor_torque(LOLA, q[0], np.zeros(6), np.zeros(6))
    K = np.array(LOLA.gear_matrix)
    gravity = np.linalg.solve(K.T, erfd.gravity_torque(LOLA, q[0]))
    assert np.allclose(still, gravity, rtol=1e-12, atol=1e-12)
    assert not np.allclose(up + down, 2 * gravity)


def test_as_the_cycle_has_it(compiled: None) -> None:
    """The torques of Algorithm 1 are those of D.3 at the states that it went through."""
    t = 0.01 * np.arange(150)
    s = (t / t[-1]) ** 3 * (10 - 15 * t / t[-1] + 6 * (t / t[-1]) ** 2)
    run = erfd.achievable(LOLA, erfd.Trajectory(t, s[:, None] * [1.0, -0.5, 0.6, 1, 0.5, 1]))
    q, qd, qdd = run["q"][5:-1], run["qd"][5:-1], run["qdd"][6:]
    torque = erfd.rotor_torque(LOLA, q, qd, qdd, dt=0.01)
    assert np.abs(torque - run["u_a"][6:]).max() < 1e-10


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match="friction: expected one of dissipative, printed"):
        erfd.rotor_torque(LOLA, [0] * 6, [0] * 6, [0] * 6, friction="none")
    with pytest.raises(InputError, match="dt: expected a time >= 0 s, found -1"):
        erfd.rotor_mass_matrix(LOLA, [0] * 6, dt=-1)
    with pytest.raises(InputError, match=r"q: expected shape \(..., 6\)"):
        erfd.rotor_mass_matrix(LOLA, [0] * 5)
