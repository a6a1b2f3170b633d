"""The loop of Algorithm 1 as LLVM assembly around the functions of `cycle`.

    i64 run_cycles(state, given, step, wrench, step, body, step, fixed, work, rows, step, tally,
                   noted, cycles)

returns the cycles done: it ends early if an angle leaves the range of the kernels' sine or is no
number. The saturation problem is entered only when some lane needs it. Where lanes are variants of
one motion, `tally` keeps the largest torque and lag of every lane and how long its motors were
saturated.

For one robot the lanes are consecutive cycles: as long as nothing is bent or saturates, the states
ahead are known, so `stretch` computes as many cycles at once as there are lanes. If one of them
turns out otherwise, nothing of it is kept and the cycles go one by one.
"""

from __future__ import annotations

from ..kernels.llvm.sincos import LARGEST
from ..kernels.llvm.writer import Writer
from ..kernels.row_function import gather, load_lanes, scatter, store_lanes
from .cycle import (
    ALL_AT_ONCE,
    CYCLE_VECTORS,
    PROBLEM_VECTORS,
    ROUND_VECTORS,
    ROUNDS,
    SATURATED_VECTORS,
    row_size,
)

STEPS = ("given", "wrench", "body", "rows")
TALLY = ("peak", "lag", "saturated")


class LoopLayout:
    """The layout of the memory of the loop, in doubles per lane."""

    def __init__(self, n: int, wrench: int, bodies: int):
        self.n, self.wrench, self.bodies = n, wrench, bodies
        self.row = row_size(n)
        self.need = len(CYCLE_VECTORS) * n
        self.note = (len(CYCLE_VECTORS) + len(SATURATED_VECTORS)) * n + 1
        self.problem, self.turn = len(PROBLEM_VECTORS) * n + n * n, len(ROUND_VECTORS) * n + 1
        self.work = self.problem + self.turn
        self.lanes = 4 * n + wrench + bodies + self.row  # of `stretch`

    def work_size(self, width: int, lanes: int) -> int:
        """Doubles of working memory for `width` variants and a stretch of `lanes` cycles."""
        return self.work * width + self.lanes * lanes


def loop_text(layout: LoopLayout, width: int, stretch: int, policy: str) -> str:
    """The function `run_cycles` for `width` variants; tries `stretch` cycles at once (0: never)."""
    w = Writer(width, True)
    size, n = 8 * width, layout.n
    w.put(f"%turn = getelementptr i8, ptr %work, i64 {layout.problem * size}")
    w.put(f"%lanes = getelementptr i8, ptr %work, i64 {layout.work * size}")
    w.put("%single = alloca double, align 8")
    w.put("%noting = icmp ne i64 %noted, 0")
    w.put("br label %test")
    w.label("test")
    before = ["[ 0, %entry ]", "[ %k2, %next ]"] + (["[ %kw, %gained ]"] if stretch else [])
    w.put(f"%k = phi i64 {', '.join(before)}")
    if stretch:
        w.put("%wary = phi i64 [ 0, %entry ], [ %less, %next ], [ 0, %gained ]")
    w.put("%more = icmp slt i64 %k, %cycles")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    for name in STEPS:
        w.put(f"%far_{name} = mul i64 %k, %{name}_step")
        w.put(f"%now_{name} = getelementptr i8, ptr %{name}, i64 %far_{name}")
    if stretch:
        _try_stretch(w, stretch)
    else:
        w.put("br label %one")
    w.label("one")
    if stretch:
        w.put("%wary_now = phi i64 [ %wary, %do ], [ %bold, %failed ]")
        w.put("%less = sub i64 %wary_now, 1")
    w.put("call void @cycle(ptr %state, ptr %now_given, ptr %now_wrench, ptr %now_body, "
          "ptr %fixed, ptr %now_rows)")  # fmt: skip
    if policy == "printed":
        w.put("br label %done")
    else:
        _any(w, "now_rows", layout.need, size, "need")
        w.put("br i1 %need, label %saturated, label %done")
        _saturation(w, layout, size)
    w.label("done")
    w.put("br i1 %noting, label %note_down, label %check")
    w.label("note_down")
    w.put(f"%notes = getelementptr i8, ptr %now_rows, i64 {layout.note * size}")
    w.put("call void @note(ptr %state, ptr %now_given, ptr %fixed, ptr %notes)")
    w.put("br label %check")
    w.label("check")
    if width > 1:
        w.put("call void @tally(ptr %now_rows, ptr %now_given, ptr %tallied, ptr %tallied)")
    w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr %state, ptr %now_rows, i64 {2 * n * size}, "
          "i1 false)")  # fmt: skip
    angles = [load_lanes(w, "%state", i) for i in range(n)]
    w.put(f"br i1 {_within(w, angles)}, label %next, label %end")
    w.label("next")
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("end")
    w.put("ret i64 %k")
    pairs = ", ".join(f"ptr %{name}, i64 %{name}_step" for name in STEPS[:-1])
    head = (f"define i64 @run_cycles(ptr %state, {pairs}, ptr %fixed, ptr %work, ptr %rows, "
            "i64 %rows_step, ptr %tallied, i64 %noted, i64 %cycles) #0 {")  # fmt: skip
    return "\n".join([head, "entry:", *w.lines, "}"])


def step_text() -> str:
    """The function `step(frame)`: `run_cycles` with its arguments in an array, for Python."""
    w = Writer(1, True)
    kinds = ["ptr", *(["ptr", "i64"] * 3), "ptr", "ptr", "ptr", "i64", "ptr", "i64", "i64"]
    values = []
    for k, kind in enumerate(kinds):
        pointer = w.value(f"getelementptr i64, ptr %frame, i64 {k}")
        values.append(f"{kind} " + w.value(f"load {kind}, ptr {pointer}, align 8"))
    w.put(f"%done = call i64 @run_cycles({', '.join(values)})")
    w.put("ret i64 %done")
    return "\n".join(["define i64 @step(ptr %frame) #0 {", "entry:", *w.lines, "}"])


def _try_stretch(w: Writer, stretch: int) -> None:
    """Try `stretch` cycles at once, unless the last try failed or too few are left."""
    w.put("%left = sub i64 %cycles, %k")
    w.put(f"%enough = icmp sge i64 %left, {stretch}")
    w.put("%calm_now = icmp sle i64 %wary, 0")
    w.put("%trying = and i1 %enough, %calm_now")
    w.put("br i1 %trying, label %try, label %one")
    w.label("try")
    pairs = ", ".join(f"ptr %now_{name}, i64 %{name}_step" for name in STEPS)
    w.put(f"%gone = call i1 @stretch(ptr %state, {pairs}, ptr %fixed, ptr %lanes, i1 %noting)")
    w.put("br i1 %gone, label %gained, label %failed")
    w.label("failed")
    w.put(f"%bold = add i64 0, {stretch}")
    w.put("br label %one")
    w.label("gained")
    w.put(f"%kw = add i64 %k, {stretch}")
    w.put("br label %test")


def _saturation(w: Writer, layout: LoopLayout, size: int) -> None:
    """The saturation problem: set-up, rounds until nothing changes, finish."""
    w.label("saturated")
    w.put("call void @setup(ptr %state, ptr %now_body, ptr %fixed, ptr %now_rows, ptr %work)")
    w.put("call void @start(ptr %now_rows, ptr %turn)")
    w.put("br label %again")
    w.label("again")
    w.put("%r = phi i64 [ 0, %saturated ], [ %r2, %again ]")
    w.put(f"%late = icmp sge i64 %r, {ALL_AT_ONCE}")
    w.put("%alone = uitofp i1 %late to double")
    w.put("store double %alone, ptr %single, align 8")
    w.put("call void @round(ptr %work, ptr %fixed, ptr %turn, ptr %single, ptr %turn)")
    w.put("%r2 = add i64 %r, 1")
    _any(w, "turn", layout.turn - 1, size, "changed")
    w.put(f"%few = icmp slt i64 %r2, {ROUNDS}")
    w.put("%on = and i1 %changed, %few")
    w.put("br i1 %on, label %again, label %finish_up")
    w.label("finish_up")
    w.put("call void @finish(ptr %state, ptr %fixed, ptr %now_rows, ptr %work, ptr %turn, "
          "ptr %now_rows)")  # fmt: skip
    if w.width > 1:
        w.put("call void @tally_saturated(ptr %now_rows, ptr %tallied, ptr %tallied)")
    w.put("br label %done")


def stretch_text(layout: LoopLayout, lanes: int, fused: bool) -> str:
    """The function `stretch`: `lanes` cycles of one robot at once.

    It returns false, and has changed nothing, if one of them is not calm.
    """
    w, n = Writer(lanes, fused), layout.n
    size = 8 * lanes
    names, place = {}, 0
    counts = {"state": 2 * n, "given": 2 * n, "wrench": layout.wrench, "body": layout.bodies}
    counts["row"] = layout.row
    for name, count in counts.items():
        names[name] = f"%l_{name}"
        w.put(f"%l_{name} = getelementptr i8, ptr %lanes, i64 {place * size}")
        place += count
    starts = {name: _starts(w, name, lanes) for name in STEPS}
    columns = {name: gather(w, starts[name], counts[name]) for name in STEPS[:-1]}
    for name, vectors in columns.items():
        for e, vector in enumerate(vectors):
            store_lanes(w, names[name], e, vector)
    qd_given = columns["given"][n:]
    dt = w.name("dt")
    w.put(f"%p_dt = getelementptr double, ptr %fixed, i64 {_DT * n}")
    w.put(f"{dt} = load double, ptr %p_dt, align 8")
    for i in range(n):
        q, qd = _stretch_states(w, i, n, qd_given[i], dt)
        store_lanes(w, names["state"], i, q)
        store_lanes(w, names["state"], n + i, qd)
    w.put("call void @cycles(ptr %l_state, ptr %l_given, ptr %l_wrench, ptr %l_body, ptr %fixed, "
          "ptr %l_row)")  # fmt: skip
    good = w.compare("ole", load_lanes(w, "%l_row", layout.need), w.constant(0.0))
    for i in range(n):
        same = w.compare("oeq", load_lanes(w, "%l_row", n + i), qd_given[i])
        near = w.compare("ole", w.size(load_lanes(w, "%l_row", i)), w.constant(LARGEST))
        good = w.both(good, w.both(same, near))
    w.put(f"br i1 {w.every(good)}, label %keep, label %leave")
    w.label("leave")
    w.put("ret i1 false")
    w.label("keep")
    scatter(w, starts["rows"], 0, [load_lanes(w, "%l_row", e) for e in range(layout.need + 1)])
    for e in range(2 * n):
        last = w.value(f"extractelement {w.type} {load_lanes(w, '%l_row', e)}, i32 {lanes - 1}")
        pointer = w.value(f"getelementptr double, ptr %state, i64 {e}")
        w.put(f"store double {last}, ptr {pointer}, align 8")
    w.put("br i1 %noting, label %note_down, label %end")
    w.label("note_down")
    w.put(f"%notes = getelementptr i8, ptr %l_row, i64 {layout.note * size}")
    w.put("call void @notes(ptr %l_state, ptr %l_given, ptr %fixed, ptr %notes)")
    notes = [load_lanes(w, "%l_row", layout.note + e) for e in range(2 * n)]
    scatter(w, starts["rows"], layout.note, notes)
    w.put("br label %end")
    w.label("end")
    w.put("ret i1 true")
    pairs = ", ".join(f"ptr %{name}, i64 %{name}_step" for name in STEPS)
    head = (f"define internal i1 @stretch(ptr %state, {pairs}, ptr %fixed, ptr %lanes, i1 %noting) "
            "noinline #0 {")  # fmt: skip
    return "\n".join([head, "entry:", *w.lines, "}"])


_DT = 10
"""dt stands behind this many vectors of parameters."""


def _stretch_states(w: Writer, i: int, n: int, qd_given: str, dt: str) -> tuple[str, str]:
    """Position and velocity of joint i at the start of each cycle, if all goes as asked.

    The sums are those of `cycle`, so that they agree to the last bit.
    """
    scalar = Writer(1, w.fused)
    scalar.lines, scalar.count = w.lines, w.count
    p_q = scalar.value(f"getelementptr double, ptr %state, i64 {i}")
    p_qd = scalar.value(f"getelementptr double, ptr %state, i64 {n + i}")
    q, qd = (scalar.value(f"load double, ptr {p}, align 8") for p in (p_q, p_qd))
    positions, rates = "poison", "poison"
    for j in range(w.width):
        positions = scalar.value(f"insertelement {w.type} {positions}, double {q}, i32 {j}")
        rates = scalar.value(f"insertelement {w.type} {rates}, double {qd}, i32 {j}")
        qd = scalar.value(f"extractelement {w.type} {qd_given}, i32 {j}")
        q = scalar.fma(qd, dt, q) if w.fused else scalar.add(q, scalar.mul(qd, dt))
    w.count = scalar.count
    return positions, rates


def _starts(w: Writer, name: str, lanes: int) -> list[str]:
    """The addresses of the data of each of the cycles."""
    result = []
    for j in range(lanes):
        far = w.value(f"mul i64 %{name}_step, {j}")
        result.append(w.value(f"getelementptr i8, ptr %{name}, i64 {far}"))
    return result


def _within(w: Writer, angles: list[str]) -> str:
    """Whether all angles are within the range of the compiled sine."""
    good = ""
    for angle in angles:
        within = w.compare("ole", w.size(angle), w.constant(LARGEST))
        good = w.both(good, within) if good else within
    return w.every(good)


def _any(w: Writer, array: str, element: int, size: int, name: str) -> None:
    """%name: whether the element is above zero in some lane, or no number."""
    pointer = w.value(f"getelementptr i8, ptr %{array}, i64 {element * size}")
    value = w.value(f"load {w.type}, ptr {pointer}, align 8")
    above = w.compare("ugt", value, w.constant(0.0))
    if w.width == 1:
        w.put(f"%{name} = or i1 {above}, false")
        return
    packed = w.value(f"bitcast {w.truth} {above} to i{w.width}")
    w.put(f"%{name} = icmp ne i{w.width} {packed}, 0")
