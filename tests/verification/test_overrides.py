"""An advised override keeps the continuous load within its limits, by another way to run it."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import erfd
from erfd.report.wording.texts import Words
from erfd.studio.panels.moves import advice as studio_advice
from erfd.studio.runs.store import About
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.continuous import PEAKS, PHRASES, ContinuousLoad, LoadRow, continuous_load
from erfd.verification.overrides import SLOWEST, largest_below
from erfd.verification.tables import advice_lines, verification_data
from support.languages import left

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
THERE_AND_BACK = """program p; seq
  move ptp joint(mainjoint(60, 60, -30)) speed_ptp=0.4 acc_ptp=0.3;
  move ptp joint(mainjoint(0, 60, -30)) speed_ptp=0.4 acc_ptp=0.3;
endseq"""
START = np.radians([0.0, 60.0, -30.0, 0.0, 0.0, 0.0])
"""Axis 1 turns, which bears no weight; the others hold the arm."""
FACTS = {"torque_rated": 1e3, "thermal_time_constant": 2.0, "resistance": 1.0,
         "torque_constant": 0.5}  # fmt: skip
KEYS = {"rms torque": "torque_rated", "thermal": "torque_rated", "voltage": "voltage_max",
        "gear average": "gear_torque_average", "gear peak": "gear_torque_peak"}  # fmt: skip
"""The key of the robot's file that limits a quantity; that of the others is `bus_power`."""
ELECTRIC = replace(LOLA, drives=tuple(replace(d, **FACTS) for d in LOLA.drives))


@cache
def load_at(robot: erfd.Robot, speed: float, pause: float = 0.0) -> ContinuousLoad | None:
    """The load of the program so many times as fast, None if the motors cannot do it."""
    given = verify(THERE_AND_BACK, replace(robot, drives=LOLA.drives), q0=START).plan.trajectory
    slopes = np.gradient(given.q, axis=0) / given.dt
    slopes[[0, -1]] = 0.0
    slopes[np.argmax(given.q[:, 0])] = 0.0  # it stands there
    curve = CubicHermiteSpline(given.t, given.q, slopes)
    count = int(np.ceil(given.t[-1] / speed / given.dt - 1e-9))
    t = given.dt * np.arange(count + 1)
    q = curve(np.minimum(speed * t, given.t[-1]))
    run = erfd.achievable(robot, erfd.Trajectory(t, q))
    return continuous_load(run, pause) if run.feasible else None


def first(load: ContinuousLoad, quantity: str, motor: int = 1) -> LoadRow:
    """The load of one motor, or of the supply."""
    return next(r for r in load.rows if r.quantity == quantity and r.motor in (0, motor))


def limited(quantity: str, speed: float, pause: float = 0.0, motor: int = 1) -> erfd.Robot:
    """A robot whose motor bears a quantity as it is at a speed, and hardly more."""
    row = first(load_at(ELECTRIC, speed, pause), quantity, motor)
    row = replace(row, value=1.001 * row.value)  # the other way has other roundings
    if quantity.startswith("bus"):
        return replace(ELECTRIC, bus_power=row.value)
    value = 1e3 * np.sqrt(row.value) if quantity == "thermal" else row.value
    drives = list(ELECTRIC.drives)
    slow = 1e6 if quantity == "rms torque" else 2.0
    drives[row.motor - 1] = replace(
        drives[row.motor - 1], thermal_time_constant=slow, **{KEYS[quantity]: value}
    )
    return replace(ELECTRIC, drives=tuple(drives))


@pytest.mark.parametrize(
    ("quantity", "speed"),
    [*((name, 0.8) for name in PHRASES if name != "bus power mean"), ("voltage", 1.2)],
)
def test_every_load_limits_the_override(quantity: str, speed: float) -> None:
    """To the speed at which it reaches its limit; the motion alone could be faster.

    The mean power of the supply has the limit of its peak, which it never exceeds.
    """
    robot = limited(quantity, speed)
    found = verify(THERE_AND_BACK, robot, q0=START)
    assert found.feasible == (speed > 1)
    advice = advise(found)
    assert advice.motion_override > speed
    assert quantity in {row.quantity for row in load_at(robot, advice.motion_override).failures}
    assert not load_at(robot, advice.override).failures
    assert load_at(robot, advice.override + 0.01).failures
    assert advice.override == pytest.approx(speed, abs=0.011)
    moves = [x for x in advice.per_move if x is not None]
    assert (min(moves) < advice.motion_override) == (quantity in PEAKS)
    line = advice_lines(found, advice)[0]
    percent = f"{100 * advice.override:.0f} %"
    assert line.startswith(f"feasible with a speed override of {percent}; the motion alone with")
    assert line.endswith(f"but then {advice.loads[0]}")


def test_no_speed_bears_what_the_arm_weighs() -> None:
    """With a rated torque far below what holds the arm: the sentence says what fails."""
    robot = replace(LOLA, drives=tuple(replace(d, torque_rated=0.001) for d in LOLA.drives))
    found = verify(THERE_AND_BACK, robot)
    advice = advise(found)
    assert (advice.override, advice.pause) == (None, None)
    assert advice.motion_override > 1
    line = advice_lines(found, advice)[0]
    assert line.startswith("the motion alone is feasible up to a speed override of")
    assert "RMS torque" in line
    assert line.endswith("of its limit 0.001 N m; no lower one helps")
    data = verification_data(found, advice)["advice"]
    assert (data["override"], data["motion_override"]) == (None, advice.motion_override)
    assert data["loads"] == list(advice.loads)


def test_a_pause_counts_and_slower_is_not_always_better() -> None:
    """With a long pause the arm is held for longer at a lower speed: a faster round is cooler."""
    loads = [load_at(ELECTRIC, speed, 10.0).rms_torque[1] for speed in (0.1, 0.5, 1.0)]
    assert loads[0] > loads[1] > loads[2]
    robot = limited("rms torque", 0.5, 10.0, motor=2)
    found = verify(THERE_AND_BACK, robot, q0=START, pause=10.0)
    assert found.feasible
    advice = advise(found)
    assert not load_at(robot, advice.override, 10.0).failures
    assert load_at(robot, 0.1, 10.0).failures
    assert advice_lines(found, advice)[0].startswith("feasible with a speed override of")


def test_strictly_what_could_not_be_checked_is_so_at_any_speed() -> None:
    found = verify(THERE_AND_BACK, LOLA, strict=True)
    assert found.lasts_feasibly
    assert not found.feasible
    advice = advise(found)
    assert advice.configs == ()
    start = "but for what could not be checked, feasible up to a speed override of"
    assert advice_lines(found, advice)[0].startswith(start)


def test_a_search_downwards_finds_what_lies_between() -> None:
    """Feasible from `low` to `high` only: it finds the upper edge, in whole percents."""

    class Tried:
        def __init__(self, feasible: bool):
            self.feasible = feasible

    for low, high in ((0.02, 0.5), (0.3, 0.777), (0.9, 1.9), (0.02, 0.02)):
        found = largest_below(lambda s, a=low, b=high: Tried(a <= s <= b), 2.0)
        assert high - 0.01 < found <= high
    assert largest_below(lambda s: Tried(False), 1.5) is None
    assert largest_below(lambda s: Tried(s < 0.03), 1.0) == SLOWEST


def test_a_config_that_does_not_last_is_not_advised() -> None:
    """With the one that is asked for the arm is short of speed; the other overheats a motor."""
    text = """program p;
    var robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4); endvar
    seq move_inc lin (0, 0, 20) ref=base; move ptp a speed_ptp=0.3;
    move ptp a + (0, 100, 0) speed_ptp=0.3; endseq"""
    joints = list(LOLA.joints)
    joints[4] = replace(joints[4], position_min=0.0)  # no flipped wrist: 4 is out of reach
    robot = replace(LOLA, joints=tuple(joints))
    start = np.radians([0.0, 20.0, -20.0, 150.0, 60.0, 0.0])
    assert advise(verify(text, robot, q0=start)).configs == (0,)
    weak = replace(robot, drives=tuple(replace(d, torque_rated=0.01) for d in robot.drives))
    assert advise(verify(text, weak, q0=start)).configs == ()


def test_margins_say_what_was_varied() -> None:
    """What there is to vary, and a load that goes beyond its limit with it."""
    bare = replace(
        LOLA,
        drives=tuple(replace(d, load_friction=0.0, coulomb=0.0, viscous=0.0) for d in LOLA.drives),
    )
    carried = erfd.Payload(10.0, (0.0, 0.0, 0.1))
    for robot, payload, start in (
        (LOLA, None, "with +-10 % friction still feasible: motor"),
        (LOLA, carried, "with +-10 % payload and friction still feasible: motor"),
        (bare, carried, "with +-10 % payload still feasible: motor"),
        (bare, None, "no margin looked for: the robot has no friction and carries nothing"),
        (bare, erfd.Payload(0.0), "no margin looked for: the robot has no friction and carries"),
    ):
        found = verify(THERE_AND_BACK, robot, payload=payload)
        margin = advise(found).margin
        assert margin.startswith(start)
        assert not left(Words("sr").said(margin))
    rms = verify(THERE_AND_BACK, LOLA, payload=carried).continuous.rms_torque
    rated = replace(LOLA.drives[1], torque_rated=1.01 * float(rms[1]))
    robot = replace(LOLA, drives=(LOLA.drives[0], rated, *LOLA.drives[2:]))
    found = verify(THERE_AND_BACK, robot, payload=carried)
    assert found.feasible
    margin = advise(found).margin
    start = (
        r"with \+-10 % payload and friction not feasible in [12] of 4 cases: motor 2: RMS torque"
    )
    assert re.match(start, margin)
    assert not left(Words("sr").said(margin))


def test_the_studio_says_the_same() -> None:
    """What fails, in every language; advice of earlier versions knows of no loads."""
    found = verify(THERE_AND_BACK, limited("voltage", 0.8), q0=START)
    advice = advise(found)
    data = verification_data(found, advice)["advice"]
    kept = {"override": advice.override, "per_move": [], "configs": [], "margin": advice.margin,
            "motion_override": advice.motion_override, "loads": data["loads"]}  # fmt: skip
    about = About("", "p", "", "lola15", False, 1.0, 10, figures={"advice": kept})
    for language in ("en", "sr"):
        said = studio_advice(Words(language), about)
        assert "80 %" in said[0]
        assert f"{100 * advice.motion_override:.0f} %" in said[1]
        assert "1: " in said[1]
    del kept["motion_override"], kept["loads"]
    assert len(studio_advice(Words(), about)) == len(said) - 1
