"""The values of a program: positions (mm), orientations (degrees), poses, targets, joints.

The angles (A, B, C) turn about z, the new y, the new x. A pose multiplies like a frame:
`a * b` is b seen through a.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..robot.pose import Mat3, Pose
from .messages import Place
from .types import Array, Type
from .words import MEMBERS


class Trouble(Exception):  # noqa: N818
    """A computation that cannot be done, in one sentence; the evaluator adds the place."""

    at: Place | None = None

    def located(self, at: Place) -> Trouble:
        """The same with a place, unless it has one already, further inside."""
        self.at = self.at or at
        return self


class Triple(NamedTuple):
    """Three numbers in parentheses, not yet a position or an orientation."""

    x: float
    y: float
    z: float


class Position(NamedTuple):
    """A point or a translation, mm."""

    x: float
    y: float
    z: float


class Orientation(NamedTuple):
    """Angles A, B, C in degrees."""

    a: float
    b: float
    c: float


class Frame(NamedTuple):
    """A pose: position and orientation."""

    pos: Position
    ori: Orientation


class Pair(NamedTuple):
    """Two groups in parentheses, not yet a pose."""

    first: Any
    second: Any


class RobTarget(NamedTuple):
    """A robtarg; without orientation the tool keeps the one that it has."""

    pos: Position
    ori: Orientation | None
    config: int


class MainJoint(NamedTuple):
    """Positions of the leading axes, degrees (mm if an axis slides)."""

    axes: tuple[float, ...]


class JointValue(NamedTuple):
    """A joint target: its main joints."""

    axes: tuple[float, ...]


class RobotState(NamedTuple):
    """Where the robot stands: time (s), pose of the tool in the base, all axes (degrees, mm)."""

    time: float
    pose: Frame
    axes: tuple[float, ...]


class ArrayValue:
    """An array: its first index and its elements; None where nothing was assigned yet."""

    __slots__ = ("items", "low")

    def __init__(self, low: int, items: list[Any]):
        self.low, self.items = low, items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]


KIND_OF: dict[type, str] = {
    int: "int",
    float: "real",
    bool: "bool",
    str: "string",
    Triple: "triple",
    Pair: "pair",
    Position: "position",
    Orientation: "orientation",
    Frame: "pose",
    RobTarget: "robtarg",
    JointValue: "joint",
    MainJoint: "mainjoint",
}


def kind_of(value: Any) -> Type:
    """The type of a value, such as `int` or an `Array`."""
    kind = KIND_OF.get(type(value))
    if kind is not None:
        return kind
    first = next((item for item in value.items if item is not None), 0)
    return Array(kind_of(first), value.low, value.low + len(value.items) - 1)


def position(x: float, y: float, z: float) -> Position:
    """A position with finite coordinates."""
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise Trouble("the result is too large")
    return Position(float(x), float(y), float(z))


def orientation(a: float, b: float, c: float) -> Orientation:
    """An orientation with finite angles."""
    return Orientation(*position(a, b, c))


def pose_of(frame: Frame) -> Pose:
    """A frame as an `erfd.Pose`, but in mm; angles in radians."""
    (x, y, z), (a, b, c) = frame
    return Pose((x, y, z), (math.radians(c), math.radians(b), math.radians(a)))


def frame_of(pose: Pose) -> Frame:
    """The frame of a pose in mm and radians."""
    roll, pitch, yaw = (math.degrees(angle) for angle in pose.rpy)
    return Frame(position(*pose.xyz), Orientation(yaw, pitch, roll))


def rotation_of(ori: Orientation) -> Mat3:
    """The rotation matrix Rz(A) Ry(B) Rx(C)."""
    return pose_of(Frame(ORIGIN, ori)).rotation


ORIGIN = Position(0.0, 0.0, 0.0)
NO_ROTATION = Orientation(0.0, 0.0, 0.0)


def frame_of_target(target: RobTarget) -> Frame:
    """The pose of a target, which must have an orientation."""
    if target.ori is None:
        raise Trouble("this target has no orientation, it keeps the one that the tool has")
    return Frame(target.pos, target.ori)


def product(left: Frame, right: Frame) -> Frame:
    """The product of two frames: `right`, given in `left`, in the frame that `left` is given in."""
    return frame_of(pose_of(left) @ pose_of(right))


def transform(frame: Frame, point: Position) -> Position:
    """A point given in the frame, in the coordinates that the frame is given in."""
    return position(*pose_of(frame).apply(point))


def turn(ori: Orientation, point: Position) -> Position:
    """A point (mm) turned by an orientation."""
    return transform(Frame(ORIGIN, ori), point)


def combine(left: Orientation, right: Orientation) -> Orientation:
    """The product of two orientations."""
    return product(Frame(ORIGIN, left), Frame(ORIGIN, right)).ori


def invert(frame: Frame) -> Frame:
    """The inverse of a frame."""
    return frame_of(pose_of(frame).inverse())


def angle_between(left: Orientation, right: Orientation) -> float:
    """The angle of the rotation from one orientation to another, degrees.

    From both the sine and the cosine, so that small and straight angles are exact.
    """
    a, b = rotation_of(left), rotation_of(right)
    r = [[sum(a[k][i] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    sine = math.hypot(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1])
    return math.degrees(math.atan2(sine, r[0][0] + r[1][1] + r[2][2] - 1.0))


def member(value: Any, name: str) -> Any:
    """A component of a value, such as `.pos`; no other attribute of it can be reached."""
    kind = KIND_OF.get(type(value), "")
    if name not in MEMBERS.get("position" if kind == "triple" else kind, ()):
        raise Trouble(f"there is no component `.{name}`")
    if name == "main":
        return MainJoint(value.axes)
    if name == "pose":
        return frame_of_target(value)
    part = getattr(value, name)
    if part is None:
        frame_of_target(value)
    return part


def with_member(value: Any, name: str, part: Any) -> Any:
    """The value with one component replaced."""
    if name == "main":
        return JointValue(part.axes)
    if name == "pose":
        return RobTarget(part.pos, part.ori, value.config)
    return value._replace(**{name: part})
