"""Events: how they are found, how large they are, and that each kind has its colour and words."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.report.event_colors import EVENT_COLORS
from erfd.report.wording.texts import LANGUAGES, Words
from erfd.robot.model import Robot
from erfd.run.events import (
    CAUSES,
    KINDS,
    LIMITS,
    STOP,
    TORQUE_KINDS,
    Event,
    find_events,
    is_feasible,
    programmed_accelerations,
    worst_event,
)

KIND = re.compile(r'"([a-z ]+ limit|[a-z]+ stop|stall|run-away)"')
LOLA = erfd.load("lola15")
COLUMNS = (
    "q", "q_given", "qd", "qd_given", "qdd", "qd_a", "u_a", "u_a_wanted", "saturated", "clipped",
    "stalled",
)  # fmt: skip


def test_every_kind_can_be_drawn_and_said() -> None:
    assert set(EVENT_COLORS) == {*KINDS, "collision"}
    for language in LANGUAGES:
        words = Words(language)
        said = [words(f"kind_{kind.replace(' ', '_')}") for kind in KINDS]
        assert len(set(said)) == len(KINDS)


def test_no_room_makes_a_kind_that_is_not_listed() -> None:
    """Kinds are the words that end in `limit` or `stop`, `stall` and `run-away`, in their rooms."""
    root = Path(erfd.__file__).parent
    texts = [
        p.read_text() for room in ("run", "achieve", "forward") for p in (root / room).rglob("*.py")
    ]
    named = {kind for text in texts for kind in re.findall(KIND, text)}
    assert named == set(KINDS)


def still(robot: Robot, size: int, dt: float) -> dict[str, np.ndarray]:
    """The columns that events are found in, of an arm that stands still."""
    data = {"t": dt * np.arange(size)}
    data |= {name: np.zeros((size, robot.n)) for name in (*COLUMNS, *CAUSES)}
    data["u_a_max"] = np.tile([drive.torque_max for drive in robot.drives], (size, 1))
    return data


def test_an_arm_at_rest_has_none() -> None:
    assert find_events(still(LOLA, 20, 0.01), LOLA) == ()


def test_a_motor_lacks_what_the_programmed_acceleration_asks_beyond_its_limit() -> None:
    """Whatever it gives: the most of its span, as a part of its limit, and never below 0."""
    data = still(LOLA, 10, 0.01)
    limit = LOLA.drives[2].torque_max
    data["saturated"][3:6, 2] = -1
    data["u_a_wanted"][3:6, 2] = -limit * np.array([1.1, 1.5, 0.2])
    data["saturated"][7, 2] = 1
    data["u_a_wanted"][7, 2] = 0.5 * limit  # it catches up
    one, other = find_events(data, LOLA)
    assert (one.kind, one.joint, one.start, one.end) == ("torque limit", 3, 0.02, 0.05)
    assert one.missing == pytest.approx(0.5 * limit)
    assert (one.part, one.unit, one.severity) == (pytest.approx(0.5), "N m", "failure")
    assert (other.missing, other.part) == (0.0, 0.0)
    assert "motor 3 is at its limit at" in str(other)


@pytest.mark.parametrize("parts", [1, 2, 5, 20])
def test_programmed_accelerations_are_those_of_the_controllers_cycle(parts: int) -> None:
    """A step of velocity takes a cycle, however fine the motion is sampled: the same events."""
    dt = LOLA.cycle_time / parts
    limit = LOLA.joints[3].acceleration_max
    step = 2.5 * limit * LOLA.cycle_time
    ramp = np.clip(np.arange(40 * parts + 1) / parts - 10, 0, 1)  # one cycle long
    data = still(LOLA, len(ramp), dt)
    data["qd_given"][:, 3] = step * ramp
    (event,) = find_events(data, LOLA)
    assert (event.kind, event.joint) == ("joint acceleration limit", 4)
    assert (event.severity, event.unit) == ("warning", "rad/s2")
    assert event.part == pytest.approx(1.5)
    assert event.missing == pytest.approx(1.5 * limit)
    assert erfd.Run(LOLA, data, (event,)).feasible
    data["qd_given"] *= 0.999 / 2.5  # within its limit
    assert find_events(data, LOLA) == ()
    data["qd_given"] *= 10
    assert find_events(data, LOLA, programmed=False) == ()  # a recording measures noise


def test_a_longer_step_than_the_cycle_is_taken_as_it_is() -> None:
    given = np.array([[0.0], [0.1], [0.3], [0.3]])
    found = programmed_accelerations(given, 0.05, 0.01)
    assert found[:, 0] == pytest.approx([0.0, 2.0, 4.0, 0.0])


@pytest.mark.parametrize("name", ["lola15", "stanford"])
def test_an_arm_that_falls_faster_than_it_may(name: str) -> None:
    """Joint and motor each against its own limit, also where a motor is saturated."""
    robot = erfd.load(name)
    drives = tuple(replace(d, speed_max=abs(d.ratio) * 1.5) for d in robot.drives)
    joints = tuple(replace(joint, velocity_max=2.0) for joint in robot.joints)
    robot = replace(robot, joints=joints, drives=drives)
    data = still(robot, 9, 0.01)
    data["saturated"][1:, 2] = 1
    data["u_a_wanted"][1:, 2] = 2 * drives[2].torque_max
    data["qd"][1:, 2] = [0.5, 1.0, 1.4, 1.8, 2.2, 2.6, 2.4, 1.6]
    data["qd_a"] = data["qd"] @ np.array(robot.gear_matrix).T
    found = {e.kind: e for e in find_events(data, robot) if e.joint == 3}
    unit = "rad/s" if robot.joints[2].revolute else "m/s"
    fast, turning = found["joint speed limit"], found["motor speed limit"]
    assert (fast.start, fast.end, fast.unit) == (0.04, 0.07, unit)
    assert (fast.missing, fast.part) == (pytest.approx(0.6), pytest.approx(0.3))
    assert (turning.start, turning.end, turning.unit) == (0.03, 0.08, unit)
    assert (turning.missing, turning.part) == (pytest.approx(1.1), pytest.approx(1.1 / 1.5))
    assert fast.fails
    assert "joint 3 is 0.6" in str(fast)
    assert "too fast" in str(turning)


def test_a_joint_that_hits_its_stop() -> None:
    """The number is the speed with which it arrives, whether or not qdd has the impact in it."""
    for impact in (True, False):
        data = still(LOLA, 8, 0.01)
        data["qd"][1:4, 1] = [0.4, 0.8, 1.2]
        data["clipped"][4:, 1] = STOP
        data["saturated"][1:, 1] = 1
        data["u_a_wanted"][1:, 1] = 2 * LOLA.drives[1].torque_max
        data["qdd"][4, 1] = -120.0 if impact else 40.0
        (event,) = [e for e in find_events(data, LOLA) if e.kind == "joint stop"]
        assert event.missing == pytest.approx(1.2 if impact else 1.6)
        fastest = LOLA.drives[1].speed_max / abs(LOLA.drives[1].ratio)
        assert event.part == pytest.approx(event.missing / fastest)
        assert (event.start, event.end, event.fails) == (
            pytest.approx(0.03),
            pytest.approx(0.07),
            True,
        )
        assert str(event).startswith("joint 2 hits its stop with")


def test_a_run_away_is_the_worst() -> None:
    data = still(LOLA, 8, 0.01)
    data["qd"][-1] = [0.1, 0.2, -60.0, 1.0, 0.5, 2.0]
    events = find_events(data, LOLA, ended="run-away")
    worst = worst_event(events)
    assert worst.kind == "run-away"
    assert (worst.joint, worst.missing, worst.fails) == (3, 60.0, True)
    assert str(worst) == (
        "the arm runs away at 0.07 s: joint 3 turns at 60 rad/s; nothing after that is computed"
    )
    assert not erfd.Run(LOLA, data, events).feasible


def test_the_worst_has_the_largest_part_and_failures_come_first() -> None:
    small = Event(0, 1, 1, "torque limit", 50.0, part=0.1)
    large = Event(0, 1, 6, "torque limit", 0.5, part=0.8)
    warning = Event(0, 1, 5, "joint acceleration limit", 40.0, severity="warning", part=9.0)
    assert worst_event([small, large, warning]) is large
    assert worst_event([warning]) is warning
    assert worst_event([]) is None
    assert not is_feasible([small, warning])
    assert is_feasible([warning])
    old = [replace(small, part=0.0), replace(large, part=0.0)]  # of a file that knows no parts
    assert worst_event(old) is old[0]


UNITS_OF = {
    "torque limit": ("N m", "N m"), "stall": ("N m", "N m"), "voltage limit": ("N m", "N m"),
    "joint acceleration limit": ("rad/s2", "m/s2"),
}  # fmt: skip
"""Units of what is missing, of turning and of sliding joints; of all other kinds it is a speed."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_unit_of_every_kind(kind: str) -> None:
    """As the event is found on a joint that turns and on one that slides, and if nobody says it."""
    stanford = erfd.load("stanford")
    limits = [joint.acceleration_max for joint in stanford.joints]
    for joint, sliding in ((0, False), (2, True)):
        data = still(stanford, 12, 0.01)
        if kind in ("torque limit", "stall"):
            data["saturated"][4:7, joint] = 1
            data["u_a_wanted"][4:7, joint] = 2 * data["u_a_max"][4:7, joint]
            data["ua_gravity"][4:7, joint] = 9 * data["u_a_max"][4:7, joint]
            data["stalled"][4:7, joint] = kind == "stall"
        elif kind == "joint acceleration limit":
            assert np.isfinite(limits[joint])
            data["qd_given"][5:, joint] = 3 * limits[joint] * stanford.cycle_time
        elif kind == "run-away":
            data["qd"][-1, joint] = 1e4
        elif kind != "voltage limit":  # that one is of simulations
            codes = {name: code for code, name in LIMITS.items()}
            data["clipped"][4:7, joint] = codes[kind]
            data["qd_given"][4:7, joint] = 1e-3
            data["qd"][3, joint] = 1e-3
        ended = "run-away" if kind == "run-away" else ""
        found = [e for e in find_events(data, stanford, ended=ended) if e.kind == kind]
        units = UNITS_OF.get(kind, ("rad/s", "m/s"))
        if kind != "voltage limit":
            (event,) = found
            assert (event.joint, event.unit) == (joint + 1, units[sliding])
            assert f" {units[sliding]} " in f"{event} ".replace(";", " ")
        said = Event(0.0, 1.0, 1, kind, 2.0)
        assert said.unit == units[0]
        assert str(replace(said, unit=units[0])) == str(said)
    if kind in TORQUE_KINDS:  # a file that has it otherwise is mistaken
        assert Event(0.0, 1.0, 1, kind, 2.0, unit="rad/s").unit == "N m"


@pytest.mark.parametrize("kind", [*LIMITS.values(), "torque limit", "joint acceleration limit"])
def test_the_worst_moment_is_where_most_is_missing(kind: str) -> None:
    """The first of those that are as large but for rounding; of a stop the impact."""
    data = still(LOLA, 20, 0.01)
    size = np.array([0.1, 0.4, 0.9, 0.9 * (1 + 1e-15), 0.2])
    data["qd"][4, 1] = 0.1
    if kind == "torque limit":
        data["saturated"][5:10, 1] = 1
        data["u_a_wanted"][5:10, 1] = (1 + size) * data["u_a_max"][5:10, 1]
    elif kind == "joint acceleration limit":
        most = LOLA.joints[1].acceleration_max * LOLA.cycle_time
        data["qd_given"][5:10, 1] = np.cumsum((1 + size) * most)
        data["qd_given"][10:, 1] = data["qd_given"][9, 1]
    else:
        codes = {name: code for code, name in LIMITS.items()}
        data["clipped"][5:10, 1] = codes[kind]
        data["qd_given"][5:10, 1] = size
    (event,) = [e for e in find_events(data, LOLA) if e.kind == kind]
    assert (event.start, event.end) == (pytest.approx(0.04), pytest.approx(0.09))
    assert event.at == pytest.approx(0.05 if kind == LIMITS[STOP] else 0.07)
    assert event.line == 0
