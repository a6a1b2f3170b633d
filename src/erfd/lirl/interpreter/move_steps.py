"""Turn move statements into steps for the planner.

Millimetres and degrees end here, SI units and radians begin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import RobotError
from ...planning.moves import (
    Increment,
    JointIncrement,
    JointTarget,
    Moment,
    Move,
    MoveTarget,
    PoseTarget,
)
from ...robot.model import Robot
from ...robot.payload import Payload
from ...robot.pose import Pose, Vec3
from .. import syntax as tree
from ..convert import convert
from ..values import (
    Frame,
    JointValue,
    MainJoint,
    Orientation,
    Position,
    RobotState,
    RobTarget,
    Triple,
    Trouble,
    frame_of,
    pose_of,
    rotation_of,
)
from ..values import Pair as PairValue
from ..words import DEFAULTS, OPTIONS

MM = 1e-3
DEG = math.pi / 180.0
UNITS = {
    "mm/s": MM,
    "mm/s2": MM,
    "mm/s3": MM,
    "mm": MM,
    "deg/s": DEG,
    "deg/s2": DEG,
    "deg": DEG,
    "": 1.0,
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What a program has to fit: the robot's name, number of axes, axes that slide (from 1)."""

    name: str | None = None
    n: int | None = None
    prismatic: frozenset[int] = frozenset()

    @classmethod
    def of(cls, robot: Robot | None) -> Machine:
        """What a program has to fit if it is for this robot; None: anything fits."""
        if robot is None:
            return cls()
        slides = frozenset(i for i, joint in enumerate(robot.joints, 1) if not joint.revolute)
        return cls(robot.name, robot.n, slides)


def metres(point: Position) -> Vec3:
    """A point (mm) in m."""
    return (point.x / 1000.0, point.y / 1000.0, point.z / 1000.0)


def placement(frame: Frame) -> Pose:
    """A frame (mm, degrees) in m and radians."""
    pose = pose_of(frame)
    return Pose(metres(frame.pos), pose.rpy)


def standing(moment: Moment, robot: Machine) -> RobotState:
    """Where the robot is, from SI units to those of the language."""
    x, y, z = (value / MM for value in moment.position)
    frame = frame_of(Pose.of(moment.rotation, (x, y, z)))
    axes = (q / (MM if i in robot.prismatic else DEG) for i, q in enumerate(moment.q, 1))
    return RobotState(moment.time, frame, tuple(axes))


def plain_name(name: str) -> str:
    """A robot's name without what does not matter: case, `_`, `-` and spaces."""
    return re.sub(r"[-_\s]", "", name).lower()


def robot_mismatch(name: str, robot: Machine) -> str:
    """Why a program for the robot `name` cannot run on this one; empty if it can."""
    if robot.name is None or plain_name(name) == plain_name(robot.name):
        return ""
    return f'the program is for "{name}", the robot is "{robot.name}"'


def option_value(name: str, value: Any) -> Any:
    """The value of an option: a number within its bounds, in SI units; others as they are."""
    word = OPTIONS[name]
    if word.value != "real":
        return value
    number = float(value)
    if not word.allows(number):
        raise Trouble(f"`{name}` has to be {bounds(name)}, found {number:g}")
    return number * UNITS[word.unit]


def bounds(name: str) -> str:
    """The bounds of an option's number, in words."""
    word = OPTIONS[name]
    low = "at least" if word.low_included else "above"
    high = f" and at most {word.high:g}" if math.isfinite(word.high) else ""
    return f"{low} {word.low:g}{high} {word.unit}".rstrip()


def joints(axes: tuple[float, ...], robot: Machine) -> tuple[float, ...]:
    """Axes (degrees, mm) in rad, or m where they slide."""
    if robot.n is not None and len(axes) > robot.n:
        raise Trouble(f"the robot has {robot.n} axes, found {len(axes)}")
    return tuple(q * (MM if i in robot.prismatic else DEG) for i, q in enumerate(axes, 1))


def absolute(value: Any, robot: Machine) -> MoveTarget:
    """The target of a move."""
    if isinstance(value, JointValue | MainJoint):
        return JointTarget(joints(value.axes, robot))
    if isinstance(value, Triple):
        value = convert(value, "position")
    elif isinstance(value, PairValue):
        value = convert(value, "pose")
    if isinstance(value, Position):
        return PoseTarget(metres(value))
    if isinstance(value, Frame):
        return PoseTarget(metres(value.pos), rotation_of(value.ori))
    if isinstance(value, RobTarget):
        turned = None if value.ori is None else rotation_of(value.ori)
        return PoseTarget(metres(value.pos), turned, value.config)
    raise Trouble("this is no target")


def relative(value: Any, robot: Machine, reference: Any) -> MoveTarget:
    """The target of a relative move."""
    if isinstance(value, JointValue | MainJoint):
        return JointIncrement(joints(value.axes, robot))
    if isinstance(value, Orientation):
        return Increment((0.0, 0.0, 0.0), rotation_of(value), reference)
    target = absolute(value, robot)
    assert isinstance(target, PoseTarget)
    return Increment(target.position, target.rotation, reference)


def move(
    node: tree.MoveStatement,
    evaluate: Callable[[tree.Expression], Any],
    robot: Machine,
    names: tuple[str, ...],
) -> Move:
    """The step of a move statement."""
    options = {option.name: _option(option, evaluate) for option in node.options}
    robot_name = options.pop("act_rob", None)
    if robot_name is not None and (wrong := robot_mismatch(robot_name, robot)):
        at = next(o.at for o in node.options if o.name == "act_rob")
        raise Trouble(wrong).located(at)
    reference = options.pop("ref", "tool")
    targets = []
    for target in node.targets:
        value = evaluate(target)
        try:
            targets.append(
                relative(value, robot, reference) if node.relative else absolute(value, robot)
            )
        except Trouble as trouble:
            raise trouble.located(target.at) from None
    for name in ("tool", "frame"):
        if name in options:
            options[name] = placement(convert(options[name], "pose"))
    for name, value in DEFAULTS.items():
        options.setdefault(name, option_value(name, value))
    kind: Any = node.kind
    return Move(kind, tuple(targets), node.at.line, names[-1], names=names, **options)


def _option(option: tree.Option, evaluate: Callable[[tree.Expression], Any]) -> Any:
    if option.value is None:
        return True
    if OPTIONS[option.name].value == "word":
        assert isinstance(option.value, tree.Name)
        return option.value.name
    try:
        return option_value(option.name, evaluate(option.value))
    except Trouble as trouble:
        raise trouble.located(option.value.at) from None


def make_payload(mass: float, center: Position | None) -> Payload:
    """A payload: mass in kg, centre in mm in the tool frame."""
    try:
        return Payload(float(mass), metres(center) if center is not None else (0.0, 0.0, 0.0))
    except RobotError as error:
        raise Trouble(str(error)) from None
