"""Lines and circles of an arm of seven joints: on the path, smooth, away from limits, said."""

import math

import numpy as np
import pytest

import erfd
from erfd.planning.moves import Move, PoseTarget

HALF = math.pi / 2
NUMBERS = [  # d, a, alpha, limits: those of a Franka Emika arm, in standard D-H
    (0.333, 0.0, -HALF, -2.8973, 2.8973), (0.0, 0.0, HALF, -1.7628, 1.7628),
    (0.316, 0.0825, HALF, -2.8973, 2.8973), (0.0, -0.0825, -HALF, -3.0718, -0.0698),
    (0.384, 0.0, HALF, -2.8973, 2.8973), (0.0, 0.088, HALF, -0.0175, 3.7525),
    (0.107, 0.0, 0.0, -2.8973, 2.8973),
]  # fmt: skip
ARM = erfd.Robot(
    "seven",
    tuple(
        erfd.Joint(f"j{i}", "revolute", 0.0, d, a, alpha, position_min=low, position_max=high,
                   velocity_max=2.175) for i, (d, a, alpha, low, high) in enumerate(NUMBERS, 1)
    ),
    tuple(erfd.Link(f"l{i}", 1.0) for i in range(1, 8)),
)  # fmt: skip
START = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
HERE = erfd.forward_kinematics(ARM, START)
TURN = tuple(map(tuple, HERE[:3, :3].tolist()))


def there(x: float, y: float, z: float) -> PoseTarget:
    return PoseTarget(tuple((HERE[:3, 3] + [x, y, z]).tolist()), TURN)


def test_lines_and_circles() -> None:
    moves = [
        Move("lin", (there(0.1, 0.1, -0.1),), 1, speed=0.3),
        Move("circle", (there(0.15, 0.2, -0.1), there(0.0, 0.2, -0.1)), 2, speed=0.3),
        Move("lin", (there(0, 0, 0),), 3, speed=0.3),
    ]
    made = erfd.plan(ARM, moves, q0=START)
    assert not made.failures
    motion = made.trajectory
    reached = erfd.forward_kinematics(ARM, motion.q)
    assert np.abs(reached - made.poses).max() < 1e-9
    # the path is that of the programmed circle, looked at from its points alone
    on_arc = reached[made.move == 1, :3, 3] - HERE[:3, 3]
    points = np.array([[0.1, 0.1, -0.1], [0.15, 0.2, -0.1], [0.0, 0.2, -0.1]])[:, :2]
    rows = np.column_stack([2 * points, np.ones(3)])
    x, y, k = np.linalg.solve(rows, (points**2).sum(axis=1))
    radius = math.sqrt(k + x * x + y * y)
    assert np.abs(np.hypot(on_arc[:, 0] - x, on_arc[:, 1] - y) - radius).max() < 1e-9
    low, high = (
        np.array([getattr(j, f"position_{e}") for j in ARM.joints]) for e in ("min", "max")
    )
    assert ((motion.q >= low) & (motion.q <= high)).all()
    # no jumps: joint accelerations are those of the tool's, not those of a changing choice
    assert np.abs(np.diff(motion.qd, axis=0)).max() / motion.dt < 10
    (note,) = [note for note in made.notes if note.kind == "redundancy"]
    assert note.line == 1
    assert note.sentence.startswith(
        "7 joints for a path that needs 6: they drift towards the middle"
    )


def test_the_spare_joint_goes_towards_the_middle_of_its_range() -> None:
    """From an elbow that is turned far to the side; the tool stays on its line all the same."""
    turned = START + np.array([0.9, 0.0, -0.9, 0.0, 0.9, 0.0, 0.0])
    pose = erfd.forward_kinematics(ARM, turned)
    rotation = tuple(map(tuple, pose[:3, :3].tolist()))
    ends = [PoseTarget(tuple((pose[:3, 3] + [0, s * 0.2, 0]).tolist()), rotation) for s in (1, 0)]
    moves = [Move("lin", (ends[k % 2],), k + 1, speed=0.3) for k in range(6)]
    made = erfd.plan(ARM, moves, q0=turned)
    assert not made.failures
    middle = np.array([(j.position_min + j.position_max) / 2 for j in ARM.joints])
    half = np.array([(j.position_max - j.position_min) / 2 for j in ARM.joints])
    away = np.linalg.norm((made.trajectory.q[[0, -1]] - middle) / half, axis=1)
    assert away[1] < away[0]


@pytest.mark.parametrize("config", [0, 3])
def test_such_an_arm_has_no_config(config: int) -> None:
    target = PoseTarget(tuple(HERE[:3, 3].tolist()), TURN, config)
    with pytest.raises(erfd.errors.InputError, match="has no CONFIG branches"):
        erfd.plan(ARM, [Move("ptp", (target,), 1)], q0=START)
