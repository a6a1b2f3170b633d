"""L-IRL programs of moves for the tests: random, valid, with what makes a planner stumble.

Plain programs have moves of centimetres at usual speeds. Wild ones have points that are the same,
or nearly, circles that are hardly any, turns on the spot and by half a turn, speeds without sense.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

import erfd
from erfd.lirl import interpret, parse
from erfd.planning.moves import Step

LOLA = erfd.load("lola15")
HEAD = """program p;
const pose: long = ((10, 20, 100), (10, 20, 30)); pose: table = ((5, -3, 8), (2, -4, 6)); endconst
var int: i; signal out bool: grip; endvar
seq
"""


@dataclass(frozen=True)
class Arm:
    """A robot, where it starts, and how large moves on paths may be as a part of those of Lola."""

    robot: erfd.Robot
    q0: np.ndarray
    size: float = 1.0

    @property
    def slow(self) -> bool:
        """Whether inverse kinematics takes milliseconds for each sample."""
        return self.robot.name not in ("lola15", "puma560", "stanford")


def _seven() -> erfd.Robot:
    """An arm of seven axes, each across the one before."""
    limits = {"velocity_max": 2.0, "acceleration_max": 5.0, "position_max": 2.9}
    joints = tuple(
        erfd.Joint(
            f"j{i}",
            d=0.3 * (i % 2 == 0),
            alpha=math.pi / 2 * (-1) ** i if i < 6 else 0.0,
            position_min=-2.9,
            **limits,
        )
        for i in range(7)
    )
    return erfd.Robot("seven", joints, tuple(erfd.Link(f"l{i}", 1.0) for i in range(7)))


def _with_jerk(robot: erfd.Robot) -> erfd.Robot:
    limited = (replace(joint, jerk_max=20.0 + 15 * i) for i, joint in enumerate(robot.joints))
    return replace(robot, joints=tuple(limited))


_READY = np.radians([0.0, 20.0, -20.0, 0.0, -60.0, 0.0])
ARMS = {
    "lola15": Arm(LOLA, _READY),
    "with jerk limits": Arm(_with_jerk(LOLA), _READY),
    "puma560": Arm(erfd.load("puma560"), np.radians([0.0, 60.0, -60.0, 20.0, 50.0, 0.0])),
    "stanford": Arm(erfd.load("stanford"), np.array([0.2, 0.9, 0.7, 0.3, 0.8, 0.1])),
    "sdt4": Arm(erfd.load("sdt4"), np.array([0.2, 0.4, 0.5, 0.3]), 0.3),
    "centrifuge3": Arm(erfd.load("centrifuge3"), np.array([0.2, 0.4, 0.5]), 0.0),
    "seven": Arm(_seven(), np.array([0.1, 0.5, -0.2, 1.2, 0.3, 0.8, 0.0]), 0.3),
}


def steps_of(text: str, robot: erfd.Robot) -> list[Step]:
    """The steps of a program."""
    return list(interpret(parse(text), robot))


def program(rng: np.random.Generator, arm: Arm, count: int, wild: bool) -> str:
    """A program of `count` statements."""
    writer = Writer(rng, arm, wild)
    lines = [f"  {writer.statement()};" for _ in range(count)]
    return HEAD + "\n".join(lines) + "\nendseq\nendprogram\n"


def _list(values: object) -> str:
    return "(" + ", ".join(repr(float(x)) for x in values) + ")"


class Writer:
    """Writes one statement after another; it knows about where the robot is."""

    def __init__(self, rng: np.random.Generator, arm: Arm, wild: bool):
        self.rng, self.robot, self.home, self.size = rng, arm.robot, arm.q0, arm.size
        self.wild, self.q = wild, arm.q0

    def chance(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def power(self, low: float, high: float) -> float:
        return float(10.0 ** self.rng.uniform(low, high))

    def statement(self) -> str:
        ways = [self.joints, self.point, self.joint_step, self.pause]
        if self.size:
            ways += [self.line, self.line_step, self.circle, self.circle_step] * 2
            ways += [self.loop, self.with_tool, self.in_frame]
        return ways[self.rng.integers(len(ways))]()

    # targets

    def near(self, size: float) -> np.ndarray:
        """Joint positions near the start, within the limits."""
        ends = np.array([(j.position_min, j.position_max) for j in self.robot.joints])
        q = self.home + self.rng.uniform(-size, size, self.robot.n)
        return np.clip(q, ends[:, 0] + 1e-3, ends[:, 1] - 1e-3)

    def frame(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pose = erfd.forward_kinematics(self.robot, q)
        return pose[:3, 3], pose[:3, :3]

    def target(self, place: np.ndarray, turn: np.ndarray) -> str:
        if self.robot.n < 6 or self.chance(0.4):
            return f"position{_list(1000 * place)}"
        a, c = math.atan2(turn[1, 0], turn[0, 0]), math.atan2(turn[2, 1], turn[2, 2])
        b = math.atan2(-turn[2, 0], math.hypot(turn[0, 0], turn[1, 0]))
        return f"robtarg(({_list(1000 * place)}, {_list(np.degrees([a, b, c]))}), 8)"

    def axes(self, q: np.ndarray) -> str:
        units = [180 / math.pi if joint.revolute else 1000.0 for joint in self.robot.joints]
        return f"joint(mainjoint{_list(q * units)})"

    def away(self) -> np.ndarray:
        """A step (mm) in any direction."""
        way = self.rng.normal(size=3)
        length = self.power(-16, -0.5) if self.wild else self.rng.uniform(0.01, 0.15)
        return 1000 * self.size * length * way / np.linalg.norm(way)

    # options

    def fast(self) -> str:
        """Speed and acceleration of a path move, and how it ends."""
        rng, text = self.rng, ""
        high = 6.0 if self.wild and self.chance(0.2) else 3.2
        text += f" speed={self.power(1.7, high)} acc={self.power(2.5, high + 0.5)}"
        text += f" speed_ori={self.power(1, 3)}" if self.chance(0.2) else ""
        text += f" acc_ori={self.power(1.5, 4)}" if self.chance(0.2) else ""
        text += f" c_ori={rng.choice(['o_var', 'o_pco', 'o_pvo'])}" if self.chance(0.5) else ""
        rounded = f" c_cp={self.power(-7 if self.wild else 0.7, 3.5)}"
        return text + str(rng.choice(["", "", " c_speed", " c_speed", rounded]))

    def ptp(self) -> str:
        text = f" speed_ptp={self.rng.uniform(0.05, 1)}" if self.chance(0.5) else ""
        text += f" acc_ptp={self.rng.uniform(0.05, 1)}" if self.chance(0.5) else ""
        return text + str(self.rng.choice(["", " c_ptp", " c_ptp", " c_cp=20"]))

    def angle(self) -> str:
        degrees = self.power(-6, 3.3) if self.wild else self.rng.uniform(10, 800)
        return f" angle={degrees}" if self.chance(0.4) else ""

    # statements

    def joints(self) -> str:
        q = self.near(0.6)
        if self.chance(0.2):  # hardly any motion, or none
            q = self.q.copy()
            q[self.rng.integers(len(q))] += self.power(-16, -1)
        self.q = q
        return f"move ptp {self.axes(q)}{self.ptp()}"

    def point(self) -> str:
        if not self.size:
            return self.joints()
        self.q = self.near(0.5 * self.size)
        return f"move ptp {self.target(*self.frame(self.q))}{self.ptp()}"

    def joint_step(self) -> str:
        step = self.rng.uniform(-0.2, 0.2, self.robot.n) * (self.rng.random(self.robot.n) < 0.5)
        self.q = self.q + step
        return f"move_inc ptp {self.axes(step)}{self.ptp()}"

    def pause(self) -> str:
        waits = f"wait {self.rng.uniform(0, 0.1)} sec"
        return str(self.rng.choice([waits, "payload 3 at (0, 0, 50)", "grip := true"]))

    def line(self) -> str:
        here, now = self.frame(self.q)
        self.q = self.near(0.25 * self.size)
        place, turn = self.frame(self.q)
        half = now @ Rotation.from_rotvec(math.pi * np.eye(3)[self.rng.integers(3)]).as_matrix()
        if self.wild and self.chance(0.5):  # on the spot, the other way round, nowhere
            special = [(here, turn), (place, half), (here, half), (here, now)]
            place, turn = special[self.rng.integers(4)]
        return f"move lin {self.target(place, turn)}{self.fast()}"

    def line_step(self) -> str:
        step = _list(self.away())
        if self.robot.n >= 6 and self.chance(0.3):
            step = f"({step}, {_list(self.rng.uniform(-20, 20, 3))})"
        return f"move_inc lin {step} ref={self.rng.choice(['tool', 'base'])}{self.fast()}"

    def circle(self) -> str:
        here, _ = self.frame(self.q)
        self.q = self.near(0.2 * self.size)
        place, turn = self.frame(self.q)
        bow = self.power(-6, -1.3) if self.wild else 0.03 * self.size
        via = (here + place) / 2 + bow * self.rng.normal(size=3)
        if self.wild and self.chance(0.3):  # three points that make no circle
            special = [(here + place) / 2, here, place, 2 * place - here]
            via = special[self.rng.integers(4)]
        end = self.target(place, turn)
        return f"move circle position{_list(1000 * via)}, {end}{self.angle()}{self.fast()}"

    def circle_step(self) -> str:
        across, ahead = np.linalg.qr(self.rng.normal(size=(3, 3)))[0][:2]
        radius = 1000 * self.size
        radius *= self.power(-10, -1.3) if self.wild else self.rng.uniform(0.02, 0.08)
        ends = f"{_list(radius * (across + ahead))}, {_list(2 * radius * across)}"
        return f"move_inc circle {ends}{self.angle()}{self.fast()}"

    def loop(self) -> str:
        """Many short moves in a row."""
        step = self.rng.normal(size=3) * self.power(-4 if self.wild else -0.5, 0.5) * self.size
        move = f"move_inc lin {_list(step)} ref=base speed={self.power(1.7, 3)} c_speed"
        return f"for i := 1 to {self.rng.integers(2, 25)} {move}; endfor"

    def with_tool(self) -> str:
        return f"move_inc lin {_list(self.away())} tool=long{self.fast()}"

    def in_frame(self) -> str:
        """A point of a work object's frame, which turns and shifts it a little."""
        self.q = self.near(0.2 * self.size)
        return f"move lin {self.target(*self.frame(self.q))} frame=table{self.fast()}"
