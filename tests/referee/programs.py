"""Random L-IRL programs for an arm, with what each of their moves is meant to do.

Targets come from the referee's own forward kinematics, so that every pose can be reached (though
perhaps not from where the arm is, on one branch).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .rules.arm import Arm, Array, placed, rotation
from .rules.model import Mechanics


@dataclass(frozen=True)
class Meant:
    """A move as its programmer means it, m and rad; `joints` of a ptp move, else a `pose`."""

    kind: str
    line: int
    joints: Array | None = None
    pose: Array | None = None
    via: Array | None = None
    speed: float = 0.25
    acc: float = 1.0
    jerk: float = math.inf
    speed_ori: float = math.inf
    part: float = 1.0
    part_acc: float = 1.0
    blend: str = ""
    reach: float = 0.0
    along: bool = False


@dataclass
class Program:
    """A text and its meaning: start (n,), force, payload at the start, options of `verify`."""

    text: str
    start: Array
    meant: list[Meant]
    wrench: Array | None
    payload: tuple[float, tuple[float, float, float]] | None
    turning: str | None
    pause: float
    parts: int
    """Steps of the computation in a cycle of the controller."""

    @property
    def smooth(self) -> bool:
        """Whether rates of turning go over smoothly at junctions: so unless said otherwise."""
        return self.turning == "smooth" or (
            self.turning is None and "  turning even;" not in self.text
        )


@dataclass
class _Writer:
    arm: Arm
    rng: np.random.Generator
    mechanics: Mechanics
    lines: list[str] = field(default_factory=list)
    meant: list[Meant] = field(default_factory=list)

    def chance(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def between(self, low: float, high: float) -> float:
        return round(float(self.rng.uniform(low, high)), 3)

    def joints(self, near: Array | None = None) -> Array:
        """Joint positions, inside the limits, as the program writes them (degrees or mm)."""
        arm = self.arm
        low, high = np.maximum(arm.lower, -3.0), np.minimum(arm.upper, 3.0)
        middle, half = (low + high) / 2, (high - low) / 2
        q = middle + half * self.rng.uniform(-0.6, 0.6, arm.n)
        if near is not None:
            q = near + (q - near) * self.rng.uniform(0.05, 0.7)
        written = np.round(np.where(arm.slides, 1000 * q, np.degrees(q)), 2)
        return np.where(arm.slides, written / 1000, np.radians(written))

    def joint_text(self, q: Array) -> str:
        shown = np.where(self.arm.slides, 1000 * q, np.degrees(q))
        return "joint(mainjoint(" + ", ".join(f"{x:.2f}" for x in shown) + "))"


def _angles(turn: Array) -> tuple[float, float, float]:
    """A, B, C in degrees with Rz(A) Ry(B) Rx(C)."""
    b = math.asin(max(-1.0, min(1.0, -turn[2, 0])))
    a, c = math.atan2(turn[1, 0], turn[0, 0]), math.atan2(turn[2, 1], turn[2, 2])
    return math.degrees(a), math.degrees(b), math.degrees(c)


def _numbers(values: Array) -> str:
    return ", ".join(f"{x:.6f}" for x in values)


def random_program(arm: Arm, seed: int) -> Program:
    """A program of 2 to 9 moves: ptp, lines, arcs, blends, a loop, waits, payloads."""
    rng = np.random.default_rng(seed)
    write = _Writer(arm, rng, Mechanics(arm, None))
    hard = rng.random()  # how much is asked of the arm
    start = write.joints()
    q: Array | None = start
    pose = write.mechanics.pose(start)
    head = [f"program Trial{seed};", "var", "  int: i;", "endvar", "seq"]
    write.lines = head
    if write.chance(0.25):
        write.lines.append(f"  turning {'even' if write.chance(0.5) else 'smooth'};")
    for _ in range(int(rng.integers(1, 7))):
        what = rng.random()
        if what < 0.1:
            write.lines.append(f"  wait {write.between(0.05, 0.4)} sec;")
        elif what < 0.25:
            _payload(write, hard)
        elif what < 0.5:
            q = write.joints(q)
            pose = _ptp(write, q, hard)
        elif what < 0.6:
            pose = _loop(write, pose, hard)
        elif what < 0.8:
            pose = _line(write, pose, hard)
        else:
            pose = _circle(write, pose, hard)
    if not write.meant:
        _ptp(write, write.joints(q), hard)
    text = "\n".join([*write.lines, "endseq", "endprogram"]) + "\n"
    force = rng.normal(size=6) * np.array([60, 60, 60, 5, 5, 5]) * _weight(arm) * hard
    return Program(
        text=text,
        start=start,
        meant=write.meant,
        wrench=np.round(force, 2) if write.chance(0.5) else None,
        payload=(write.between(0.1, 1) * 10 * _weight(arm) * hard, (0.0, 0.01, 0.04))
        if write.chance(0.4)
        else None,
        turning=["even", "smooth", None][int(rng.integers(3))],
        pause=write.between(0, 2) if write.chance(0.3) else 0.0,
        parts=int(rng.integers(2, 5)) if write.chance(0.15) else 1,
    )


def _weight(arm: Arm) -> float:
    """How strong an arm is, about: its own mass against that of Lola 15, never below a tenth."""
    return max(0.1, min(1.0, sum(link.mass for link in arm.links) / 480))


def _payload(write: _Writer, hard: float) -> None:
    if write.chance(0.3):
        write.lines.append("  payload none;")
        return
    mass = write.between(0.1, 30) * _weight(write.arm) * hard
    place = ", ".join(f"{x:.1f}" for x in write.rng.uniform(-60, 60, 3))
    write.lines.append(f"  payload {mass:.3f} at ({place});")


def _ptp(write: _Writer, q: Array, hard: float) -> Array:
    part, part_acc = (1.0, 1.0) if hard > 0.5 else (write.between(0.2, 1), write.between(0.2, 1))
    blend = " c_ptp" if write.chance(0.3) else ""
    write.lines.append(
        f"  move ptp {write.joint_text(q)} speed_ptp={part} acc_ptp={part_acc}{blend};"
    )
    write.meant.append(
        Meant("ptp", len(write.lines), joints=q, part=part, part_acc=part_acc, blend=blend.strip())
    )
    return write.mechanics.pose(q)


def _options(write: _Writer, hard: float) -> tuple[str, dict[str, float | str | bool]]:
    """Options of a path move, as text and as numbers (m, rad)."""
    speed = write.between(40, 250 + 900 * hard)
    acc = write.between(300, 1500 + 6000 * hard**2)
    text = f" speed={speed} acc={acc}"
    meant: dict[str, float | str | bool] = {"speed": speed / 1000, "acc": acc / 1000}
    if write.chance(0.1):
        jerk = write.between(5000, 60000)
        text += f" jerk={jerk}"
        meant["jerk"] = jerk / 1000
    if write.chance(0.2):
        rate = write.between(10, 120)
        text += f" speed_ori={rate}"
        meant["speed_ori"] = math.radians(rate)
    if (what := write.rng.random()) < 0.2:
        text += " c_speed"
        meant["blend"] = "c_speed"
    elif what < 0.45:
        reach = write.between(5, 80)
        text += f" c_cp={reach}"
        meant |= {"blend": "c_cp", "reach": reach / 1000}
    elif what < 0.55:
        text += " c_ptp"
        meant["blend"] = "c_ptp"
    return text, meant


def _aside(write: _Writer, pose: Array) -> Array:
    """A step of 2 to 20 cm, m, rounded as it is written; mostly towards where the arm stands."""
    way = write.rng.normal(size=3)
    if way @ (pose[:3, 3] - np.array([0, 0, 0.4])) > 0 and write.chance(0.8):
        way = -way
    return np.round(way / np.linalg.norm(way) * write.rng.uniform(0.02, 0.2), 6)


def _line(write: _Writer, pose: Array, hard: float) -> Array:
    text, meant = _options(write, hard)
    step = _aside(write, pose)
    if write.chance(0.3):
        end = pose.copy()
        end[:3, 3] += step
        goal = f"move_inc lin position({_numbers(1000 * step)}) ref=base"
    else:
        end = _turned(write, pose, step)
        goal = f"move lin {_target(end)}"
    write.lines.append(f"  {goal}{text};")
    write.meant.append(Meant("lin", len(write.lines), pose=end, **meant))  # type: ignore[arg-type]
    return end


def _turned(write: _Writer, pose: Array, step: Array) -> Array:
    """A pose a step away, the tool turned by up to 17 degrees about each axis."""
    turn = pose[:3, :3] @ rotation(*write.rng.uniform(-0.3, 0.3, 3))
    angles = np.radians(np.round(_angles(turn), 6))
    place = np.round(1000 * (pose[:3, 3] + step), 6) / 1000
    return placed(rotation(angles[2], angles[1], angles[0]), place)


def _target(pose: Array) -> str:
    return f"robtarg((({_numbers(1000 * pose[:3, 3])}), ({_numbers(_angles(pose[:3, :3]))})), 8)"


def _circle(write: _Writer, pose: Array, hard: float) -> Array:
    """An arc of 5 to 25 cm radius, 20 to 170 degrees."""
    text, meant = _options(write, hard)
    ahead, other = _aside(write, pose), write.rng.normal(size=3)
    ahead /= np.linalg.norm(ahead)
    inward = other - (other @ ahead) * ahead
    inward /= np.linalg.norm(inward)
    radius, angle = write.rng.uniform(0.05, 0.25), math.radians(write.rng.uniform(20, 170))

    def step(a: float) -> Array:
        return radius * (math.sin(a) * ahead + (1 - math.cos(a)) * inward)

    via = np.round(pose[:3, 3] + step(write.rng.uniform(0.3, 0.7) * angle), 9)
    end = _turned(write, pose, step(angle))
    if write.chance(0.3):
        text += " c_ori=o_pvo"
        meant["along"] = True
    write.lines.append(f"  move circle position({_numbers(1000 * via)}), {_target(end)}{text};")
    write.meant.append(
        Meant("circle", len(write.lines), pose=end, via=via, **meant)  # type: ignore[arg-type]
    )
    return end


def _loop(write: _Writer, pose: Array, hard: float) -> Array:
    """Two lines there and back, run two or three times, the steps growing with the counter."""
    there, back = (_options(write, hard) for _ in range(2))
    step = _aside(write, pose) / 2
    rounds = int(write.rng.integers(2, 4))
    write.lines += [
        f"  for i := 1 to {rounds}",
        f"    move_inc lin i * position({_numbers(1000 * step)}) ref=base{there[0]};",
        "    if i > 1 then",
        f"      move_inc lin -(i - 1) * position({_numbers(1000 * step)}) ref=base{back[0]};",
        "    endif",
        "  endfor",
    ]
    line = len(write.lines) - 4
    pose = pose.copy()
    for i in range(1, rounds + 1):
        for on, (options, number) in (
            (i * step, (there[1], line)),
            (-(i - 1) * step, (back[1], line + 2)),
        ):
            if on.any():
                pose = pose.copy()
                pose[:3, 3] += on
                write.meant.append(
                    Meant("lin", number, pose=pose, **options)  # type: ignore[arg-type]
                )
    return pose
