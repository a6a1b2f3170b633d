"""The inputs and results of the functions of a cycle, as symbols and by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..drives.symbols import MotorSymbols, named_parts
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi
from ..robot.model import Robot

GIVEN_VECTORS = ("q", "qd", "qd_before")
"""What is given for a cycle: the programmed position and velocity at its end, and at its start."""
CYCLE_VECTORS = ("q", "qd", "qdd", "torque", "load")
"""What `cycle` gives: vectors of length n, in this order, then `need`."""
SATURATED_VECTORS = ("wanted", "needed", "side", "stop")
"""What `close` adds for a cycle that needs the saturation problem."""
NOTE_VECTORS = ("limit", "clipped")
"""What `note` adds for the record."""
PART_VECTORS = (
    "q_at", "qd_at", "q", "qd", "qdd", "torque", "load", "side", "needed", "stop",
)  # fmt: skip
"""What is known in the course of a cycle: vectors of length n, then `PART_NUMBERS`.

`q_at`, `qd_at` is where the equations of motion are taken, `q`, `qd` the state, the others are
means over what is done of the cycle.
"""
PART_NUMBERS = ("length", "left", "shift", "beyond", "doubt")
"""Length of the next part and what is left of the cycle (s); 0 for a cycle in one piece, 1/2 for a
divided one; how far a joint is beyond its stop; whether its energy is to be looked at."""
PROBLEM_VECTORS = ("b", "y", "rate", "limit", "direction")
"""What `setup` gives: vectors of length n, in this order, A row by row, `PROBLEM_NUMBERS`."""
PROBLEM_NUMBERS = ("length", "per_length", "live")
ROUND_VECTORS = ("y", "load", "torque", "side", "slip", "sign")
"""What `round` gives: vectors of length n, in this order, then `changed`."""

ALL_AT_ONCE = 8
"""Rounds in which every violated index changes; then only the lowest one of each state does."""
ROUNDS = 400
SLACK = 1e-12
"""A torque may exceed its limit by this part of it before its motor counts as saturated."""


def calm_size(n: int) -> int:
    """Numbers that `cycle` leaves."""
    return len(CYCLE_VECTORS) * n + 1


def row_size(n: int) -> int:
    """Numbers that a cycle leaves: `CYCLE_VECTORS`, need, `SATURATED_VECTORS`, `NOTE_VECTORS`."""
    return (len(CYCLE_VECTORS) + len(SATURATED_VECTORS) + len(NOTE_VECTORS)) * n + 1


def part_size(n: int) -> int:
    """Numbers that are known in the course of a cycle."""
    return len(PART_VECTORS) * n + len(PART_NUMBERS)


def problem_size(n: int) -> int:
    """Numbers of a saturation problem."""
    return len(PROBLEM_VECTORS) * n + n * n + len(PROBLEM_NUMBERS)


def round_size(n: int) -> int:
    """Numbers that a round leaves."""
    return len(ROUND_VECTORS) * n + 1


@dataclass(frozen=True, slots=True)
class CycleOptions:
    """The options that the traces of a cycle depend on, beside the robot."""

    path: str = "virtual-work"
    follow: str = "velocity"
    policy: str = "consistent"
    wrench: bool = False
    payload: bool = False


class CycleSymbols(MotorSymbols):
    """The inputs that the functions of a cycle share: those of the motors, and its own."""

    def __init__(self, robot: Robot, options: CycleOptions, bodies: PayloadParameters):
        super().__init__(
            robot, bodies, path=options.path, wrench=options.wrench, payload=options.payload
        )
        sx, n = casadi().SX.sym, robot.n
        self.options = options
        self.given = sx("given", len(GIVEN_VECTORS) * n)
        self.row = sx("row", calm_size(n))
        self.source = sx("source", calm_size(n))
        self.part, self.later = (sx(name, part_size(n)) for name in ("part", "later"))
        self.problem = sx("problem", problem_size(n))
        self.turn = sx("turn", round_size(n))
        self.single = sx("single", 1)
        self.g = named_parts(self.given, GIVEN_VECTORS, n)
        self.r = named_parts(self.row, CYCLE_VECTORS, n)
        self.w = named_parts(self.source, CYCLE_VECTORS, n)
        self.c, self.e = (
            named_parts(part, PART_VECTORS, n) | _numbers(part, PART_NUMBERS)
            for part in (self.part, self.later)
        )
        self.b = named_parts(self.problem, PROBLEM_VECTORS, n)
        self.b |= _numbers(self.problem, PROBLEM_NUMBERS)
        self.t = named_parts(self.turn, ROUND_VECTORS, n)


def _numbers(vector: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The numbers at the end of a vector, by name."""
    return {name: vector[vector.numel() - len(names) + k] for k, name in enumerate(names)}


def function(name: str, inputs: list[Any], result: list[Any]) -> Any:
    """A CasADi function with one result, common parts computed once."""
    ca = casadi()
    return ca.Function(name, inputs, [ca.cse(ca.densify(ca.vertcat(*result)))])
