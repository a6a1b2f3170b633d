"""The controller: pacing, speed override, what it plays, and `erfd controller`."""

import json
import math
import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cli import main
from erfd.errors import ErfdError, InputError
from erfd.monitor import Command, Controller, Feed
from erfd.monitor.controller.controller import COLUMNS, apart
from erfd.monitor.controller.override import BEND, SLOPE, Override
from erfd.monitor.controller.override import Path as JointPath
from erfd.monitor.controller.pacing import CyclePacer
from erfd.monitor.controller.player import GENTLE, Player, approach
from erfd.monitor.controller.source import PlayedMotion, motion_of, read_motion
from erfd.monitor.priority import first_in_line
from support.controllers import START, Started, trajectory, write
from support.waiting import until


class FakeClock:
    """A clock that passes when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@settings(deadline=None)
@given(st.lists(st.floats(0, 0.09), max_size=60), st.sampled_from([0.001, 0.01, 0.05]))
def test_deadlines_are_absolute(work: list[float], dt: float) -> None:
    """Lateness does not add up: while no cycle is given up, cycle k is due at exactly k dt."""
    clock = FakeClock()
    pace = CyclePacer(dt, clock=clock, sleep=clock.sleep)
    due, late = [], 0
    for seconds in work:
        clock.now += seconds
        late += clock.now > pace.due + dt
        due.append(pace.wait())
        assert clock.now >= due[-1] - 1e-9
    timing = pace.timing
    assert (timing.cycles, timing.overruns) == (len(work), late)
    steps = (np.array(due) - 100.0) / dt
    assert np.allclose(steps, np.round(steps), atol=1e-6)  # skipped cycles are whole ones
    if work:
        assert round(steps[-1]) == len(work) + timing.skipped
    if sum(work) <= 0.1:
        assert timing.skipped == 0


def test_far_behind_it_goes_on_anew() -> None:
    clock = FakeClock()
    pace = CyclePacer(0.01, clock=clock, sleep=clock.sleep)
    clock.now += 0.505
    assert pace.wait() == pytest.approx(100.51)
    assert (pace.timing.overruns, pace.timing.skipped) == (1, 50)
    assert pace.timing.worst == pytest.approx(0.495)
    pace.wait()
    assert pace.timing.overruns == 1


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 150)), min_size=1, max_size=8),
    st.sampled_from([0.001, 0.004, 0.01]),
)
def test_the_override_is_smooth(orders: list[tuple[float, int]], dt: float) -> None:
    """Any targets at any time: within 0 and 1, slope and bend bounded, reached in the end."""
    override = Override(0.0)
    rates = [0.0]
    for target, cycles in orders:
        override.set(target)
        rates += [override.step(dt) for _ in range(cycles)]
    rates += [override.step(dt) for _ in range(round(1.5 / dt))]
    assert rates[-1] == orders[-1][0]
    assert min(rates) >= 0
    assert max(rates) <= 1
    slopes = np.diff(rates) / dt
    assert np.abs(slopes).max() <= SLOPE * (1 + 1e-9)
    # the last step onto a target may take up to three of the usual bends
    assert np.abs(np.diff(slopes)).max() <= 3 * BEND * dt * (1 + 1e-9)


def test_a_stop_from_full_speed_takes_what_the_page_says() -> None:
    override = Override(1.0)
    override.set(0.0)
    cycles = 0
    while override.rate > 0:
        before = override.rate
        assert override.step(0.001) <= before  # never up again
        cycles += 1
    assert 0.55 < 0.001 * cycles < 0.65


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_a_path_passes_its_samples(seed: int, size: int) -> None:
    """Exact at samples, continuous with its slope in between, and a cubic is met exactly."""
    rng = np.random.default_rng(seed)
    path = JointPath(rng.normal(size=(size, 2)), 0.01)
    for k in range(size):
        assert np.array_equal(path.at(float(k)), path.q[k])
    assert np.array_equal(path.at(-3.0), path.q[0])
    assert np.array_equal(path.at(path.end + 3), path.q[-1])
    h = 1e-6
    for k in range(1, size - 1):
        before = (path.at(k) - path.at(k - h)) / h
        after = (path.at(k + h) - path.at(k)) / h
        assert np.allclose(before, after, atol=1e-4)  # h times the second derivative
    line = JointPath(np.arange(5.0)[:, None] * [1.0, -2.0] + 3, 0.01)
    x = float(rng.uniform(0, 4))
    assert np.allclose(line.at(x), [3 + x, 3 - 2 * x], rtol=1e-14)
    square = JointPath((np.arange(6.0) ** 2)[:, None], 0.01)
    x = float(rng.uniform(1, 4))
    assert square.at(x)[0] == pytest.approx(x * x, rel=1e-13)  # inside, a parabola, too


def play(orders: dict[int, tuple[str, float | None]], cycles: int, dt: float) -> dict:
    """What a perfect robot is asked for, under commands at the given cycles."""
    robot = erfd.load("lola15")
    player = Player(robot, motion_of(trajectory(2.0)), dt)
    q, rows = START, {"q": [START], "qd": [np.zeros(6)], "mode": ["ready"], "rate": [0.0]}
    for k in range(cycles):
        if k in orders:
            player.command(*orders[k], q)
        found = player.step(q)
        q = q + dt * found.qd
        for name, value in (("q", found.q), ("qd", found.qd), ("rate", found.rate)):
            rows[name].append(value)
        rows["mode"].append(player.mode)
    return rows


ORDERS = st.sampled_from(
    [("start", None), ("pause", None), ("stop", None), ("speed", 0.0), ("speed", 30.0),
     ("speed", 70.0), ("speed", 100.0)]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(0, 500), ORDERS, max_size=8), st.sampled_from([0.01, 0.004]))
def test_whatever_is_ordered_the_motion_is_continuous(orders: dict, dt: float) -> None:
    """The override law: |q''| <= max|q''| + max|q'| SLOPE, joint by joint, at any commands.

    Plus 10 %: the cubic between samples is not the quintic it stands for, and the rate may bend
    within a cycle. The approach is gentler than the motion itself.
    """
    rows = play({0: ("start", None)} | orders, 600, dt)
    motion = trajectory(2.0)
    fastest = np.abs(motion.qd).max(axis=0)
    hardest = np.abs(np.diff(motion.qd, axis=0)).max(axis=0) / motion.dt
    qd = np.array(rows["qd"])
    assert (np.abs(qd) <= 1.01 * fastest + 1e-12).all()
    qdd = np.diff(qd, axis=0) / dt
    assert (np.abs(qdd) <= 1.1 * (hardest + SLOPE * fastest) + 1e-9).all()
    q = np.array(rows["q"])
    assert np.allclose(np.diff(q, axis=0), dt * qd[1:], atol=1e-12)  # erratum 14, always


def test_modes() -> None:
    rows = play(
        {10: ("start", None), 60: ("pause", None), 200: ("start", None), 230: ("stop", None),
         400: ("start", None)}, 1100, 0.01
    )  # fmt: skip
    mode, rate = np.array(rows["mode"][1:]), np.array(rows["rate"][1:])
    assert set(mode[:10]) == {"ready"}
    assert set(mode[10:60]) == {"running"}
    assert (rate[10:60] == 1).all()
    assert set(mode[60:200]) == {"paused"}
    assert rate[199] == 0
    assert set(mode[230:400]) == {"stopped"}
    assert set(mode[400:]) == {"approaching", "running", "done"}
    assert list(dict.fromkeys(mode[400:])) == ["approaching", "running", "done"]
    assert np.array_equal(rows["q"][-1], trajectory(2.0).q[-1])
    again = play({0: ("start", None), 300: ("start", None)}, 1100, 0.01)
    assert list(dict.fromkeys(again["mode"])) == ["ready", "running", "done", "approaching"]
    slow = play({0: ("speed", 50.0), 1: ("start", None)}, 401, 0.01)
    assert slow["mode"].index("done") == 401  # twice the time of 2 s, after one cycle
    assert np.array_equal(np.array(slow["q"])[1::2], trajectory(2.0).q)


def test_a_stopped_robot_still_carries_its_load() -> None:
    motion, load = trajectory(2.0), erfd.Payload(2.0)
    loads = (None,) * 50 + (load,) * (len(motion) - 50)
    player = Player(
        erfd.load("lola15"), PlayedMotion("m", motion.q, 0.01, np.zeros(len(motion)), loads), 0.01
    )
    player.command("start", None, START)
    q = START
    for k in range(300):
        if k == 60:
            player.command("stop", None, q)
        found = player.step(q)
        assert found.payload == (None if k < 49 else load)
        q = q + 0.01 * found.qd
    assert player.resting
    player.command("start", None, q)
    assert player.step(q).payload is None  # at the start of the motion it has none


def test_the_approach_is_gentle() -> None:
    for name in ("lola15", "stanford", "two_link"):
        robot, rng = erfd.load(name), np.random.default_rng(4)
        start, goal = rng.uniform(-1, 1, (2, robot.n))
        path = approach(robot, start, goal, 0.01)
        assert np.array_equal(path.q[0], start)
        assert np.array_equal(path.q[-1], goal)
        qd = np.diff(path.q, axis=0) / 0.01
        slack = GENTLE * (1 + 1e-9)
        for i, joint in enumerate(robot.joints):
            assert np.abs(qd[:, i]).max() <= slack * joint.velocity_max
            assert np.abs(np.diff(qd[:, i])).max() / 0.01 <= slack * joint.acceleration_max
        if robot.drives:
            rotors = np.abs(qd @ np.array(robot.gear_matrix).T).max(axis=0)
            assert (rotors <= slack * np.array([d.speed_max for d in robot.drives])).all()


@pytest.mark.parametrize("seconds", [0.9, 2.0])
@pytest.mark.usefixtures("compiled")
def test_at_full_speed_it_does_what_algorithm_1_says(seconds: float) -> None:
    """Cycle by cycle the same as `erfd.achievable`, of a motion that is too fast and one not."""
    robot, motion = erfd.load("lola15"), trajectory(seconds)
    wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
    load = erfd.Payload(3.0, (0.0, 0.0, 0.1))
    loads = (None,) * 40 + (load,) * (len(motion) - 40)
    run = erfd.achievable(robot, motion, wrench=wrench, payload=loads)
    played = PlayedMotion("test", motion.q, motion.dt, np.arange(len(motion.q), dtype=float), loads)
    controller = Controller(robot, played, wrench=wrench)
    controller.warm_up()
    rows = [controller.cycle([Command("start")])[0]]
    while controller.player.mode != "done":
        rows.append(controller.cycle()[0])
    assert len(rows) == len(run) - 1
    for name in COLUMNS:
        found = np.array([np.ravel(row[name]) for row in rows])
        if name in run.data:
            wanted = run[name][1:]
            wanted = wanted[:, :3].reshape(-1, 12) if name == "pose" else wanted
            # two ways of computing the same cycle, over up to 200 of them
            assert np.allclose(found, wanted, rtol=1e-9, atol=1e-8), name
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["payload"][0] for row in rows] == [0.0] * 39 + [3.0] * (len(rows) - 39)
    assert (controller.limited > 0) == (seconds == 0.9)
    assert controller.deviation == pytest.approx(run["deviation"][:, 0].max(), abs=1e-9)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's scheduler")
def test_priority_is_given_back() -> None:
    """All threads have it inside, none afterwards, whether it was allowed or not."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    threads = (threading.get_native_id(), other.native_id)
    before = [os.sched_getscheduler(k) for k in threads]
    with first_in_line() as kind:
        wanted = [os.SCHED_RR] * 2 if kind == "real-time" else before
        assert [os.sched_getscheduler(k) for k in threads] == wanted
    assert [os.sched_getscheduler(k) for k in threads] == before
    done.set()
    other.join()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_apart_is_the_deviation_of_a_run(seed: int) -> None:
    robot, rng = erfd.load("two_link"), np.random.default_rng(seed)
    a, b = erfd.forward_kinematics(robot, rng.uniform(-3, 3, (2, 2)))
    distance, angle = apart(a, b)
    assert distance == pytest.approx(np.linalg.norm(a[:3, 3] - b[:3, 3]), abs=1e-12)
    cosine = (np.trace(a[:3, :3] @ b[:3, :3].T) - 1) / 2
    assert math.cos(angle) == pytest.approx(cosine, abs=1e-12)


def test_sources(tmp_path: Path, compiled: None) -> None:
    robot, motion = erfd.load("lola15"), trajectory(0.5)
    csv = read_motion(write(tmp_path / "a.csv", motion), robot)
    assert np.array_equal(csv.q, motion.q)
    from erfd.run.write import write_run

    write_run(erfd.achievable(robot, motion), tmp_path / "a.parquet", program="PTP home")
    kept = read_motion(tmp_path / "a.parquet", robot)
    assert np.array_equal(kept.q, motion.q)
    assert kept.text == "PTP home"
    with pytest.raises(InputError, match="expected a run of 2 joints, found 6"):
        read_motion(tmp_path / "a.parquet", erfd.load("two_link"))
    with pytest.raises(InputError, match=r"expected a name that ends in \.irl, \.parquet or"):
        read_motion(tmp_path / "a.txt", robot)
    with pytest.raises(InputError, match=r"dt: expected 0\.0005 to 10 s, found 1e-05"):
        Controller(robot, csv, dt=1e-5)
    with pytest.raises(InputError, match=r"speed: expected 0 to 1, found 1\.5"):
        Controller(robot, csv, speed=1.5)
    with pytest.raises(InputError, match=r"a\.csv: expected 3 columns"):
        read_motion(tmp_path / "a.csv", erfd.load("two_link"))


@pytest.mark.usefixtures("users_environment")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Start, pause, speed and stop from the command line; seen in the stream; Ctrl-C ends it."""
    path = write(tmp_path / "slow.csv", trajectory(3.0))
    arguments = (str(path), "--robot", "lola15", "--wait", "--loop", "--port", "0")
    with Started(*arguments) as controller, Feed(controller.url) as feed:

        def order(word: str) -> str:
            assert main(["controller", "--command", word, "--port", controller.port]) == 0
            return capsys.readouterr().out

        def mode() -> str:
            return feed.state().status.get("mode", "")

        until(lambda: mode() == "ready" and feed.state().samples > 5)
        assert feed.state().hello.robot == "lola15"
        assert erfd.load("lola15").name in feed.state().hello.model
        assert np.array_equal(feed.samples(most=1)["q"][0], START)
        assert order("start") == "lola15: start: passed on\n"
        until(lambda: mode() == "running")
        assert order("speed 40%") == "lola15: speed 40 %: passed on\n"
        until(lambda: feed.samples(most=1)["rate"][0, 0] == 0.4, "40 %")
        order("pause")
        until(lambda: mode() == "paused")
        until(lambda: feed.samples(most=1)["rate"][0, 0] == 0)
        order("stop")
        until(lambda: mode() == "stopped")
        state, found = feed.state(), feed.samples()
        assert not set(state.counts) - {"time"}  # a machine that stands still for long
        assert (np.diff(found.numbers) == 1).all()
        assert state.status["cycles"] > 0
        assert 0 <= state.status["overruns"] <= state.status["cycles"]
        assert state.delay is not None
        controller.process.send_signal(signal.SIGINT)
        out, _ = controller.process.communicate(timeout=30)
        summary = json.loads(out.splitlines()[-1])
        assert summary["limited"] == 0
        assert controller.process.returncode == 0
        until(lambda: feed.state().connection == "lost")


@pytest.mark.usefixtures("users_environment")
def test_too_fast_is_said_and_exits_with_1(tmp_path: Path) -> None:
    path = write(tmp_path / "fast.csv", trajectory(0.9))
    with Started(str(path), "--robot", "lola15", "--wait", "--once", "--port", "0") as controller:
        with Feed(controller.url) as feed:
            until(lambda: feed.state().samples > 0)
            feed.command("start")
            until(lambda: feed.state().events)
            out, _ = controller.process.communicate(timeout=60)
            kinds = {event["kind"] for event in feed.state().events}
            levels = {event["level"] for event in feed.state().events}
        assert kinds <= {"torque limit", "motor speed limit", "joint speed limit"}
        assert "warning" in levels
        summary = json.loads(out.splitlines()[-1])
        assert controller.process.returncode == 1
        assert summary["limited"] > 0
        assert summary["rounds"] == 1


PROGRAM = """program outputs;
var
  signal out bool: grip;
  joint: a = joint(mainjoint(10, 20, -20, 0, -30, 0));
  joint: b = joint(mainjoint(20, 10, -10, 0, -40, 0));
endvar
seq
  move ptp a;
  grip = true;
  payload 2;
  move ptp b;
endseq
"""


@pytest.mark.usefixtures("users_environment")
def test_a_program(tmp_path: Path) -> None:
    """Lines, payload and outputs of a program are in the stream; its text, too."""
    path = tmp_path / "outputs.irl"
    path.write_text(PROGRAM)
    with (
        Started(str(path), "--robot", "lola15", "--wait", "--once", "--port", "0") as controller,
        Feed(controller.url) as feed,
    ):
        until(lambda: feed.state().samples > 0)
        feed.command("start")
        until(lambda: feed.state().status.get("mode") == "done")
        controller.process.communicate(timeout=60)
        state, found = feed.state(), feed.samples()
    assert state.hello.program == PROGRAM
    assert controller.process.returncode == 0
    assert [e["text"] for e in state.events] == ["output grip = True in line 9"]
    running = found["rate"][:, 0] > 0
    lines = found["line"][running, 0]
    assert set(lines) == {8.0, 11.0}
    assert np.array_equal(found["payload"][running, 0], np.where(lines == 8, 0.0, 2.0))
    motion = read_motion(path, erfd.load("lola15"))
    assert np.array_equal(found["q_given"][running], motion.q[1:])


def test_programs_that_cannot_be_played(tmp_path: Path) -> None:
    path, robot = tmp_path / "bad.irl", erfd.load("lola15")
    path.write_text(PROGRAM.replace("ptp b", "ptp c"))
    with pytest.raises(ErfdError, match=r"^bad\.irl: line 11, column 12: "):
        read_motion(path, robot)
    path.write_text(PROGRAM.replace("ptp a", "lin robtarg(position(9000, 0, 500))"))
    with pytest.raises(InputError, match=r"^bad\.irl: line 8: "):
        read_motion(path, robot)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "erfd: controller: expected a program, run or trajectory, found none"),
        (("a.csv",), "erfd: controller: expected --robot NAME, found none"),
        (("--command", "fly"), "erfd: --command: expected start, pause, stop or a speed in %"),
        (("--command", "stop", "--port", "1"), "erfd: ws://127.0.0.1:1: no controller: "),
        (("none.csv", "--robot", "lola15"), "erfd: none.csv: no such file"),
    ],
)
def test_a_users_mistake(capsys: pytest.CaptureFixture, arguments: tuple, sentence: str) -> None:
    assert main(["controller", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_watching(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """`erfd monitor watch`, for people and programs, of one that is there and one that is not."""
    from erfd.monitor import Publisher

    with Publisher("cell 1", n=2, dt=0.01, columns=("q",)) as publisher:
        done = threading.Event()

        def go_on() -> None:
            while not done.wait(0.01):
                publisher.publish({"q": [1, 2]})

        thread = threading.Thread(target=go_on)
        thread.start()
        urls = [publisher.url, "ws://127.0.0.1:1"]
        try:
            assert main(["monitor", "watch", *urls, "--seconds", "1.2", "--json"]) == 0
            rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
            assert rows[-1][0]["connection"] == "live"
            assert rows[-1][0]["samples"] > 0
            assert rows[-1][1]["connection"] == "lost"
            assert main(["monitor", "watch", *urls, "--seconds", "1"]) == 0
            text = capsys.readouterr().out
            assert "cell 1" in text
            assert "lost" in text
        finally:
            done.set()
            thread.join()


def test_a_pause_between_two_rounds_is_not_lost() -> None:
    """In a loop a motion is done for one cycle only; a pause that comes just then holds."""
    robot = erfd.load("two_link")
    t = 0.01 * np.arange(51)
    way = 0.2 * (1 - np.cos(2 * np.pi * t / t[-1]))
    nothing = (None,) * len(t)
    motion = PlayedMotion("way", np.stack([way, way], axis=1), 0.01, np.zeros(len(t)), nothing)
    player = Player(robot, motion, 0.01, loop=True)
    q = motion.q[0]
    player.command("start", None, q)
    while player.mode != "done":
        q = player.step(q).q
    player.command("pause", None, q)
    assert player.mode == "paused"
    still = [player.step(q).q for _ in range(20)]
    assert np.abs(np.array(still) - q).max() < 1e-12
    player.command("start", None, q)
    assert player.mode == "running"
