"""The loop of Algorithm 1 in machine code: cycle after cycle, as many variants as there are lanes.

    scan(state, given, step, parameters, work, rows, row step, cycles) -> cycles done

calls the traces of `cycle` through memory; the box problem is entered only when some lane needs it.
The loop ends early, and says after how many cycles, if an angle leaves the range of the kernels'
sine or is no number.
"""

from __future__ import annotations

import ctypes
import hashlib

import numpy as np
from numpy.typing import NDArray

from ..kernels import cache
from ..kernels.compiler import compile_object, host, load_object
from ..kernels.kernel import content_of, sources_version
from ..kernels.sincos import LARGEST
from ..kernels.straight import straight_text
from ..kernels.trace import casadi
from ..kernels.writer import Writer
from ..robot.model import Robot
from .cycle import FIRST, PARAMETERS, ROUND, ROW, CycleTraces, traces
from .saturation import ALL_AT_ONCE, ROUNDS

Array = NDArray[np.float64]


class Loop:
    """The compiled loop of one robot; `width` lanes are variants of one motion."""

    def __init__(self, robot: Robot, K: Array, path: str, follow: str, wrench: bool, width: int):
        self.n, self.width = robot.n, width
        key = _key(robot, path, follow, wrench, width)
        known = cache.read(key)
        if known is None:
            made = traces(robot, K, path, follow, wrench)
            code = compile_object(_module(made, robot.n, width, host().fused))
            label = {"robot": robot.name, "n": robot.n, "quantity": f"achievable x{width}"}
            cache.write(key, label | {"method": "consistent"}, code)
        else:
            code = known[1]
        engine = load_object(code)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        form = ctypes.CFUNCTYPE(number, *([pointer] * 2), number, *([pointer] * 3), number, number)
        self.scan = form(engine.get_function_address("scan"))

    def run(self, state: Array, given: Array, parameters: Array, *, last: bool = False) -> Array:
        """Rows (cycles, 9 n, width) of all cycles, or only the last one's.

        `state` (2 n, width), `given` (cycles, 2 n + 6), `parameters` (10 n + 2, width).
        """
        n, lanes = self.n, self.width
        cycles = len(given)
        rows = np.zeros((1 if last else cycles, len(ROW) * n, lanes))
        now, given = np.array(state, order="C"), np.ascontiguousarray(given)
        work = np.zeros((len(FIRST) * n + 1 + n * n + n + len(ROUND) * n + 1) * lanes)
        fixed = np.ascontiguousarray(parameters)
        step = 0 if last else rows.strides[0]
        done = self.scan(
            now.ctypes.data, given.ctypes.data, given.strides[0], fixed.ctypes.data,
            work.ctypes.data, rows.ctypes.data, step, cycles,
        )  # fmt: skip
        return rows if last and done == cycles else rows[:done]


def _key(robot: Robot, path: str, follow: str, wrench: bool, width: int) -> str:
    version = sources_version("dynamics", "kernels", "simulation")
    parts = (content_of(robot), robot.drives, path, follow, wrench, width, version, host())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _module(made: CycleTraces, n: int, width: int, fused: bool) -> str:
    ca = casadi()
    first = ca.SX.sym("first", len(FIRST) * n + 1)
    load = first[FIRST.index("load") * n :][:n]
    sign, none = ca.if_else(load < 0, -1, 1), ca.SX.zeros(n)
    start = ca.Function("start", [first], [ca.densify(ca.vertcat(none, none, none, none, sign, 0))])
    functions = (
        ("cycle", made.cycle, (1,)),
        ("setup", made.setup, ()),
        ("start", start, ()),
        ("round", made.round, (5,)),
        ("finish", made.finish, ()),
        ("calm", made.calm, ()),
    )
    texts = [straight_text(name, f, width, fused, shared) for name, f, shared in functions]
    w = Writer(width, fused)
    t = w.type
    declarations = [
        f"declare {t} @llvm.fma.{w.suffix}({t}, {t}, {t})",
        f"declare {t} @llvm.fabs.{w.suffix}({t})",
        f"declare {t} @llvm.sqrt.{w.suffix}({t})",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ]
    bits = 64 * width
    attributes = (f'attributes #0 = {{ nounwind "min-legal-vector-width"="{bits}" '
                  f'"prefer-vector-width"="{bits}" }}')  # fmt: skip
    return "\n\n".join(["\n".join(declarations), *texts, _scan(n, width), attributes]) + "\n"


def _scan(n: int, width: int) -> str:
    """The loop; all arrays of work lie one behind the other."""
    w = Writer(width, True)
    size = 8 * width
    offsets, place = {}, 0
    counts = {"first": len(FIRST) * n + 1, "box": n * n + n, "turn": len(ROUND) * n + 1}
    for name, count in counts.items():
        offsets[name] = place
        place += count * size
    for name, offset in offsets.items():
        w.put(f"%{name} = getelementptr i8, ptr %work, i64 {offset}")
    w.put("%single = alloca double, align 8")
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ 0, %entry ], [ %k2, %next ]")
    w.put("%more = icmp slt i64 %k, %cycles")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    w.put("%far = mul i64 %k, %step")
    w.put("%asked = getelementptr i8, ptr %given, i64 %far")
    w.put("%down = mul i64 %k, %rowstep")
    w.put("%row = getelementptr i8, ptr %rows, i64 %down")
    w.put("call void @cycle(ptr %state, ptr %asked, ptr %fixed, ptr %first)")
    _any(w, "first", counts["first"] - 1, size, "need")
    w.put("br i1 %need, label %box_in, label %calm_down")
    w.label("calm_down")
    w.put("call void @calm(ptr %state, ptr %fixed, ptr %first, ptr %row)")
    w.put("br label %check")
    w.label("box_in")
    w.put("call void @setup(ptr %state, ptr %first, ptr %box)")
    w.put("call void @start(ptr %first, ptr %turn)")
    w.put("br label %again")
    w.label("again")
    w.put("%r = phi i64 [ 0, %box_in ], [ %r2, %again ]")
    w.put(f"%late = icmp sge i64 %r, {ALL_AT_ONCE}")
    w.put("%one = uitofp i1 %late to double")
    w.put("store double %one, ptr %single, align 8")
    w.put("call void @round(ptr %first, ptr %box, ptr %fixed, ptr %state, ptr %turn, ptr %single, "
          "ptr %turn)")  # fmt: skip
    w.put("%r2 = add i64 %r, 1")
    _any(w, "turn", counts["turn"] - 1, size, "changed")
    w.put(f"%few = icmp slt i64 %r2, {ROUNDS}")
    w.put("%on = and i1 %changed, %few")
    w.put("br i1 %on, label %again, label %finish_up")
    w.label("finish_up")
    w.put("call void @finish(ptr %state, ptr %fixed, ptr %first, ptr %turn, ptr %row)")
    w.put("br label %check")
    w.label("check")
    w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr %state, ptr %row, i64 {2 * n * size}, i1 false)")
    good = ""
    for i in range(n):
        pointer = w.value(f"getelementptr i8, ptr %state, i64 {i * size}")
        angle = w.value(f"load {w.type}, ptr {pointer}, align 8")
        within = w.compare("ole", w.size(angle), w.constant(LARGEST))
        good = w.both(good, within) if good else within
    fine = w.every(good)
    w.put(f"br i1 {fine}, label %next, label %end_early")
    w.label("next")
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("end_early")
    w.put("ret i64 %k")
    w.label("end")
    w.put("ret i64 %k")
    head = ("define i64 @scan(ptr %state, ptr %given, i64 %step, ptr %fixed, ptr %work, "
            "ptr %rows, i64 %rowstep, i64 %cycles) #0 {")  # fmt: skip
    return "\n".join([head, "entry:", *w.lines, "}"])


def _any(w: Writer, array: str, element: int, size: int, name: str) -> None:
    """%name: whether the element is above zero in some lane."""
    pointer = w.value(f"getelementptr i8, ptr %{array}, i64 {element * size}")
    value = w.value(f"load {w.type}, ptr {pointer}, align 8")
    above = w.compare("ogt", value, w.constant(0.0))
    if w.width == 1:
        w.put(f"%{name} = or i1 {above}, false")
        return
    packed = w.value(f"bitcast {w.truth} {above} to i{w.width}")
    w.put(f"%{name} = icmp ne i{w.width} {packed}, 0")


def parameter_rows(values: dict[str, Array], dt: float, n: int, lanes: int) -> Array:
    """The parameters (10 n + 2, lanes) from arrays (n,) or (lanes, n) by name."""
    columns = [np.broadcast_to(values[name], (lanes, n)).T for name in PARAMETERS]
    return np.concatenate([*columns, np.full((1, lanes), dt), np.full((1, lanes), 1 / dt)])
