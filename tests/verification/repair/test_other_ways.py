"""A tool turned, a base moved: the same as a robot that is made that way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import erfd
from erfd.planning.moves import JointTarget, Move, SetPayload
from erfd.robot.pose import Pose
from erfd.verification import verify
from erfd.verification.repair.other_ways import (
    lighter,
    moved,
    turned,
    turned_payload,
    with_config,
)

LOLA = erfd.load("lola15")
TEXT = """program p;
const pose: table = ((30, -20, 15), (4, 3, -2)); endconst
seq
  move ptp robtarg(((900, -100, 500), (0, -60, -175)), 4);
  payload 5 at (10, 20, 30);
  move lin ((920, 60, 520), (5, -55, -170)) speed=200 c_cp=20;
  move_inc lin pose((10, 20, -30), (4, -5, 6)) speed=100;
  move_inc lin position(-20, 0, 10) ref=base;
  move circle (950, 100, 560), ((900, 150, 520), (0, -60, -175)) frame=table;
  move lin position(880, 40, 540);
endseq
"""
STEPS = verify(TEXT, LOLA).steps


def joints(robot: erfd.Robot, steps: list[object]) -> np.ndarray:
    plan = erfd.plan(robot, steps)
    assert not plan.failures
    return plan.trajectory.q


@pytest.mark.parametrize("vector", [(0, 0, 0.4), (0.1, 0, 0), (0, -0.15, 0), (0.1, 0.1, -0.3)])
def test_a_turned_tool(vector: tuple[float, float, float]) -> None:
    turn = Rotation.from_rotvec(vector).as_matrix()
    a, b, c = Rotation.from_matrix(turn).as_euler("xyz").tolist()
    mounted = replace(LOLA, tool=LOLA.tool @ Pose((0.0, 0.0, 0.0), (a, b, c)))
    change = turned(turn)
    found = joints(LOLA, [change(step) for step in STEPS])
    assert found == pytest.approx(joints(mounted, STEPS), abs=1e-6)


def test_a_turned_payload() -> None:
    """Its weight pulls at the arm as that of the payload at the turned tool does."""
    turn = Rotation.from_rotvec([0.2, -0.5, 0.9]).as_matrix()
    a, b, c = Rotation.from_matrix(turn).as_euler("xyz").tolist()
    inertia = ((0.3, 0.01, 0.0), (0.01, 0.2, 0.02), (0.0, 0.02, 0.4))
    payload = erfd.Payload(8.0, (0.05, 0.1, 0.2), inertia)
    from erfd.robot.payload import with_payload

    mounted = replace(LOLA, tool=LOLA.tool @ Pose((0.0, 0.0, 0.0), (a, b, c)))
    seen = turned_payload(payload, turn)
    here, there = with_payload(mounted, payload).links[-1], with_payload(LOLA, seen).links[-1]
    assert there.center == pytest.approx(here.center, abs=1e-12)
    assert np.array(there.inertia) == pytest.approx(np.array(here.inertia), abs=1e-12)
    assert turned_payload(None, turn) is None
    change = turned(turn)
    assert change(SetPayload(payload, 3)) == SetPayload(seen, 3)


@pytest.mark.parametrize("by", [(0.05, 0.0, 0.0), (0.0, -0.04, 0.0), (0.01, 0.02, -0.03)])
def test_a_moved_base(by: tuple[float, float, float]) -> None:
    """A robot whose base frame is moved has its points in the coordinates of before."""
    elsewhere = replace(LOLA, base=Pose(by) @ LOLA.base)
    change = moved(by)
    found = joints(LOLA, [change(step) for step in STEPS])
    assert found == pytest.approx(joints(elsewhere, STEPS), abs=1e-6)


def test_another_config() -> None:
    configs = [t.config for s in map(with_config(2, None), STEPS) if isinstance(s, Move)
               for t in s.targets if hasattr(t, "config")]  # fmt: skip
    assert configs[0] == 2  # the only target that names one
    assert set(configs[1:]) == {8}
    (first, *_) = [
        s for s in map(with_config(5, {6}), STEPS) if isinstance(s, Move) and s.line == 6
    ]
    assert first.targets[0].config == 5
    joint = Move("ptp", (JointTarget((1.0,)),), 6)
    assert with_config(5, {6})(joint) == joint


def test_a_lighter_payload() -> None:
    (light,) = [s for s in map(lighter(0.4), STEPS) if isinstance(s, SetPayload)]
    assert light.payload is not None
    assert light.payload.mass == pytest.approx(2.0)
    assert light.payload.center == pytest.approx((0.01, 0.02, 0.03))
    (none,) = [s for s in map(lighter(0.0), STEPS) if isinstance(s, SetPayload)]
    assert none.payload is None
