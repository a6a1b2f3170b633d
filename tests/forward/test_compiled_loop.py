"""The compiled loop takes the steps of the NumPy text; lanes are simulations side by side."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from support.simulated_arms import fenced, geared

LOLA = erfd.load("lola15")
Q = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])


def both(*arguments: object, **options: object) -> float:
    """The largest difference of the two backends, as a part of the largest values."""
    runs = []
    for backend in ("compiled", "numpy"):
        with erfd.backend(backend):
            runs.append(erfd.simulate(*arguments, **options))
    gaps = []
    for name in ("q", "qd", "qdd", "u_a", "energy", "lost_friction", "lost_stops", "energy_gap"):
        size = max(1.0, float(np.abs(runs[0][name]).max()))
        gaps.append(float(np.abs(runs[0][name] - runs[1][name]).max()) / size)
    return max(gaps)


@pytest.mark.parametrize("method", ["rk3", "rk4", "semi-implicit", "dop853"])
def test_friction_stops_and_coupled_gears(method: str) -> None:
    """A random arm that sticks, slips and strikes, of all three kinds of joints and gears."""
    robot = fenced(geared(10, "RPR"), 0.15)
    qd = [2.0, -1.0, 3.0]
    gap = both(
        robot, np.zeros(3), qd, np.zeros(3), steps=40, dt=0.005, method=method, stops="inelastic"
    )
    assert gap < 1e-10


@pytest.mark.parametrize("kind", ["torque", "joint_torque"])
def test_lola(kind: str) -> None:
    values = {"torque": [1, -5, 3, 0.3, -0.2, 0.1], "joint_torque": [90, 500, 90, 10, 5, 1]}[kind]
    wrench = [100.0, 100.0, -150.0, 1.0, 2.0, 3.0]
    payload = erfd.Payload(3.0, (0.0, 0.1, 0.0))
    qd = np.array([0.1, 0.0, -0.1, 0.2, 0.0, 0.3])
    gap = both(LOLA, Q, qd, values, steps=8, kind=kind, wrench=wrench, payload=payload)
    assert gap < 1e-10


def test_voltage_ramps() -> None:
    ramp = erfd.InputSchedule([0, 0.05, 0.1], [[0, 0], [90, -20], [0, 5]], linear=True)
    assert both(erfd.load("two_link"), [0, 0], [0, 0], ramp, kind="voltage", method="rk4") < 1e-10


def test_lanes_are_simulations(compiled: None) -> None:
    """Five states in lanes, some strike a stop, some stick: each as if it were alone."""
    robot = fenced(geared(10, "RPR"), 0.15)
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(-0.1, 0.1, (5, 3)), rng.uniform(-3, 3, (5, 3))
    torque = rng.normal(size=(5, 1, 3))
    how = {"steps": 40, "dt": 0.006, "method": "rk4", "stops": "inelastic", "record_every": 2}
    runs = erfd.simulate_batch(robot, q, qd, torque, **how)
    assert len(runs) == 5
    assert runs.q.shape == (5, 21, 3)
    assert repr(runs) == "Runs('random', 5 of 21 points)"
    for i, run in enumerate(runs):
        alone = erfd.simulate(robot, q[i], qd[i], torque[i, 0], **how)
        for name in ("q", "qd", "qdd", "u_a", "lost_stops", "energy_gap"):
            assert run[name] == pytest.approx(alone[name], abs=1e-9), name
        assert np.array_equal(runs.q[i], run["q"])
    with erfd.backend("numpy"):
        plain = erfd.simulate_batch(robot, q, qd, torque, **how)
    assert np.abs(plain.q - runs.q).max() < 1e-10


def test_batches_of_inputs(compiled: None) -> None:
    robot = replace(erfd.load("two_link"), drives=())
    rows = np.random.default_rng(1).normal(size=(3, 20, 2))
    shared = erfd.simulate_batch(robot, np.zeros((3, 2)), [0, 0], rows[0], stops=None)
    each = erfd.simulate_batch(robot, [0, 0], [0, 0], rows, stops=None)
    alone = erfd.simulate(robot, [0, 0], [0, 0], rows[0], stops=None)
    assert np.abs(shared.q - alone["q"]).max() < 1e-13
    assert np.abs(each.q[0] - alone["q"]).max() < 1e-13
    assert np.array_equal(each[2]["u_a"][:20], rows[2])
    for arguments, sentence in (
        (((np.zeros((3, 2))), np.zeros((2, 2)), [0, 0]), "q0, qd0, input: expected as many"),
        ((np.zeros((3, 3)), [0, 0], [0, 0]), r"q0: expected shape \(3, 2\), found \(3, 3\)"),
        (([[9.0, 0.0]], [0, 0], [0, 0]), r"q0\[0\]: expected joint 1 within"),
    ):
        with pytest.raises(InputError, match=sentence):
            erfd.simulate_batch(robot, *arguments, steps=3)
    with pytest.raises(InputError, match="expected a fixed-step method for a batch"):
        erfd.simulate_batch(robot, [0, 0], [0, 0], [0, 0], steps=3, method="dop853")
    with pytest.raises(InputError, match="passes its limit"):
        erfd.simulate_batch(robot, np.zeros((3, 2)), [0, 40.0], [0, 0], steps=500)


def test_long_arms_are_simulated_over_numpy(
    compiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = erfd.load("two_link")
    usual = erfd.simulate(robot, [0.1, 0.2], [0, 0], [1, 1], steps=3)
    monkeypatch.setattr("erfd.forward.simulate.LONGEST", 1)
    with pytest.warns(UserWarning, match="2 joints, more than the 1 that are compiled"):
        run = erfd.simulate(robot, [0.1, 0.2], [0, 0], [1, 1], steps=3)
    assert run["q"] == pytest.approx(usual["q"], abs=1e-14)


def test_the_benchmark_compares_equal_motions(compiled: None) -> None:
    """Whoever is installed ends where we do; times are of no interest here."""
    from erfd.bench.simulate import measure

    data = measure(LOLA, steps=40, rounds=1)
    assert {"loop", "lanes", "motion", "call", "friction"} <= set(data["us"])
    if data["difference"] is not None:
        assert data["difference"] < 1e-11
