"""Simulations of the shell: in pieces as in one, with the DAC, stopped and continued."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.forward.input_schedule import InputSchedule
from erfd.shell import history as module
from erfd.shell.history import SimulationRequest, join, simulate_request
from erfd.shell.session import ShellSession

pytestmark = pytest.mark.usefixtures("compiled")
ARM = erfd.load("two_link")
FREE = {"wrench": None, "dt": 0.001, "method": "rk3", "kind": "voltage", "stops": None}


def plan(
    given: np.ndarray | InputSchedule, steps: int, period: int = 1, **other: object
) -> SimulationRequest:
    begin = {"robot": ARM, "theta": np.array([0.4, 0.9]), "omega": np.array([0.3, -1.0])}
    return SimulationRequest(given=given, steps=steps, period=period, **{**begin, **FREE, **other})


def test_pieces_are_the_whole() -> None:
    """Cut into pieces or not, a simulation is the same: only the rounding of K K^-1 is between."""
    push = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    made, stopped = simulate_request(plan(np.array([5.0, -2.0]), 950, wrench=push), None, int)
    assert stopped is None
    assert made is not None
    whole = erfd.simulate(
        ARM, [0.4, 0.9], [0.3, -1.0], [5.0, -2.0], steps=950, kind="voltage", wrench=push,
        stops=None,
    )  # fmt: skip
    assert made.run.data.keys() == whole.data.keys()
    for name, column in whole.data.items():
        size = max(1.0, float(np.abs(column).max()))
        assert np.abs(made.run[name] - column).max() < 1e-11 * size, name
    assert made.run["t"].tolist() == (np.arange(951) * 0.001).tolist()


def test_pieces_with_stops() -> None:
    """An arm that is pushed against its stop: events go on across the seams, and are one."""
    tight = tuple(replace(j, position_min=-1.0, position_max=1.0) for j in ARM.joints)
    robot = replace(ARM, joints=tight)
    chosen = {"robot": robot, "stops": "inelastic", "omega": np.zeros(2)}
    made, _ = simulate_request(plan(np.array([60.0, 0.0]), 900, **chosen), None, int)
    whole = erfd.simulate(
        robot, [0.4, 0.9], [0, 0], [60.0, 0.0], steps=900, kind="voltage", stops="inelastic"
    )
    assert made is not None
    assert np.abs(made.run["q"] - whole["q"]).max() < 1e-9
    assert made.run["lost_stops"][-1] == pytest.approx(whole["lost_stops"][-1], rel=1e-6)
    shape = [(e.joint, e.kind, round(e.start, 3), round(e.end, 3)) for e in made.run.events]
    assert shape == [(e.joint, e.kind, round(e.start, 3), round(e.end, 3)) for e in whole.events]
    assert shape


def test_the_dac_takes_a_value_and_holds_it() -> None:
    """Voltages change every DACTimePeriod only, to what the schedule says at that moment."""
    ramp = InputSchedule([0.0, 0.1], [[0.0, 0.0], [10.0, -4.0]], linear=True)
    made, _ = simulate_request(plan(ramp, 100, period=7), None, int)
    assert made is not None
    k = np.arange(100) // 7 * 7
    expected = np.outer(k * 0.001, [100.0, -40.0])
    assert np.abs(made.run["voltage"][:-1] - expected).max() < 1e-12
    assert made.dac[:-1] == pytest.approx(expected, abs=1e-12)


def test_without_a_dac_the_schedule_is_followed() -> None:
    """Period 0: the simulation is that of the schedule itself, cut nowhere."""
    ramp = InputSchedule([0.0, 0.5], [[0.0, 0.0], [10.0, -4.0]], linear=True)
    made, _ = simulate_request(plan(ramp, 500, period=0), None, int)
    whole = erfd.simulate(ARM, [0.4, 0.9], [0.3, -1.0], ramp, kind="voltage", stops=None)
    assert made is not None
    assert np.abs(made.run["q"] - whole["q"]).max() < 1e-12
    held = InputSchedule([0.0, 0.25, 0.5], [[0.0, 0.0], [10.0, -4.0], [0.0, 0.0]])
    made, _ = simulate_request(plan(held, 500, period=0), None, int)
    whole = erfd.simulate(ARM, [0.4, 0.9], [0.3, -1.0], held, kind="voltage", stops=None)
    assert made is not None
    assert np.abs(made.run["q"] - whole["q"]).max() < 1e-12


def test_a_coarser_dac_tends_to_the_schedule() -> None:
    """Halving its period halves the error of the motion: holding a value is of first order."""
    wave = np.sin(np.linspace(0, 6, 513))
    drive = InputSchedule(
        np.arange(513) * 0.001, np.stack([8 * wave, 3 * wave], axis=1), linear=True
    )
    exact, _ = simulate_request(plan(drive, 512, period=0), None, int)
    assert exact is not None
    errors = []
    for period in (32, 16, 8):
        made, _ = simulate_request(plan(drive, 512, period=period), None, int)
        assert made is not None
        errors.append(np.abs(made.run["q"][-1] - exact.run["q"][-1]).max())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes == pytest.approx([1.0, 1.0], abs=0.15)


@settings(max_examples=15, deadline=None)
@given(
    st.tuples(*[st.floats(-2.5, 2.5)] * 2), st.tuples(*[st.floats(-8, 8)] * 2),
    st.sampled_from([None, "inelastic"]),
)  # fmt: skip
def test_zero_voltage_damps(theta: tuple, omega: tuple, stops: str | None) -> None:
    """Terminals at zero volts brake by back EMF: energy never grows, but for the method's error.

    That error is what the balance does not account for, `energy_gap`.
    """
    with erfd.backend("compiled"):
        chosen = {"theta": np.array(theta), "omega": np.array(omega), "stops": stops}
        made, _ = simulate_request(plan(np.zeros(2), 1200, **chosen), None, int)
    assert made is not None
    run = made.run
    total = run["kinetic"] + run["potential"]
    slack = np.abs(np.diff(run["energy_gap"])) + 1e-12 * np.abs(total).max()
    assert (np.diff(total) <= slack).all()
    assert total[-1] <= total[0] + 1e-9
    assert (np.diff(run["work_motors"]) <= 1e-12).all()  # motors only take


def test_continuing() -> None:
    """Two commands make one history: time goes on, works add up."""
    first, _ = simulate_request(plan(np.array([5.0, -2.0]), 300), None, int)
    assert first is not None
    end = {"theta": first.run["q"][-1], "omega": first.run["qd"][-1]}
    both, _ = simulate_request(plan(np.array([5.0, -2.0]), 150, **end), first, int)
    whole, _ = simulate_request(plan(np.array([5.0, -2.0]), 450), None, int)
    assert both is not None
    assert whole is not None
    for name in ("t", "q", "work_motors", "lost_friction", "energy_gap", "energy"):
        assert np.abs(both.run[name] - whole.run[name]).max() < 1e-10, name
    assert join([first]) is first


def test_ctrl_c_keeps_what_was_simulated() -> None:
    def impatient(done: int) -> None:
        if done >= 400:
            raise KeyboardInterrupt

    made, stopped = simulate_request(plan(np.array([5.0, -2.0]), 100_000), None, impatient)
    assert isinstance(stopped, KeyboardInterrupt)
    assert made is not None
    assert len(made.run) == 401
    session = ShellSession("two_link", ARM)
    session.history = made
    session.take_end()
    assert session.values["theta"].tolist() == made.run["q"][-1].tolist()


def test_ctrl_c_that_is_swallowed() -> None:
    """One that meets a finalizer is lost to Python; it stops the simulation all the same."""

    def finalizer(done: int) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    made, stopped = simulate_request(plan(np.array([5.0, -2.0]), 100_000), None, finalizer)
    assert isinstance(stopped, KeyboardInterrupt)
    assert made is not None
    assert len(made.run) == 201
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_keeps_what_was_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion that runs away: the pieces before it stay."""
    real, calls = module.simulate, []

    def fragile(*arguments: object, **options: object) -> erfd.Run:
        calls.append(1)
        if len(calls) == 3:
            raise InputError("the motion is not finite")
        return real(*arguments, **options)

    monkeypatch.setattr(module, "simulate", fragile)
    made, stopped = simulate_request(plan(np.array([5.0, -2.0]), 1000), None, int)
    assert made is not None
    assert (len(made.run), str(stopped)) == (401, "the motion is not finite")


def test_kept_history_writes_as_any_run(tmp_path: Path) -> None:
    from erfd.run.write import read_run, write_run

    made, _ = simulate_request(plan(np.array([5.0, -2.0]), 450), None, int)
    assert made is not None
    write_run(made.run, tmp_path / "run.parquet")
    back = read_run(tmp_path / "run.parquet")
    assert all((back[name] == made.run[name]).all() for name in made.run.data)
