"""Algorithm 1: what passes unchanged, what saturates, and that the record adds up."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.robot.payload import with_payload
from support.motions import FAR, HOME, lola_motion

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("policy", ["consistent", "printed"])
def test_a_feasible_motion_passes_unchanged(policy: str, follow: str) -> None:
    trajectory = lola_motion(3.0)
    run = erfd.achievable(LOLA, trajectory, policy=policy, follow=follow, wrench=WRENCH)
    assert run.feasible
    assert np.abs(run["q"] - trajectory.q).max() < 1e-12
    assert np.abs(run["qd"] - trajectory.qd).max() < 1e-10
    assert run["deviation"].max() < 1e-7  # an angle from rounding: its cosine is 1 - 1e-16
    assert repr(run) == "Run('lola15', 301 points, feasible)"


def test_motors_stay_within_their_limits() -> None:
    run = erfd.achievable(LOLA, lola_motion(0.9), wrench=WRENCH)
    assert not run.feasible
    assert (np.abs(run["u_a"][1:]) <= run["u_a_max"][1:] * (1 + 1e-9)).all()
    assert (np.abs(run["qd_a"]) <= np.array([d.speed_max for d in LOLA.drives]) * (1 + 1e-9)).all()
    tight = run["saturated"] != 0
    assert tight.any()
    at_limit = np.abs(run["u_a"][tight]) / run["u_a_max"][tight]
    assert np.abs(at_limit - 1).max() < 1e-9
    asked = run["u_a_wanted"][tight] * run["saturated"][tight]
    assert (asked > 0).all()  # pushed the way it was needed
    free = ~tight & (run["clipped"] == 0)
    wanted, found = run["qdd_a_given"], run["qdd_a"]
    assert np.abs((wanted - found)[free]).max() < 1e-6 * np.abs(wanted).max()


def test_the_parts_add_up() -> None:
    """Joint torques by RNEA and mRNEA (Fig. A5), motor torques from parts, energy from power."""
    run = erfd.achievable(LOLA, lola_motion(0.9), wrench=WRENCH)
    q, qd, qdd = run["q"][:-1], run["qd"][:-1], run["qdd"][1:]
    for method in ("ne_link", "mrnea"):
        u = erfd.inverse_dynamics(LOLA, q, qd, qdd, wrench=WRENCH, method=method)
        assert np.abs(u - run["u"][1:]).max() < 1e-9 * np.abs(u).max()
    names = ("links", "rotor", "coriolis", "gravity", "external", "load_friction", "viscous")
    total = sum(run[f"ua_{name}"] for name in names)
    assert np.abs(total - run["u_a"]).max() < 1e-12 * np.abs(run["u_a"]).max()
    # friction is mu |load| against the motion: it never drives
    load = sum(run[f"ua_{name}"] for name in ("links", "coriolis", "gravity", "external"))
    mu = np.array([drive.load_friction for drive in LOLA.drives])
    moving = np.abs(run["qd_a"][1:]) > 1e-9  # at the end of the cycle
    wanted = (mu * np.abs(load[1:]) * np.sign(run["qd_a"][1:]))[moving]
    assert np.abs(run["ua_load_friction"][1:][moving] - wanted).max() < 1e-9
    assert (run["ua_load_friction"][1:] * run["qd_a"][1:] >= -1e-9).all()
    assert np.allclose(np.diff(run["energy"], axis=0), run["power"][1:] * 0.01)


def test_events_say_what_when_and_why() -> None:
    run = erfd.achievable(LOLA, lola_motion(0.9), wrench=WRENCH)
    torque = [event for event in run.events if event.kind == "torque limit"]
    assert torque
    text = str(torque[0])
    assert text.startswith("motor 1 lacks")
    assert "link acceleration" in text
    assert sum(share for _, share in torque[0].shares) == pytest.approx(100, abs=5)
    speed = [event for event in run.events if event.kind == "motor speed limit"]
    # 3.05 rad/s of axis 1 need 3495 rpm of 3150; axis 5 has its own motor and axis 4 to carry
    assert {event.joint for event in speed} == {1, 5}
    assert str(speed[0]).endswith("motor speed limit")
    rows = run.summary()
    assert rows[0]["torque_peak"] == pytest.approx(17.8)
    assert rows[0]["saturated"] > 0
    # the gear's average lies between nothing and its largest torque, and is that of a constant load
    load = sum(run[f"ua_{part}"] for part in ("links", "coriolis", "gravity", "external"))
    assert 0 < rows[1]["gear_torque"] < 119 * np.abs(load[:, 1]).max()
    steady = replace(run, data=run.data | {f"ua_{part}": np.full((len(run), 6), 0.25) for part in
                     ("links", "coriolis", "gravity", "external")})  # fmt: skip
    assert steady.summary()[1]["gear_torque"] == pytest.approx(119 * 1.0)


def test_a_joint_at_its_limit_makes_no_other_rotor_too_fast() -> None:
    """Rotor 6 turns with axes 4 to 6; axis 5, which took speed off it, is at its lower limit."""
    strong = replace(LOLA, drives=tuple(replace(drive, torque_max=np.inf) for drive in LOLA.drives))
    rates = np.array([0, 0, 0, -2.66, -1.55, 6.67])
    start = np.array([0, 0.3, -0.3, 0.5, np.radians(-120) + 0.02, 0])
    t = np.arange(6) * 0.01
    motion = erfd.Trajectory(t, start + t[:, None] * rates)
    run = erfd.achievable(strong, motion, qd0=rates)
    fastest = np.array([drive.speed_max for drive in LOLA.drives])
    assert (run["clipped"][:, 4] == 3).any()
    assert (np.abs(run["qd_a"]) <= fastest * (1 + 1e-9)).all()
    assert (run["q"][:, 4] >= np.radians(-120) - 1e-12).all()
    assert [event.beyond for event in run.events if event.fails] == [False] * 2


def test_catching_up_does_not_chatter() -> None:
    """After a shortfall the position is reached, and the velocity does not swing about zero."""
    brief = lola_motion(1.2)
    rest = 200
    t = np.concatenate([brief.t, brief.t[-1] + 0.01 * np.arange(1, rest + 1)])
    trajectory = erfd.Trajectory(t, np.vstack([brief.q, np.repeat(brief.q[-1:], rest, axis=0)]))
    lagging = erfd.achievable(LOLA, trajectory, follow="velocity")
    run = erfd.achievable(LOLA, trajectory, follow="position")
    assert np.abs(lagging["q"][-1] - FAR).max() > 1e-3
    assert np.abs(run["q"][-1] - FAR).max() < 1e-9
    error = run["q"][len(brief) :] - FAR
    crossings = (np.diff(np.sign(np.where(np.abs(error) < 1e-9, 0, error)), axis=0) != 0).sum(
        axis=0
    )
    assert crossings.max() <= 2


def test_a_motor_that_cannot_hold_is_called_a_stall() -> None:
    weak = replace(LOLA.drives[1], torque_max=0.5)
    robot = replace(LOLA, drives=(LOLA.drives[0], weak, *LOLA.drives[2:]))
    t = 0.01 * np.arange(50)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.repeat([[0, 0.9, 0, 0, 0, 0]], 50, axis=0)))
    assert run.events[0].kind == "stall"
    assert run.events[0].joint == 2
    assert "cannot hold" in str(run.events[0])
    assert len(run) == 50  # and the simulation went on


def test_friction_holds_a_resting_arm() -> None:
    """At rest, wanted to rest: the motor gives at most its load, and the arm does not move."""
    t = 0.01 * np.arange(20)
    run = erfd.achievable(LOLA, erfd.Trajectory(t, np.repeat(HOME[None], 20, axis=0)))
    assert run.feasible
    assert np.array_equal(run["q"], np.repeat(HOME[None], 20, axis=0))
    assert np.allclose(run["u_a"][1:], run["ua_gravity"][1:])


def test_payload_is_part_of_the_last_link() -> None:
    """A gripped mass costs what its weight and inertia cost at the tool."""
    payload = erfd.Payload(8.0, (0.02, 0.0, 0.05))
    q = HOME
    point = erfd.forward_kinematics(LOLA, q) @ [0.02, 0.0, 0.05, 1.0]
    loaded = with_payload(LOLA, payload)
    assert loaded.links[-1].mass == pytest.approx(19.0)
    step = 1e-6
    extra = erfd.gravity_torque(loaded, q) - erfd.gravity_torque(LOLA, q)
    for i in range(6):
        moved = [
            (erfd.forward_kinematics(LOLA, q + s * step * np.eye(6)[i]) @ [0.02, 0, 0.05, 1])[2]
            for s in (1, -1)
        ]
        assert extra[i] == pytest.approx(8 * 9.81 * (moved[0] - moved[1]) / (2 * step), abs=1e-5)
    assert point[2] > 0
    trajectory = lola_motion(1.6)
    half = len(trajectory) // 2
    gripped = [None] * half + [payload] * (len(trajectory) - half)
    run = erfd.achievable(LOLA, trajectory, payload=gripped)
    bare = erfd.achievable(LOLA, trajectory)
    assert np.allclose(run["u"][1:half], bare["u"][1:half])
    assert not np.allclose(run["u"][half + 1 :], bare["u"][half + 1 :])
    with pytest.raises(erfd.errors.RobotError, match="payload: mass: expected a mass >= 0 kg"):
        erfd.Payload(-1.0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"t": [0, 1, 3]}, r"t: expected a fixed step of 1.5 s, found 1 s after t = 0 s"),
        ({"t": [0, 0, 0]}, "t: expected rising times"),
        ({"t": [0.0]}, "t: expected at least two times, found 1"),
        ({"q": np.zeros((2, 6))}, "q: expected 3 rows, one a time, found 2"),
        ({"q": np.full((3, 6), np.nan)}, r"q: expected finite numbers, found nan at \[0, 0\]"),
        (
            {"qd": np.ones((3, 6))},
            r"qd: expected \(q\[k\] - q\[k-1\]\) / dt, found a difference of 1",
        ),
        ({"qd": np.ones((3, 5))}, r"qd: expected shape \(3, 6\), found \(3, 5\)"),
    ],
)
def test_wrong_trajectories(change: dict, sentence: str) -> None:
    good = {"t": [0.0, 0.01, 0.02], "q": np.zeros((3, 6))}
    with pytest.raises(InputError, match=sentence):
        erfd.Trajectory(**(good | change))
    rates = erfd.Trajectory(**good, qd=np.ones((3, 6)), resample=True).qd
    assert np.array_equal(rates, [[1.0] * 6, [0.0] * 6, [0.0] * 6])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "best"}, "policy: expected one of consistent, printed, found 'best'"),
        ({"follow": "me"}, "follow: expected one of velocity, position, found 'me'"),
        ({"torque_path": "magic"}, "torque_path: expected one of virtual-work, diagonal"),
        ({"wrench": [1, 2]}, r"wrench: expected finite \(6,\) or \(91, 6\), found \(2,\)"),
        ({"payload": [None]}, "payload: expected one or 91, one a point, found 1"),
        ({"q0": [0, 9, 0, 0, 0, 0]}, "q0: expected joint 2 within -1.74533 to 1.39626, found 9"),
    ],
)
def test_wrong_options(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.achievable(LOLA, lola_motion(0.9), **options)
    bare = replace(LOLA, drives=())
    with pytest.raises(InputError, match="robot 'lola15': expected drives, found none"):
        erfd.achievable(bare, lola_motion(0.9))
    with pytest.raises(InputError, match="trajectory: expected 4 joints for robot 'sdt4', found 6"):
        erfd.achievable(erfd.load("sdt4"), lola_motion(0.9))
    with pytest.raises(InputError, match=r"dt: expected a time > 0 s, found 0"):
        erfd.Achiever(LOLA, 0)


def test_the_printed_policy_without_a_result_says_so() -> None:
    """At 0.1 ms the print's friction outgrows every number; the other reading has a result."""
    motion, load = lola_motion(0.9, 1e-4), [100.0, 100.0, -150.0, 0, 0, 0]
    with pytest.raises(
        InputError, match=r"printed one has no finite result after 0\.\d+ s with dt"
    ):
        erfd.achievable(LOLA, motion, wrench=load, policy="printed")
    run = erfd.achievable(LOLA, motion, wrench=load)
    assert len(run) == len(motion)
    assert all(np.isfinite(column).all() for column in run.data.values())
