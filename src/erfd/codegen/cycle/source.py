"""The source of the generated cycle: its traces as statements, and the robot's numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import __version__
from ...achieve.achiever import Achiever
from ...achieve.cycle import CycleTraces
from ...achieve.cycle import traces as cycle_traces
from ...achieve.symbols import (
    CYCLE_VECTORS,
    GIVEN_VECTORS,
    NOTE_VECTORS,
    SATURATED_VECTORS,
    CycleOptions,
    calm_size,
    part_size,
    problem_size,
    round_size,
)
from ...drives.parameters import PARAMETERS
from ...errors import InputError
from ...kernels.count import ADDITIONS, MULTIPLICATIONS, op_names
from ...kernels.kernel import MOST_INSTRUCTIONS
from ...kernels.payload_parameters import PayloadParameters
from ...kernels.trace import casadi
from ...robot.model import Robot
from ..source import ARITHMETIC, TERM, CodeLine, generated, label, read_casadi

CHOICES = (
    (rf"(a\d+)=\(({TERM})\?({TERM}):0\);", r"\2 ? \3 : 0.0"),
    (r"(a\d+)=\(!(a\d+)\);", r"!\2"),
    (rf"(a\d+)=\(({TERM})(<=?|[!=]=|&&|\|\|)({TERM})\);", r"\2 \3 \4"),
    (rf"(a\d+)=casadi_fabs\(({TERM})\);", r"fabs(\2)"),
    # as in the kernels: what is no number stays none, which fmin and fmax would hide
    (rf"(a\d+)=casadi_fmin\(({TERM}),({TERM})\);", r"\2 < \3 ? \2 : \3"),
    (rf"(a\d+)=casadi_fmax\(({TERM}),({TERM})\);", r"\2 > \3 ? \2 : \3"),
    (r"(a\d+)=casadi_sign\((a\d+)\);", r"\2 > 0.0 ? 1.0 : \2 < 0.0 ? -1.0 : \2"),
    (rf"(a\d+)=((?:copysign|sqrt)\({TERM}(?:,{TERM})?\));", r"\2"),
)
"""The forms of statements that the cycle has beside arithmetic: C99, for which a double is true
unless it is zero."""
PIECES = {
    "body": "What the payload makes of the arm's base parameters",
    "cycle": "Steps 1 to 5, and 7 and 8 if no motor has too little",
    "note": "Torque limits, and which limit bent the wanted motion",
    "open": "A cycle in which a motor has too little, in one piece",
    "setup": "The saturation problem of step 6 for a part of the cycle",
    "start": "Motors that have too little are at their limits to start with",
    "round": "One round: accelerations in these modes, then which motors change theirs",
    "advance": "Steps 7 and 8 for a part of the cycle, or shorter parts",
    "stop": "Joints beyond their stops come to rest there",
    "judge": "A part that has gained energy is tried again, in a shorter one",
    "close": "The cycle as a whole",
}
"""The traces, and what each of them computes."""
ARGUMENTS = {
    "body": ("payload",),
    "cycle": ("state", "given", "wrench", "body", "fixed"),
    "note": ("state", "given", "fixed"),
    "open": ("state", "fixed", "row"),
    "setup": ("state", "body", "fixed", "row", "source", "part"),
    "start": ("problem", "fixed", "row"),
    "round": ("problem", "fixed", "turn", "single"),
    "advance": ("state", "given", "fixed", "part", "problem", "turn"),
    "stop": ("fixed", "part", "problem"),
    "judge": ("state", "wrench", "body", "fixed", "part", "later", "problem", "turn"),
    "close": ("state", "fixed", "row", "part"),
}
"""The inputs of each trace, in order."""
FIELDS = {
    "load_friction": "load_friction",
    "coulomb": "coulomb",
    "viscous": "viscous",
    "inertia": "inertia",
    "torque_max": "torque_max",
    "speed_max": "speed_max",
    "velocity_max": "fastest",
    "position_min": "low",
    "position_max": "high",
    "braking": "braking",
}
"""The parameters under the names that a robot file gives them, and those of `drives.parameters`."""


@dataclass(frozen=True, slots=True)
class TraceCode:
    """One trace as C: `lines` read the (name, size) of `arguments` and write `size` numbers."""

    key: str
    arguments: tuple[tuple[str, int], ...]
    size: int
    lines: tuple[CodeLine, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StepSource:
    """The source of the files of one robot's cycle.

    `name` is the function's, `prefix` that of its types; `values` are the robot's parameters by the
    names of `FIELDS`, arrays (n,); `sizes` are those of the arrays of the C text.
    """

    name: str
    prefix: str
    title: str
    cost: str
    robot: Robot
    dt: float
    options: CycleOptions
    values: dict[str, Any]
    pieces: tuple[TraceCode, ...]
    sizes: dict[str, int]

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.robot.n


def array_sizes(n: int, places: int) -> dict[str, int]:
    """The size of each array of the C text."""
    return {
        "state": 2 * n,
        "given": len(GIVEN_VECTORS) * n,
        "wrench": 6,
        "payload": 10,
        "body": max(places, 1),
        "fixed": len(PARAMETERS) * n + 2,
        "row": calm_size(n),
        "source": calm_size(n),
        "whole": (len(CYCLE_VECTORS) + len(SATURATED_VECTORS)) * n + 1,
        "notes": len(NOTE_VECTORS) * n,
        "part": part_size(n),
        "later": part_size(n),
        "problem": problem_size(n),
        "turn": round_size(n),
        "single": 1,
    }


def step_source(achiever: Achiever, options: CycleOptions, name: str) -> StepSource:
    """Trace a cycle, read CasADi's C of it, and gather the rest."""
    robot = achiever.robot
    traced, bodies = cycle_traces(robot, options), PayloadParameters.of(robot)
    functions = _functions(traced, bodies, options)
    size = sum(f.n_instructions() for f in functions.values())
    if size > MOST_INSTRUCTIONS:
        excess = f"{size} instructions, expected up to {MOST_INSTRUCTIONS}"
        raise InputError(f"achievable_step of robot {robot.name!r} has {excess}")
    sizes = array_sizes(robot.n, len(bodies.places))
    pieces = [
        TraceCode(
            key,
            tuple((argument, sizes[argument]) for argument in ARGUMENTS[key]),
            function.numel_out(0),
            read_casadi(generated(function), (*ARITHMETIC, *CHOICES)),
        )
        for key, function in functions.items()
    ]
    title = f"achievable_step of robot {label(robot)}: one cycle of Algorithm 1"
    fields = [f for f in FIELDS if f != "braking" or options.follow == "position"]
    return StepSource(
        name,
        prefix_of(name),
        f"{title}, generated by erfd {__version__}",
        _cost(functions),
        robot,
        achiever.dt,
        options,
        {field: achiever.values[FIELDS[field]] for field in fields},
        tuple(pieces),
        sizes,
    )


def prefix_of(name: str) -> str:
    """The prefix of the names of the C types."""
    return name.removesuffix("_achievable_step")


def _functions(
    traced: CycleTraces, bodies: PayloadParameters, options: CycleOptions
) -> dict[str, Any]:
    """The traces that these options need, in the order of `PIECES`."""
    keys = ["cycle", "note"]
    if options.policy == "consistent":
        keys += ["open", "setup", "start", "round", "advance", "stop", "judge", "close"]
    functions = {key: getattr(traced, key) for key in keys}
    return {"body": _body_function(bodies)} | functions if options.payload else functions


def _body_function(bodies: PayloadParameters) -> Any:
    """Trace the base parameters that a payload changes, from its ten numbers."""
    ca = casadi()
    ten = ca.SX.sym("ten", 10)
    link_values = np.array(bodies.unloaded)[list(bodies.places)]
    changed = ca.DM(link_values) + ca.mtimes(ca.DM(np.array(bodies.gain).reshape(-1, 10)), ten)
    return ca.Function("body", [ten], [ca.densify(changed)])


def _cost(functions: dict[str, Any]) -> str:
    """The operations of a cycle in words."""
    texts = []
    for keys, what in (
        (("body", "cycle", "note"), "A cycle takes"),
        (("open", "setup", "start", "advance", "close"), "with a motor at its limit"),
        (("round",), "and in each round"),
        (("judge",), "and where energy is looked at"),
    ):
        total = sum((_operations(functions[key]) for key in keys if key in functions), Counter())
        if not total:
            continue
        more = "" if what == "A cycle takes" else "another "
        turns = f", {total['turn']} sines and cosines" if total["turn"] else ""
        texts.append(
            f"{what} {more}{total['product']} multiplications, {total['sum']} additions{turns}"
            f" and {total['other']} comparisons and choices"
        )
    return "; ".join(texts)


def _operations(function: Any) -> Counter[str]:
    """Count products, sums, sines and cosines, and what else is computed."""
    kinds = dict.fromkeys(MULTIPLICATIONS, "product") | dict.fromkeys(ADDITIONS, "sum")
    kinds |= {"OP_SIN": "turn", "OP_COS": "turn"}
    kinds |= dict.fromkeys(("OP_NEG", "OP_INPUT", "OP_OUTPUT", "OP_CONST", "OP_ASSIGN"), "free")
    names = op_names()
    ids = (function.instruction_id(k) for k in range(function.n_instructions()))
    return Counter(kinds.get(names[k], "other") for k in ids)
