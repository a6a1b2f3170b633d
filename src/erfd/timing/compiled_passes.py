"""The two passes in machine code, where sets are single intervals; else `passes` does a cell."""

from __future__ import annotations

import ctypes
import math
from functools import cached_property
from typing import Any

import numpy as np

from ..drives.symbols import named_parts, torque_limit
from ..ground.arrays import Array
from ..kernels.cache_key import content_of, sources_version
from ..kernels.compiler import host
from ..kernels.llvm.function_text import function_text
from ..kernels.llvm.writer import module_text
from ..kernels.machine_code import Assembly, MachineCode, header_of
from ..kernels.trace import casadi, scalars
from ..robot.model import Drive, Robot
from .limit_lines import CELL, NODE, ROBOT, Given, limit_lines
from .pass_text import (
    KINDS,
    LANES,
    PassLayout,
    backward_text,
    choice_text,
    declarations,
    forward_text,
    narrow_text,
    steady_text,
    tried_text,
)
from .passes import PassProblem, Sets, controllable_at, step_up
from .span import BIG, FIELDS, Lines, plain, plain_span, span


class SymbolOperations:
    """What `span` and `limit_lines` need beside + - * /, over columns of CasADi symbols."""

    @staticmethod
    def least(a: Any, b: Any) -> Any:
        """The smaller of both."""
        return casadi().fmin(a, b)

    @staticmethod
    def most(a: Any, b: Any) -> Any:
        """The larger of both."""
        return casadi().fmax(a, b)

    @staticmethod
    def size(a: Any) -> Any:
        """|a|."""
        return casadi().fabs(a)

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        """A where the condition holds, else b."""
        return casadi().if_else(condition, a, b)

    @staticmethod
    def both(a: Any, b: Any) -> Any:
        """Truth values: a and b."""
        return casadi().logic_and(a, b)

    @staticmethod
    def one_of(a: Any, b: Any) -> Any:
        """Truth values: a or b."""
        return casadi().logic_or(a, b)

    @staticmethod
    def neither(a: Any, b: Any) -> Any:
        """Truth values: neither a nor b."""
        return casadi().logic_not(casadi().logic_or(a, b))

    @staticmethod
    def stack(parts: Any) -> Any:
        """Columns one below the other."""
        return casadi().vertcat(*parts)

    @staticmethod
    def lowest(rows: Any) -> Any:
        """The least of the rows."""
        first, *others = scalars(rows)
        for other in others:
            first = casadi().fmin(first, other)
        return first

    @staticmethod
    def highest(rows: Any) -> Any:
        """The largest of the rows."""
        first, *others = scalars(rows)
        for other in others:
            first = casadi().fmax(first, other)
        return first


class PassLoop:
    """The compiled passes of one robot, with or without limits of the joints' accelerations.

    They are compiled in a thread; the first solution waits for that.
    """

    def __init__(self, robot: Robot, accelerations: bool):
        self.robot, self.accelerations = robot, accelerations
        self.layout = PassLayout(robot.n, (4 if accelerations else 2) * robot.n)
        parts = ("timing", content_of(robot), robot.drives, accelerations)
        version = sources_version("drives", "timing")
        self._code = MachineCode((parts, version), self._assembly, background=True)

    @classmethod
    def of(cls, robot: Robot, accelerations: bool) -> PassLoop:
        """The passes of a robot, made once."""
        return robot.once((cls, accelerations), lambda: cls(robot, accelerations))

    def _assembly(self) -> Assembly:
        fused = host().fused
        texts = [function_text("lines", self._lines(), 1, fused)]
        for name, traced in (("span", self._span), ("ahead", self._ahead)):
            for kind in KINDS:
                function = traced(kind == "plain")
                texts += [
                    function_text(f"{name}{k}_{kind}", function, k, fused, (1, 2))
                    for k in (LANES, 1)
                ]
            texts += [choice_text(self.layout, f"{name}{k}") for k in (LANES, 1)]
        texts += [
            tried_text(self.layout, "try8", "span8"),
            tried_text(self.layout, "try_ahead", "ahead8"),
            narrow_text(self.layout, "narrow", "try8"),
            narrow_text(self.layout, "narrow_ahead", "try_ahead"),
            backward_text(self.layout), steady_text(self.layout), forward_text(self.layout),
        ]  # fmt: skip
        text = module_text(texts, 1, LANES, declared=declarations())
        return Assembly(header_of(self.robot, "timing", "passes"), text)

    def _lines(self) -> Any:
        """The traced lines of a cell: `FIELDS`, then what `PassLayout` calls plain and sway."""
        ca, n = casadi(), self.robot.n
        left, right = ca.SX.sym("left", len(NODE) * n), ca.SX.sym("right", len(NODE) * n)
        own, robot = ca.SX.sym("own", len(CELL) * n + 1), ca.SX.sym("robot", len(ROBOT) * n)
        ends = [Given(named_parts(x, NODE, n)) for x in (left, right)]
        lines = limit_lines(
            SymbolOperations,
            Given(named_parts(robot, ROBOT, n)),
            ends[0],
            ends[1],
            Given(named_parts(own, CELL, n)),
            own[len(CELL) * n],
            self.accelerations,
        )
        all_plain = SymbolOperations.lowest(plain(SymbolOperations, lines))
        result = ca.vertcat(
            *(getattr(lines, name) for name in FIELDS), all_plain, self._sway(lines)
        )
        return ca.Function("lines", [left, right, own, robot], [ca.cse(ca.densify(result))])

    def _sway(self, lines: Lines) -> Any:
        """By how much s'' changes with the speed at the end of a cell; `BIG` if not known."""
        ca, n = casadi(), self.robot.n
        if any(drive.curve or _electric(drive) for drive in self.robot.drives):
            return ca.SX(BIG)
        rows = slice(n, 2 * n)
        kinds = ((lines.v_plus, lines.per_plus), (lines.v_minus, lines.per_minus))
        return SymbolOperations.highest(ca.vertcat(*(ca.fabs(v[rows] * p[rows]) for v, p in kinds)))

    def _span(self, simple: bool) -> Any:
        """The traced `span` to an interval: x, (low, high, 1 / step), lines -> least, largest."""
        ca = casadi()
        x, interval, given = self._inputs("x", 3)
        low, high = ((interval[k] - x) * interval[2] for k in (0, 1))
        end = ca.fmin(ca.fmax(x, interval[0]), interval[1])
        result = self._traced_span(simple, given, (x, end), low, high)
        return ca.Function("span", [x, interval, given], [ca.cse(ca.densify(ca.vertcat(*result)))])

    def _ahead(self, simple: bool) -> Any:
        """`PassProblem.ahead`: y, (.., .., 1 / step, x), lines -> s'' to y, the largest allowed."""
        ca = casadi()
        y, interval, given = self._inputs("y", 4)
        x = interval[3]
        most = self._traced_span(simple, given, (x, y), -BIG, BIG)[1]
        result = ca.vertcat((y - x) * interval[2], most)
        return ca.Function("ahead", [y, interval, given], [ca.cse(ca.densify(result))])

    def _inputs(self, name: str, size: int) -> tuple[Any, Any, Any]:
        """The symbols that `span` and `ahead` are traced with."""
        ca = casadi()
        lines = ca.SX.sym("lines", len(FIELDS) * self.layout.rows)
        return ca.SX.sym(name), ca.SX.sym("interval", size), lines

    def _traced_span(
        self, simple: bool, given: Any, ends: tuple[Any, Any], low: Any, high: Any
    ) -> tuple[Any, Any]:
        """`span` of these symbols, or `plain_span`, with s'^2 at both ends of the cell."""
        ca, n, rows = casadi(), self.robot.n, self.layout.rows
        x, speeds = ends[0], [ca.sqrt(end) for end in ends]
        v = ca.vertcat(*[speeds[0]] * n, *[speeds[1]] * n, *[0.0] * (rows - 2 * n))
        fields = named_parts(given, FIELDS, rows)
        rubs = [drive.load_friction > 0 for drive in self.robot.drives]
        double = [r for r in range(2 * n) if rubs[r % n]]
        for kind in ("per", "x", "v", "c"):  # where there is no load friction both lines are one
            plus, minus = scalars(fields[f"{kind}_plus"]), scalars(fields[f"{kind}_minus"])
            both = [minus[r] if r in double else plus[r] for r in range(rows)]
            fields[f"{kind}_minus"] = ca.vertcat(*both)
        torque = np.minimum([drive.torque_max for drive in self.robot.drives], BIG)

        def limit(rate: Any) -> Any:
            ends = [
                torque_limit(self.robot, rate[e * n : (e + 1) * n], ca.DM(torque)) for e in (0, 1)
            ]
            return ca.vertcat(*ends, BIG * ca.SX.ones(rows - 2 * n))

        if not any(map(_electric, self.robot.drives)):
            fields["volt"] = None
        lines = Lines(**fields)
        if simple:
            return plain_span(SymbolOperations, lines, limit, x, v, low, high)
        return span(SymbolOperations, lines, limit, x, v, low, high, double)

    @cached_property
    def _functions(self) -> tuple[Any, Any]:
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        pairs = [pointer, number] * 3
        return (
            self._code.function("backward", number, *pairs, *([pointer] * 5), number),
            self._code.function("forward", number, *pairs, *([pointer] * 5), number, number),
        )

    def solve(self, problem: PassProblem, scan: int) -> tuple[list[Sets], Array, int]:
        """Both passes: the sets (all that are known), x at the nodes, the node that is reached."""
        sets = _Intervals(problem)
        code = self._functions
        k = problem.count - 1
        while k >= 0:
            if k + 1 not in sets.many:
                k = code[0](*sets.cells, *sets.addresses("robot", "cap", "low", "high", "work"), k)
            if k >= 0:
                found = controllable_at(problem, k, sets.at(k + 1), scan)
                if not found:
                    return [[] for _ in range(k + 1)], sets.x, k
                sets.put(k, found)
                k -= 1
        if not any(low <= problem.start <= high for low, high in sets.at(0)):
            return [sets.at(0)], sets.x, 0
        sets.x[0], k = problem.start, 0
        while k < problem.count:
            single = next((j - 1 for j in sorted(sets.many) if j > k), problem.count)
            if single > k:
                reached = code[1](
                    *sets.cells, *sets.addresses("robot", "low", "high", "x", "work"), k, single
                )
                if reached < single:
                    return [sets.at(0)], sets.x, reached
                k = single
            if k < problem.count:
                y = step_up(problem, k, float(sets.x[k]), sets.at(k + 1))
                if y is None:
                    return [sets.at(0)], sets.x, k
                sets.x[k + 1] = y
                k += 1
        return [sets.at(0)], sets.x, problem.count


def _electric(drive: Drive) -> bool:
    """Whether a voltage bounds what a drive can give."""
    return all(map(math.isfinite, (drive.resistance, drive.torque_constant, drive.voltage_max)))


class _Intervals:
    """The memory of a solution: intervals at the nodes, the sets that are several, and x."""

    def __init__(self, problem: PassProblem):
        count = problem.count
        vectors = problem.bounds.vectors()
        self.low, self.high, self.x = (np.full(count + 1, np.nan) for _ in range(3))
        self.low[count] = self.high[count] = problem.end
        self.many: dict[int, Sets] = {}
        self.robot = np.concatenate([vectors[name] for name in ROBOT])
        self.cap = np.ascontiguousarray(problem.cap)
        rows = (4 if problem.bounds.acceleration is not None else 2) * problem.bounds.robot.n
        self.work = np.zeros(PassLayout(problem.bounds.robot.n, rows).size)
        self._arrays = [problem.left, problem.right, np.ascontiguousarray(problem.own)]
        self.cells = [value for a in self._arrays for value in (a.ctypes.data, a.strides[0])]

    def addresses(self, *names: str) -> list[int]:
        """Where arrays are."""
        return [getattr(self, name).ctypes.data for name in names]

    def at(self, k: int) -> Sets:
        """The set at node k."""
        return self.many.get(k, [(float(self.low[k]), float(self.high[k]))])

    def put(self, k: int, found: Sets) -> None:
        """Keep the set of node k."""
        self.low[k], self.high[k] = found[0][0], found[-1][1]
        if len(found) > 1:
            self.many[k] = found
