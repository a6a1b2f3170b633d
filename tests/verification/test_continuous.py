"""Continuous load: closed forms, brute force, and laws of endless repetition."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.robot.model import Drive, Robot
from erfd.run.run import Run
from erfd.verification.continuous import (
    NEAR,
    PHRASES,
    ContinuousLoad,
    LoadRow,
    continuous_load,
    periodic_heat,
)
from support.arms import BUNDLED

LOADS = ("ua_links", "ua_coriolis", "ua_gravity", "ua_external")
FULL = {
    "torque_rated": 2.0, "resistance": 0.5, "torque_constant": 0.1, "voltage_max": 48.0,
    "thermal_time_constant": 30.0, "gear_torque_average": 100.0, "gear_torque_peak": 200.0,
}  # fmt: skip


def lever(bus_power: float = math.inf, **drive: float) -> Robot:
    """A rod of 2 kg with its mass centre 0.5 m from a level axis, behind a gear of 100."""
    joint = erfd.Joint("shoulder", a=1.0)
    link = erfd.Link("rod", 2.0, (-0.5, 0.0, 0.0), ((0.01, 0, 0), (0, 0.17, 0), (0, 0, 0.17)))
    mount = erfd.Pose((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))
    drives = (Drive(**{"ratio": 100.0, "inertia": 1e-4} | drive),)
    return Robot("lever", (joint,), (link,), drives, mount=mount, bus_power=bus_power)


def made(robot: Robot, steps: list, torque: list, speed: list, load: list | None = None) -> Run:
    """A run with given cycles: torques (M, n) of each, rotor speeds (M + 1, n) at their ends."""
    still = erfd.Trajectory(0.01 * np.arange(len(steps) + 1), np.zeros((len(steps) + 1, robot.n)))
    run = erfd.achievable(robot, still)
    first = np.zeros((1, robot.n))
    data = run.data | {
        "t": np.concatenate([[0.0], np.cumsum(steps)]),
        "u_a": np.vstack([first, torque]),
        "qd_a": np.array(speed, dtype=float),
    }
    data |= {name: np.zeros((len(steps) + 1, robot.n)) for name in LOADS}
    if load is not None:
        data["ua_gravity"] = np.vstack([first, load])
    return replace(run, data=data, events=())


def row(load: ContinuousLoad, quantity: str, motor: int = 1) -> LoadRow:
    return next(r for r in load.rows if (r.quantity, r.motor) == (quantity, motor))


def swing(robot: Robot, seconds: float = 1.0, size: float = 0.5) -> Run:
    """Every joint there and back, from rest to rest."""
    t = 0.01 * np.arange(round(100 * seconds) + 1)
    wave = size * (1 - np.cos(2 * np.pi * t / t[-1])) / 2
    middle = np.array([np.clip(0.0, j.position_min, j.position_max - 0.3) for j in robot.joints])
    way = np.array([1.0 if j.revolute else 0.1 for j in robot.joints])
    return erfd.achievable(robot, erfd.Trajectory(t, middle + wave[:, None] * way))


def test_constant_torque() -> None:
    """RMS and heat are those of the torque; a pause thins them by its part of the period."""
    run = made(lever(**FULL), [0.01] * 50, [[1.5]] * 50, [[20.0]] * 51)
    load = continuous_load(run)
    assert load.rms_torque[0] == pytest.approx(1.5)
    assert load.rms_speed[0] == pytest.approx(20.0)
    assert load.period == pytest.approx(0.5)
    assert row(load, "rms torque").part == pytest.approx(0.75)
    assert row(load, "thermal").value == pytest.approx(0.75**2)
    rested = continuous_load(run, pause=1.5)
    assert rested.rms_torque[0] == pytest.approx(1.5 / 2)
    assert rested.rms_speed[0] == pytest.approx(20.0 / 2)
    assert rested.period == pytest.approx(2.0)


@pytest.mark.parametrize(("on", "pause", "tau"), [(2.0, 3.0, 4.0), (0.5, 0.0, 1.0), (9.0, 1, 0.2)])
def test_a_square_wave_with_a_pause(on: float, pause: float, tau: float) -> None:
    """Up towards h for `on` seconds, down in the pause: T = h (1 - e^-on/tau) / (1 - e^-P/tau)."""
    torque, cycles = 3.0, 40
    robot = lever(**FULL | {"thermal_time_constant": tau})
    run = made(robot, [on / cycles] * cycles, [[torque]] * cycles, [[0.0]] * (cycles + 1))
    found = row(continuous_load(run, pause), "thermal")
    heating = (torque / 2.0) ** 2
    exact = heating * (1 - math.exp(-on / tau)) / (1 - math.exp(-(on + pause) / tau))
    assert found.value == pytest.approx(exact, rel=1e-12)
    assert found.limit == 1.0
    # the other half of the wave as torque -torque / 2 instead of a pause: the exact two-level state
    back = round(cycles / 2)
    run = made(
        robot, [on / cycles] * (cycles + back), [[torque]] * cycles + [[-torque / 2]] * back,
        [[0.0]] * (cycles + back + 1),
    )  # fmt: skip
    a, b = math.exp(-on / tau), math.exp(-on / 2 / tau)
    low, high = heating / 4, heating
    top = (high * (1 - a) + a * low * (1 - b)) / (1 - a * b)
    assert row(continuous_load(run), "thermal").value == pytest.approx(top, rel=1e-12)


def test_heat_by_brute_force() -> None:
    """Runge-Kutta over many periods, from cold, ends in the periodic state, row by row."""
    rng = np.random.default_rng(5)
    steps, heating = rng.uniform(0.01, 0.2, 25), rng.uniform(0, 4, 25)
    pause, tau, parts = 0.7, 1.3, 40
    found = periodic_heat(heating, steps, pause, tau)
    spans = [*zip(steps, heating, strict=True), (pause, 0.0)]
    warm = 0.0
    for _ in range(20):  # 20 periods are 50 time constants
        trace = [warm]
        for length, source in spans:
            h = length / parts
            for _ in range(parts):
                k1 = (source - warm) / tau
                k2 = (source - warm - h / 2 * k1) / tau
                k3 = (source - warm - h / 2 * k2) / tau
                k4 = (source - warm - h * k3) / tau
                warm += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            trace.append(warm)
    assert found == pytest.approx(trace[:-1], rel=1e-9)  # (h / tau)^4 / 120 of the longest step
    assert found[0] == pytest.approx(trace[-1], rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 50), st.floats(1e-3, 1e9))
def test_heat_lies_between_the_mean_and_the_largest(seed: int, pause: float, tau: float) -> None:
    """Slow motors see the mean (RMS squared), quick ones every cycle; never less or more."""
    rng = np.random.default_rng(seed)
    steps, heating = rng.uniform(1e-3, 0.1, 60), rng.uniform(0, 3, 60)
    peak = periodic_heat(heating, steps, pause, tau).max()
    mean = float(steps @ heating) / (steps.sum() + pause)
    assert mean * (1 - 1e-6) <= peak <= heating.max() * (1 + 1e-9)
    slow = periodic_heat(heating, steps, pause, 1e9)
    assert slow == pytest.approx(np.full(61, mean), rel=1e-6)
    assert periodic_heat(heating, steps, 0.0, 1e-6)[1:] == pytest.approx(heating)


def test_gear_of_a_slow_lever() -> None:
    """Weighted with speed, time does not matter: the cubic mean over the angle, and the peak.

    The rod goes slowly from level to upright: m g r cos q, whose mean cube over the quarter turn is
    4 / (3 pi). Inertia adds 2e-4 of it in 30 s.
    """
    robot = lever(**FULL)
    t = 0.01 * np.arange(3001)
    q = math.pi / 4 * (1 - np.cos(math.pi * t / t[-1]))
    load = continuous_load(erfd.achievable(robot, erfd.Trajectory(t, q[:, None])))
    weight = 2.0 * 9.81 * 0.5
    average, peak = row(load, "gear average"), row(load, "gear peak")
    assert average.value == pytest.approx(weight * (4 / (3 * math.pi)) ** (1 / 3), rel=5e-4)
    assert peak.value == pytest.approx(weight, rel=1e-3)
    assert (average.limit, peak.limit, peak.unit) == (100.0, 200.0, "N m")
    assert load.notes == (
        "continuous load: the motion does not end where it starts; the way back is left out",
    )


def test_gear_with_two_loads() -> None:
    """1 s at 10 rad/s under 0.4 N m, 2 s at -30 under -0.9, 1 s standing under 5 N m."""
    steps = [0.01] * 400
    load = [[0.4]] * 100 + [[-0.9]] * 200 + [[5.0]] * 100
    speed = [[10.0]] * 101 + [[-30.0]] * 200 + [[0.0]] * 100
    run = made(lever(**FULL), steps, load, speed, load)
    # in the cycles of the two changes the speed goes evenly from one to the other
    turned = {40.0: 100 * 10, 90.0: 20 + 199 * 30, 500.0: 15}
    mean = (sum(way * u**3 for u, way in turned.items()) / sum(turned.values())) ** (1 / 3)
    for pause in (0.0, 7.0):  # standing does not wear a gear
        found = continuous_load(run, pause)
        assert row(found, "gear average").value == pytest.approx(mean)
        assert row(found, "gear peak").value == pytest.approx(500.0)
    assert [r.quantity for r in found.failures if r.quantity.startswith("gear")] == ["gear peak"]


def test_gears_of_coupled_rotors() -> None:
    """By virtual work the outputs carry ratio * K^-T u, with u from inverse dynamics."""
    run = swing(erfd.load("lola15"))
    robot = run.robot
    u = erfd.inverse_dynamics(robot, run["q"][:-1], run["qd"][:-1], run["qdd"][1:])
    wanted = np.linalg.solve(np.array(robot.gear_matrix).T, u.T).T * [d.ratio for d in robot.drives]
    loads = run.gear_loads()
    assert loads is not None
    assert np.abs(loads - wanted).max() < 1e-9 * np.abs(wanted).max()
    load = continuous_load(run)
    for i, entry in enumerate(run.summary()):
        assert row(load, "gear average", i + 1).value == entry["gear_torque"]
        assert row(load, "gear peak", i + 1).value == pytest.approx(np.abs(wanted[:, i]).max())
        assert row(load, "rms torque", i + 1).value == pytest.approx(entry["torque_rms"])


def test_voltage_is_that_of_the_dc_motor() -> None:
    """The largest at either end of a cycle: torque is constant in it, speed is not."""
    run = swing(erfd.load("cmu_dd"))
    load = continuous_load(run)
    ends = [
        erfd.motor_voltage(run.robot, run["u_a"][1:], w)
        for w in (run["qd_a"][:-1], run["qd_a"][1:])
    ]
    for i, drive in enumerate(run.robot.drives):
        found = row(load, "voltage", i + 1)
        assert found.value == pytest.approx(np.abs(ends)[:, :, i].max())
        assert (found.limit, found.unit) == (drive.voltage_max, "V")


def test_power_of_the_supply() -> None:
    """Braking feeds the other motors, but what is left over is lost; by fine sampling."""
    rng = np.random.default_rng(3)
    robot = replace(erfd.load("two_link"), bus_power=100.0)
    steps = rng.uniform(0.01, 0.1, 30)
    torque, speed = rng.normal(0, 5, (30, 2)), rng.normal(0, 3, (31, 2))
    load = continuous_load(made(robot, steps, torque, speed), pause=0.5)
    grid = (np.arange(20_000) + 0.5) / 20_000
    gains = [drive.resistance / drive.torque_constant**2 for drive in robot.drives]
    energy, peak, net = 0.0, 0.0, 0.0
    for k, length in enumerate(steps):
        w = speed[k] + grid[:, None] * (speed[k + 1] - speed[k])
        watts = (torque[k] ** 2) @ gains + w @ torque[k]
        energy += length * np.maximum(watts, 0).mean()
        net += length * watts.mean()
        peak = max(peak, float(watts.max()))
    period = steps.sum() + 0.5
    assert energy > 1.1 * net  # else it would not matter what becomes of the braking energy
    assert row(load, "bus power mean", 0).value == pytest.approx(energy / period, rel=1e-6)
    assert row(load, "bus power", 0).value == pytest.approx(peak, rel=1e-3)


def test_lifting_and_lowering() -> None:
    """Power by hand: 2 N m at 30 rad/s take 60 W and 200 W of copper; lowering them gives back."""
    robot = lever(250.0, **FULL | {"torque_rated": 3.0})
    run = made(robot, [0.1] * 20, [[2.0]] * 20, [[30.0]] * 11 + [[-30.0]] * 10)
    load = continuous_load(run)
    assert row(load, "bus power", 0).value == pytest.approx(260.0)
    for ends in ([[30.0], [0.0]], [[0.0], [30.0]]):  # the peak is at either end of a cycle
        brief = continuous_load(made(robot, [0.1], [[2.0]], ends))
        assert row(brief, "bus power", 0).value == pytest.approx(260.0)
        assert row(brief, "bus power mean", 0).value == pytest.approx(230.0)
    # nine cycles up and one that turns round; down, 200 W of copper and 60 W less
    mean = (10 * 260 + 200 + 9 * 140) / 20
    assert row(load, "bus power mean", 0).value == pytest.approx(mean)
    assert [(r.motor, r.quantity, r.severity) for r in load.failures] == [
        (0, "bus power", "failure")
    ]
    assert str(load.failures[0]) == "supply: peak power 260 W is 104.0 % of its limit 250 W"


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 100), st.floats(0, 100), st.floats(0.01, 100))
def test_laws(seed: int, pause: float, more: float, factor: float) -> None:
    """More pause never raises a load; torque times s raises RMS by s, heat and copper by s^2."""
    rng = np.random.default_rng(seed)
    robot = replace(erfd.load("two_link"), bus_power=100.0)
    drives = tuple(
        replace(d, thermal_time_constant=float(rng.uniform(0.1, 100))) for d in robot.drives
    )
    robot = replace(robot, drives=drives)
    steps, torque, speed = (
        rng.uniform(0.001, 0.1, 20),
        rng.normal(0, 9, (20, 2)),
        rng.normal(0, 3, (21, 2)),
    )
    run = made(robot, steps, torque, speed)
    load = continuous_load(run, pause)
    for before, after in zip(load.rows, continuous_load(run, pause + more).rows, strict=True):
        assert after.value <= before.value * (1 + 1e-9)
    scaled = continuous_load(made(robot, steps, factor * torque, speed), pause)
    assert scaled.rms_torque == pytest.approx(factor * load.rms_torque)
    for motor in (1, 2):
        hot, hotter = (row(x, "thermal", motor).value for x in (load, scaled))
        assert hotter == pytest.approx(factor**2 * hot)
        assert hot >= row(load, "rms torque", motor).part ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_tiny_rated_torque_is_never_feasible(name: str) -> None:
    """What moves under gravity needs more than 0.001 N m for ever, whatever the robot."""
    robot = erfd.load(name)
    tiny = tuple(replace(drive, torque_rated=0.001) for drive in robot.drives)
    load = continuous_load(swing(replace(robot, drives=tiny)), pause=10.0)
    failing = {r.motor for r in load.failures if r.quantity == "rms torque"}
    assert failing == set(range(1, robot.n + 1))
    assert load.failures[0].part == max(r.part for r in load.rows)


@pytest.mark.parametrize(
    ("part", "severity"),
    [(0.5, ""), (NEAR, ""), (0.81, "warning"), (1.0, "warning"), (1.001, "failure")],
)
def test_severity(part: float, severity: str) -> None:
    run = made(lever(torque_rated=2.0), [0.01] * 9, [[2.0 * part]] * 9, [[0.0]] * 10)
    load = continuous_load(run)
    found = row(load, "rms torque")
    assert (found.part, found.severity) == (pytest.approx(part), severity)
    assert (found in load.failures, found in load.warnings) == (
        severity == "failure", severity == "warning",
    )  # fmt: skip


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_load_that_is_no_number_fails(wrong: float) -> None:
    run = made(lever(**FULL), [0.01] * 9, [[wrong]] * 9, [[0.0]] * 10)
    assert {"rms torque", "thermal", "voltage"} <= {
        r.quantity for r in continuous_load(run).failures
    }


def test_what_is_not_known_is_said() -> None:
    """Drive by drive and part by part; nothing of a robot whose file has it all."""
    whole = continuous_load(made(lever(500.0, **FULL), [0.01], [[1.0]], [[0.0]] * 2))
    assert whole.not_checked == ()
    assert {r.quantity for r in whole.rows} == set(PHRASES)
    lola = continuous_load(swing(erfd.load("lola15")))
    assert lola.not_checked == (
        "continuous load: heat of all motors not checked (no torque_rated)",
        "continuous load: gear average of all motors not checked (no gear_torque_average)",
        "continuous load: gear peak of all motors not checked (no gear_torque_peak)",
        "continuous load: voltage of all motors not checked"
        " (no resistance, torque_constant or voltage_max)",
        "continuous load: supply not checked (no bus_power)",
    )
    assert not lola.failures
    assert not lola.warnings
    robot = erfd.load("two_link")  # direct drives: there is no gear to be checked
    supply = ("continuous load: supply not checked (no bus_power)",)
    assert continuous_load(swing(robot)).not_checked == supply
    for key, value in (("torque_rated", math.inf), ("resistance", math.nan)):
        second = replace(robot.drives[1], **{key: value})
        other = replace(robot, drives=(robot.drives[0], second), bus_power=900.0)
        said_of_it = continuous_load(swing(other)).not_checked
        assert all(" of motor 2 not checked" in sentence for sentence in said_of_it)
        assert len(said_of_it) == (1 if key == "torque_rated" else 2)


def test_a_gear_is_judged_without_its_motor() -> None:
    """A run of a recording may lack the torques of the links: then the gears are not checked."""
    run = made(lever(500.0, **FULL), [0.01] * 3, [[1.0]] * 3, [[1.0]] * 4)
    bare = replace(run, data={k: v for k, v in run.data.items() if k not in LOADS})
    load = continuous_load(bare)
    assert not any(r.quantity.startswith("gear") for r in load.rows)
    assert load.not_checked == (
        "continuous load: gears not checked (the run has no torques of the links)",
    )


def test_sliding_joints_have_forces() -> None:
    robot = erfd.load("stanford")
    drives = tuple(replace(d, ratio=2 * d.ratio, gear_torque_peak=1e4) for d in robot.drives)
    load = continuous_load(swing(replace(robot, drives=drives)))
    units = [row(load, "gear peak", i + 1).unit for i in range(robot.n)]
    assert units == ["N m" if joint.revolute else "N" for joint in robot.joints]


def test_motions_without_time_or_drives() -> None:
    run = swing(erfd.load("two_link"))
    still = continuous_load(replace(run, data={k: v[:1] for k, v in run.data.items()}), pause=2.0)
    assert still.not_checked == ("continuous load not checked: the motion takes no time",)
    assert (still.rows, still.rms_torque.tolist()) == ((), [0.0, 0.0])
    bare = continuous_load(replace(run, robot=replace(run.robot, drives=())))
    assert bare.not_checked == ("continuous load not checked: the robot has no drives",)


@pytest.mark.parametrize("pause", [-1, math.nan, math.inf, "3", True, None])
def test_a_pause_is_a_time(pause: object) -> None:
    with pytest.raises(InputError, match="pause: expected a time >= 0 s, found"):
        continuous_load(swing(erfd.load("two_link")), pause)  # type: ignore[arg-type]
