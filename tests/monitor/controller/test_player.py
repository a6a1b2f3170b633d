"""Playing a motion: continuous whatever is ordered, its modes, a gentle approach."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.monitor.controller.override import SLOPE
from erfd.monitor.controller.player import GENTLE, Player, approach
from erfd.monitor.controller.source import PlayedMotion, motion_of
from support.motions import HOME, lola_motion


def play(orders: dict[int, tuple[str, float | None]], cycles: int, dt: float) -> dict:
    """What a perfect robot is asked for, under commands at the given cycles."""
    robot = erfd.load("lola15")
    player = Player(robot, motion_of(lola_motion(2.0)), dt)
    q, rows = HOME, {"q": [HOME], "qd": [np.zeros(6)], "mode": ["ready"], "rate": [0.0]}
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
    motion = lola_motion(2.0)
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
    assert np.array_equal(rows["q"][-1], lola_motion(2.0).q[-1])
    again = play({0: ("start", None), 300: ("start", None)}, 1100, 0.01)
    assert list(dict.fromkeys(again["mode"])) == ["ready", "running", "done", "approaching"]
    slow = play({0: ("speed", 50.0), 1: ("start", None)}, 401, 0.01)
    assert slow["mode"].index("done") == 401  # twice the time of 2 s, after one cycle
    assert np.array_equal(np.array(slow["q"])[1::2], lola_motion(2.0).q)


def test_a_stopped_robot_still_carries_its_load() -> None:
    motion, load = lola_motion(2.0), erfd.Payload(2.0)
    loads = (None,) * 50 + (load,) * (len(motion) - 50)
    player = Player(
        erfd.load("lola15"), PlayedMotion("m", motion.q, 0.01, np.zeros(len(motion)), loads), 0.01
    )
    player.command("start", None, HOME)
    q = HOME
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
