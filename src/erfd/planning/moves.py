"""The steps of a program: moves, pauses, payloads, signals.

SI units and radians. The language (`lirl`) makes these, the planner (`planner`) turns them into a
joint trajectory; `line` is the line of the program that a step comes from, for every message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..errors import InputError
from ..ik.config import STAY
from ..robot.model import Turning
from ..robot.payload import Payload
from ..robot.pose import Mat3, Pose, Vec3

MoveKind = Literal["ptp", "lin", "circle"]
OrientationMode = Literal["o_var", "o_pco", "o_pvo"]


@dataclass(frozen=True, slots=True)
class PoseTarget:
    """A target pose of the tool frame, in the move's frame or the robot's base.

    `position` is in m, `rotation` None keeps the orientation that the tool has. `config`
    0-7 is the bit code of erratum 24 (1 shoulder back, 2 elbow down, 4 wrist flipped), `STAY` the
    branch before.
    """

    position: Vec3
    rotation: Mat3 | None = None
    config: int = STAY


@dataclass(frozen=True, slots=True)
class JointTarget:
    """A target of joint positions (rad or m) for the leading axes; the others keep their value."""

    joints: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Increment:
    """A target relative to where the tool is: translation (m) and rotation.

    `reference` "tool": T_new = T [rotation, translation]. "base": the translation is added and the
    rotation applied in base axes, p_new = p + translation, R_new = rotation R.
    """

    translation: Vec3
    rotation: Mat3 | None = None
    reference: Literal["tool", "base"] = "tool"


@dataclass(frozen=True, slots=True)
class JointIncrement:
    """A target relative to the joint positions: what to add (rad or m), leading axes first."""

    joints: tuple[float, ...]


MoveTarget = PoseTarget | JointTarget | Increment | JointIncrement


@dataclass(frozen=True, slots=True)
class Move:
    """One move of the robot; a circle has two targets, its via point and its end, all others one.

    `speed` m/s and `jerk` m/s3 (None: any) are along the path, `acc` m/s2 is the whole vector of
    the tool point's acceleration, `speed_ori` rad/s and `acc_ori` rad/s2 are the orientation's
    (None: it follows the path), `speed_ptp` and `acc_ptp` in parts (0, 1] of the axes' limits.
    Blending at the end: `c_ptp` (ramps overlap), `c_speed` (no stop), `c_cp` (m, corner rounded
    within this distance). `angle` (rad) of a circle counts from its start and may go beyond the
    end point. `tool` replaces the robot's tool frame, `frame` places the targets in the robot's
    base. `turning`: "even" turns the tool evenly over the path, "smooth" with rates that go over
    into those of the neighbours (None: as the plan does). `names` are the targets as the program
    writes them, one each, and `name` is the last of them.
    """

    kind: MoveKind
    targets: tuple[MoveTarget, ...]
    line: int
    name: str = ""
    speed: float = 0.25
    acc: float = 1.0
    jerk: float | None = None
    speed_ori: float | None = None
    acc_ori: float | None = None
    speed_ptp: float = 1.0
    acc_ptp: float = 1.0
    c_ptp: bool = False
    c_speed: bool = False
    c_cp: float | None = None
    c_ori: OrientationMode = "o_var"
    angle: float | None = None
    tool: Pose | None = None
    frame: Pose | None = None
    names: tuple[str, ...] = ()
    turning: Turning | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause: the robot stands still for `seconds`."""

    seconds: float
    line: int


@dataclass(frozen=True, slots=True)
class SetPayload:
    """A change of payload: from here on the robot carries `payload`; None: nothing."""

    payload: Payload | None
    line: int


@dataclass(frozen=True, slots=True)
class SetOutput:
    """A change of an output: `signal` becomes `value` when the moves before have ended."""

    signal: str
    value: float | bool
    line: int


@dataclass(frozen=True, slots=True)
class Halt:
    """The end of the program."""

    line: int


@dataclass(frozen=True, slots=True)
class ReadTime:
    """A step that stops the robot and asks for time and pose (the program reads a signal).

    The planner answers with a `Moment`.
    """

    line: int


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a program stands: time (s), joint positions, tool frame in the robot's base."""

    time: float
    q: tuple[float, ...]
    position: Vec3
    rotation: Mat3


class StepError(InputError):
    """A step that cannot be planned; `sentence` says why, `line` is its place in the program."""

    def __init__(self, line: int, sentence: str):
        super().__init__(line, sentence)
        self.line, self.sentence = line, sentence

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}"


Step = Move | Pause | SetPayload | SetOutput | Halt | ReadTime
