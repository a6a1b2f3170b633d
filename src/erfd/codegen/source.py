"""The source of the generated files: CasADi's statements behind plain arguments.

CasADi's C generator writes the arithmetic of a trace. Here its statements are read, one by one, and
put behind plain arguments; what CasADi wraps around them (work vectors, sparsities) stays out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import __version__
from ..errors import InputError
from ..kernels.count import count_instructions
from ..kernels.kernel import MOST_INSTRUCTIONS
from ..kernels.quantities import HAS_METHODS, QUANTITIES
from ..kernels.trace import MOST_JOINTS_OF, casadi, quantity_trace
from ..robot.model import Robot

UNITS = {"q": ("rad", "m"), "qd": ("rad/s", "m/s"), "qdd": ("rad/s2", "m/s2"), "u": ("N m", "N")}
"""Of joint vectors: where the joint is revolute, where it is prismatic."""
ARGUMENTS = {
    "q": "joint positions",
    "qd": "joint velocities",
    "qdd": "joint accelerations",
    "u": "joint torques",
    "wrench": "force (N), then moment (N m), that the end effector exerts on the environment"
    " at the tool point, in base coordinates",
}
RESULTS: dict[str, dict[str, str]] = {
    "inverse_dynamics": {"u": "joint torques H q'' + C q' + g (+ J^T wrench)"},
    "forward_dynamics": {"qdd": "joint accelerations under the torques u"},
    "mass_matrix": {"h": "mass matrix H, symmetric, in kg m2 (kg m, kg)"},
    "bias": {"u": "joint torques at zero acceleration, C q' + g (+ J^T wrench)"},
    "coriolis_matrix": {"c": "matrix C of C q', dH/dt - 2 C is skew, in kg m2/s (kg m/s, kg/s)"},
    "joint_reactions": {
        "force": "force on link i by link i-1 in frame i-1, in N",
        "moment": "moment on it about the origin of frame i-1, in N m",
    },
    "link_frames": {"frames": "frames 0 to n in the base frame, homogeneous, lengths in m"},
    "forward_kinematics": {"pose": "tool frame in the base frame, homogeneous, lengths in m"},
    "jacobian": {"jacobian": "of the tool point in base coordinates, linear rows first"},
    "energy": {"kinetic": "kinetic energy in J", "potential": "potential energy in J"},
}


@dataclass(frozen=True, slots=True)
class Port:
    """An argument or a result: its name, its shape and what it means."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """The number of numbers in it."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One statement of the arithmetic.

    `target` is a local variable, or which number of the result; `value` is an expression of locals
    and constants, or (argument, element).
    """

    target: str | int
    value: str | tuple[int, int]


@dataclass(frozen=True, slots=True)
class QuantitySource:
    """The source of the files of a quantity: names, ports, statements."""

    name: str
    title: str
    cost: str
    arguments: tuple[Port, ...]
    results: tuple[Port, ...]
    lines: tuple[CodeLine, ...]

    def places(self) -> list[tuple[Port, int]]:
        """The (result, element) of every number of the result, in order."""
        return [(port, i) for port in self.results for i in range(port.size)]

    def reads(self) -> list[tuple[int, int]]:
        """The (argument, element) of everything that is read."""
        return sorted({line.value for line in self.lines if isinstance(line.value, tuple)})

    def locals(self) -> list[str]:
        """The local variables."""
        return list(dict.fromkeys(x.target for x in self.lines if isinstance(x.target, str)))


def source_of(
    robot: Robot, quantity: str, method: str, *, wrench: bool, name: str
) -> QuantitySource:
    """Trace a quantity, read CasADi's C of it, and gather what the comments say."""
    n, chosen = robot.n, QUANTITIES[quantity]
    x = "u" if quantity == "forward_dynamics" else "qdd"
    names = ["q", *(x if key == "x" else key for key in chosen.arguments)]
    if n > MOST_JOINTS_OF.get(method, n):  # it would take minutes, to be refused below
        size = f"{n} joints, expected up to {MOST_JOINTS_OF[method]} by method {method}"
        raise InputError(f"robot {robot.name!r} has {size}: choose another method")
    trace = quantity_trace(robot, quantity, method, wrench)
    by_method = f" by method {method}" if quantity in HAS_METHODS else ""
    if trace.n_instructions() > MOST_INSTRUCTIONS:
        size = f"{trace.n_instructions()} instructions, expected up to {MOST_INSTRUCTIONS}"
        hint = ": choose another method" if by_method else ""
        raise InputError(f"{quantity} of robot {robot.name!r}{by_method} has {size}{hint}")
    arguments = [Port(key, (n,), f"{ARGUMENTS[key]}, {unit(robot, key)}") for key in names]
    if wrench:
        arguments.append(Port("wrench", (6,), ARGUMENTS["wrench"]))
    results = [
        Port(key, shape, f"{text}, {unit(robot, key)}" if key in UNITS else text)
        for (key, text), shape in zip(RESULTS[quantity].items(), chosen.outputs(n), strict=True)
    ]
    lines = read_casadi(generated(_of_angles(trace, n, len(names), wrench)))
    products, sums = count_instructions(trace)
    turns = sum(str(line.value).startswith(("sin", "cos")) for line in lines)
    cost = f"{products} multiplications, {sums} additions, {turns} sines and cosines"
    title = f"{quantity} of robot {label(robot)}{by_method}"
    title += f", generated by erfd {__version__}"
    return QuantitySource(name, title, cost, tuple(arguments), tuple(results), lines)


def label(robot: Robot) -> str:
    """The robot's name, which must not end a comment or a string, and the kinds of its joints."""
    kinds = "".join("R" if joint.revolute else "P" for joint in robot.joints)
    return re.sub(r"[^\w .,:;()+-]", "_", robot.name) + f" (joints {kinds})"


def unit(robot: Robot, key: str) -> str:
    """The unit of a joint vector."""
    turning, sliding = UNITS[key]
    slides = [str(i) for i, joint in enumerate(robot.joints, 1) if not joint.revolute]
    if len(slides) in (0, robot.n):
        return sliding if slides else turning
    return f"{turning} ({sliding} at joint {', '.join(slides)})"


def _of_angles(trace: Any, n: int, vectors: int, wrench: bool) -> Any:
    """The trace as a function of q itself instead of its sines and cosines."""
    ca = casadi()
    free = [ca.SX.sym(f"v{k}", n) for k in range(vectors)]
    zero = ca.SX.zeros(n)
    q, qd, x = [*free, zero, zero][:3]
    load = ca.SX.sym("k", 6)
    inputs = {"c": ca.cos(q), "s": ca.sin(q), "q": q, "qd": qd, "x": x, "y": zero, "wrench": load}
    column = ca.densify(trace.call([inputs[key] for key in trace.name_in()])[0])
    return ca.Function("core", [*free, load] if wrench else free, [column])


def generated(function: Any) -> str:
    """The C text that CasADi generates of a function."""
    generator = casadi().CodeGenerator("core.c", {"casadi_int": "int"})
    generator.add(function)
    text: str = generator.dump()
    return text


TERM = r"(?:a\d+|-?\d+\.\d*(?:e[+-]\d+)?)"
FUNCTION = re.compile(r"static int casadi_f0\([^)]*\) \{\n(.*?)^  return 0;$", re.S | re.M)
LOCALS = re.compile(r"casadi_real a\d+(?:, a\d+)*;")
READ = re.compile(r"(a\d+)=arg\[(\d+)\]\? arg\[\2\]\[(\d+)\] : 0;")
WRITE = re.compile(r"if \(res\[0\]!=0\) res\[0\]\[(\d+)\]=(a\d+);")
ARITHMETIC = (
    (r"(a\d+)=casadi_sq\((a\d+)\);", r"\2 * \2"),
    (rf"(a\d+)=({TERM}|\(-a\d+\)|(?:sin|cos)\(a\d+\));", r"\2"),
    (rf"(a\d+)=\(({TERM})([-+*/])({TERM})\);", r"\2 \3 \4"),
)
"""The forms of statements that all quantities have, and how they are written down again."""


def read_casadi(text: str, forms: Sequence[tuple[str, str]] = ARITHMETIC) -> tuple[CodeLine, ...]:
    """Read the statements of a generated function; each must have one of these forms."""
    body = FUNCTION.search(text)
    if body is None:
        raise AssertionError("CasADi generated no function casadi_f0")
    compiled = [(re.compile(pattern), value) for pattern, value in forms]
    lines = []
    for row in map(str.strip, body[1].splitlines()):
        if match := READ.fullmatch(row):
            lines.append(CodeLine(match[1], (int(match[2]), int(match[3]))))
        elif match := WRITE.fullmatch(row):
            lines.append(CodeLine(int(match[1]), match[2]))
        elif not LOCALS.fullmatch(row):
            lines.append(_arithmetic_line(row, compiled))
    return tuple(lines)


def _arithmetic_line(row: str, forms: Sequence[tuple[re.Pattern[str], str]]) -> CodeLine:
    """Read one statement that neither reads an argument nor writes a result."""
    for pattern, value in forms:
        if match := pattern.fullmatch(row):
            return CodeLine(match[1], match.expand(value))
    raise AssertionError(f"CasADi generated a statement of an unknown form: {row}")
