"""Teaching: a taught move leads back to where it was taught."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import erfd
from erfd.studio.teach import joint_text, move_text, target_text, typed_pose

LOLA = erfd.load("lola15")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31))
@example(3606)  # near the singularity of the shoulder
def test_a_taught_move_leads_back_to_where_it_was_taught(seed):
    from erfd.lirl import interpret, parse
    from erfd.planning.planner import plan

    rng = np.random.default_rng(seed)
    low = np.array([j.position_min for j in LOLA.joints])
    high = np.array([j.position_max for j in LOLA.joints])
    q = np.clip(rng.uniform(-1, 1, 6), 0.9 * low, 0.9 * high)
    q[4] = np.copysign(max(abs(q[4]), 0.2), q[4])  # away from the wrist's singular position
    for kind in ("ptp", "joint"):
        text = f"program p;\nseq\n{move_text(kind, LOLA, q)}\nendseq\nendprogram\n"
        steps = interpret(parse(text), LOLA)
        planned = plan(LOLA, steps)
        assert not planned.failures
        # the text has four digits: 0.05 um and 0.00005 degrees are lost, of three angles that turn
        # about one another twice that; times how the arm enlarges them
        lost = np.repeat([5e-8, 2 * np.radians(5e-5)], 3)
        enlarged = np.abs(np.linalg.inv(erfd.jacobian(LOLA, q))) @ lost
        away = np.abs(planned.trajectory.q[-1] - q)
        assert (away <= np.maximum(enlarged, np.radians(5.1e-5))).all()


@pytest.mark.parametrize("name", erfd.robots())
def test_every_bundled_robot_can_be_taught(name):
    """A taught move is reached, and the arm comes to stand there as it stood (ptp, joint).

    Six joints may come back on another branch of the same pose; fewer must come back themselves.
    """
    from erfd.lirl import interpret, parse
    from erfd.planning.planner import plan

    robot = erfd.load(name)
    rng = np.random.default_rng(7)
    bound = 2.0
    low = np.array([max(j.position_min, -bound) for j in robot.joints])
    high = np.array([min(j.position_max, bound) for j in robot.joints])
    for _ in range(4):
        q = low + rng.uniform(0.1, 0.9, robot.n) * (high - low)
        for kind in ("ptp", "joint", "lin"):
            # a line from where it is reached by its joints: nothing but the place is asked for
            first = f"{move_text('joint', robot, q)}\n" if kind == "lin" else ""
            text = f"program p;\nseq\n{first}{move_text(kind, robot, q)}\nendseq\nendprogram\n"
            steps = interpret(parse(text), robot)
            planned = plan(robot, steps)
            assert not planned.failures, (kind, planned.failures[0].sentence)
            found = planned.trajectory.q[-1]
            # 0.0001 degrees over the length of the arm
            reach = 2e-6 * max(1.0, np.abs(erfd.forward_kinematics(robot, q)[:3, 3]).max())
            pose = erfd.forward_kinematics(robot, found) - erfd.forward_kinematics(robot, q)
            np.testing.assert_allclose(pose, 0, atol=2 * reach)
            if robot.n < 6:
                np.testing.assert_allclose(found, q, atol=2e-6)


def test_taught_texts():
    q = np.zeros(6)
    x, y, z, a, b, c = typed_pose(LOLA, q)
    pose = erfd.Pose((x / 1000, y / 1000, z / 1000), tuple(np.radians([c, b, a])))
    matrix = erfd.forward_kinematics(LOLA, q)
    np.testing.assert_allclose(pose.rotation, matrix[:3, :3], atol=1e-12)
    assert target_text(LOLA, q).startswith("robtarg(((1375, -120, 835), (")
    assert joint_text(LOLA, q) == "joint(mainjoint(0, 0, 0, 0, 0, 0))"
