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
from .symbols import (
    ALL_AT_ONCE,
    CYCLE_VECTORS,
    PART_NUMBERS,
    ROUNDS,
    SATURATED_VECTORS,
    calm_size,
    part_size,
    problem_size,
    round_size,
    row_size,
)

STEPS = ("given", "wrench", "body", "rows")
TALLY = ("peak", "lag", "saturated")
"""Vectors of a tally; behind them the cycle in which the lane ran away, below 0 if it did not."""


class LoopLayout:
    """The layout of the memory of the loop, in doubles per lane."""

    def __init__(self, n: int, wrench: int, bodies: int):
        self.n, self.wrench, self.bodies = n, wrench, bodies
        self.row = row_size(n)
        self.need = len(CYCLE_VECTORS) * n
        self.note = (len(CYCLE_VECTORS) + len(SATURATED_VECTORS)) * n + 1
        self.problem, self.turn, self.part = problem_size(n), round_size(n), part_size(n)
        self.calm = calm_size(n)
        self.work = self.problem + self.turn + 2 * self.part + self.calm
        self.lanes = 4 * n + wrench + bodies + self.row  # of `stretch`

    def work_size(self, width: int, lanes: int) -> int:
        """Doubles of working memory for `width` variants and a stretch of `lanes` cycles."""
        return self.work * width + self.lanes * lanes


def loop_text(layout: LoopLayout, width: int, stretch: int, policy: str) -> str:
    """The function `run_cycles` for `width` variants; tries `stretch` cycles at once (0: never)."""
    w, n = Writer(width, True), layout.n
    lanes = w.at("%work", layout.work * width)
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
        _try_stretch(w, stretch, lanes)
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
        w.put(f"br i1 {_above_zero(w, '%now_rows', layout.need)}, label %saturated, label %done")
        _saturation(w, layout)
    w.label("done")
    w.put("br i1 %noting, label %note_down, label %check")
    w.label("note_down")
    notes = w.at("%now_rows", layout.note * width)
    w.put(f"call void @note(ptr %state, ptr %now_given, ptr %fixed, ptr {notes})")
    w.put("br label %check")
    w.label("check")
    if width > 1:
        w.put("call void @tally(ptr %now_rows, ptr %now_given, ptr %tallied, ptr %tallied)")
    angles = [w.load_lanes("%now_rows", i) for i in range(n)]
    good = w.within(angles, LARGEST)
    w.put(f"br i1 {good}, label %keep, label %{'mend' if width > 1 else 'end'}")
    if width > 1:
        _mend(w, n)
    w.label("keep")
    w.copy("%state", "%now_rows", 2 * n)
    w.put("br label %next")
    w.label("next")
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("end")
    w.put("ret i64 %k")
    pairs = ", ".join(f"ptr %{name}, i64 %{name}_step" for name in STEPS[:-1])
    head = (f"define i64 @run_cycles(ptr %state, {pairs}, ptr %fixed, ptr %work, ptr %rows, "
            "i64 %rows_step, ptr %tallied, i64 %noted, i64 %cycles)")  # fmt: skip
    return w.function(head)


def step_text() -> str:
    """The function `step(frame)`: `run_cycles` with its arguments in an array, for Python."""
    w = Writer(1, True)
    kinds = ["ptr", *(["ptr", "i64"] * 3), "ptr", "ptr", "ptr", "i64", "ptr", "i64", "i64"]
    values = [f"{kind} {w.load(w.at('%frame', k, 'i64'), kind)}" for k, kind in enumerate(kinds)]
    w.put(f"%done = call i64 @run_cycles({', '.join(values)})")
    w.put("ret i64 %done")
    return w.function("define i64 @step(ptr %frame)")


def _try_stretch(w: Writer, stretch: int, lanes: str) -> None:
    """Try `stretch` cycles at once, unless the last try failed or too few are left."""
    w.put("%left = sub i64 %cycles, %k")
    w.put(f"%enough = icmp sge i64 %left, {stretch}")
    w.put("%calm_now = icmp sle i64 %wary, 0")
    w.put("%trying = and i1 %enough, %calm_now")
    w.put("br i1 %trying, label %try, label %one")
    w.label("try")
    pairs = ", ".join(f"ptr %now_{name}, i64 %{name}_step" for name in STEPS)
    w.put(f"%gone = call i1 @stretch(ptr %state, {pairs}, ptr %fixed, ptr {lanes}, i1 %noting)")
    w.put("br i1 %gone, label %gained, label %failed")
    w.label("failed")
    w.put(f"%bold = add i64 0, {stretch}")
    w.put("br label %one")
    w.label("gained")
    w.put(f"%kw = add i64 %k, {stretch}")
    w.put("br label %test")


def _saturation(w: Writer, layout: LoopLayout) -> None:
    """The saturation problem, part by part of the cycle: set-up, rounds, advance, stops, energy.

    `%part` and `%later` are the start and the end of a part; the end is the start of the next one.
    """
    w.label("saturated")
    sizes = (layout.problem, layout.turn, layout.part, layout.part)
    turn, first, second, calm = (w.at("%work", sum(sizes[:k]) * w.width) for k in (1, 2, 3, 4))
    left, beyond, doubt = (layout.part - len(PART_NUMBERS) + PART_NUMBERS.index(name)
                           for name in ("left", "beyond", "doubt"))  # fmt: skip
    w.put(f"call void @open(ptr %state, ptr %fixed, ptr %now_rows, ptr {first})")
    w.put("br label %part_start")
    w.label("part_start")
    w.put(f"%source = phi ptr [ %now_rows, %saturated ], [ {calm}, %more_parts ]")
    w.put(f"%part = phi ptr [ {first}, %saturated ], [ %ended, %more_parts ]")
    w.put(f"%later = phi ptr [ {second}, %saturated ], [ %other, %more_parts ]")
    w.put("call void @setup(ptr %part, ptr %now_body, ptr %fixed, ptr %now_rows, ptr %source, "
          "ptr %part, ptr %work)")  # fmt: skip
    w.put("%whole = icmp eq ptr %source, %now_rows")
    w.put("br i1 %whole, label %start_modes, label %modes")  # later parts begin where one ended
    w.label("start_modes")
    w.put(f"call void @start(ptr %work, ptr %fixed, ptr %now_rows, ptr {turn})")
    w.put("br label %modes")
    w.label("modes")
    w.put("br label %again")
    w.label("again")
    w.put("%r = phi i64 [ 0, %modes ], [ %r2, %again ]")
    w.put(f"%late = icmp sge i64 %r, {ALL_AT_ONCE}")
    w.put("%alone = uitofp i1 %late to double")
    w.put("store double %alone, ptr %single, align 8")
    w.put(f"call void @round(ptr %work, ptr %fixed, ptr {turn}, ptr %single, ptr {turn})")
    w.put("%r2 = add i64 %r, 1")
    changed = _above_zero(w, turn, layout.turn - 1)
    w.put(f"%few = icmp slt i64 %r2, {ROUNDS}")
    w.put(f"%on = and i1 {changed}, %few")
    w.put("br i1 %on, label %again, label %advanced")
    w.label("advanced")
    w.put("call void @advance(ptr %state, ptr %now_given, ptr %fixed, ptr %part, ptr %work, "
          f"ptr {turn}, ptr %later)")  # fmt: skip
    w.put(f"br i1 {_above_zero(w, '%later', beyond)}, label %stopped, label %moved")
    w.label("stopped")
    w.put("call void @stop(ptr %fixed, ptr %later, ptr %work, ptr %later)")
    w.put("br label %moved")
    w.label("moved")
    w.put(f"br i1 {_above_zero(w, '%later', doubt)}, label %judged, label %parted")
    w.label("judged")
    w.put("call void @judge(ptr %part, ptr %now_wrench, ptr %now_body, ptr %fixed, ptr %part, "
          f"ptr %later, ptr %work, ptr {turn}, ptr %part)")  # fmt: skip
    w.put("br label %parted")
    w.label("parted")
    w.put("%ended = phi ptr [ %later, %moved ], [ %part, %judged ]")
    w.put("%other = phi ptr [ %part, %moved ], [ %later, %judged ]")
    w.put(f"br i1 {_above_zero(w, '%ended', left)}, label %more_parts, label %closed")
    w.label("more_parts")
    w.put(f"call void @cycle(ptr %ended, ptr %now_given, ptr %now_wrench, ptr %now_body, "
          f"ptr %fixed, ptr {calm})")  # fmt: skip
    w.put("br label %part_start")
    w.label("closed")
    w.put("call void @close(ptr %state, ptr %fixed, ptr %now_rows, ptr %ended, ptr %now_rows)")
    if w.width > 1:
        w.put("call void @tally_saturated(ptr %now_rows, ptr %tallied, ptr %tallied)")
    w.put("br label %done")


def _mend(w: Writer, n: int) -> None:
    """Note the lanes that have run away, and go on with them at rest where they were before."""
    w.label("mend")
    good = ""
    for i in range(n):
        near = w.compare("ole", w.size(w.load_lanes("%now_rows", i)), w.constant(LARGEST))
        good = w.both(good, near) if good else near
    for e in range(2 * n):
        before = w.load_lanes("%state", e) if e < n else w.constant(0.0)
        w.store_lanes("%now_rows", e, w.select(good, w.load_lanes("%now_rows", e), before))
    lost = w.load_lanes("%tallied", len(TALLY) * n)
    now = w.spread(w.value("uitofp i64 %k to double"))
    first = w.both(w.opposite(good), w.compare("olt", lost, w.constant(0.0)))
    w.store_lanes("%tallied", len(TALLY) * n, w.select(first, now, lost))
    w.put("br label %keep")


def stretch_text(layout: LoopLayout, lanes: int, fused: bool) -> str:
    """The function `stretch`: `lanes` cycles of one robot at once.

    It returns false, and has changed nothing, if one of them is not calm.
    """
    w, n = Writer(lanes, fused), layout.n
    names, place = {}, 0
    counts = {"state": 2 * n, "given": 2 * n, "wrench": layout.wrench, "body": layout.bodies}
    counts["row"] = layout.row
    for name, count in counts.items():
        names[name] = w.at("%lanes", place * lanes)
        place += count
    starts = {name: w.rows(f"%{name}", f"%{name}_step", range(lanes)) for name in STEPS}
    columns = {name: w.gather(starts[name], counts[name]) for name in STEPS[:-1]}
    for name, vectors in columns.items():
        for e, vector in enumerate(vectors):
            w.store_lanes(names[name], e, vector)
    qd_given = columns["given"][n:]
    dt = w.load(w.at("%fixed", _DT * n), "double")
    for i in range(n):
        q, qd = _stretch_states(w, i, n, qd_given[i], dt)
        w.store_lanes(names["state"], i, q)
        w.store_lanes(names["state"], n + i, qd)
    blocks = [f"ptr {names[name]}" for name in counts]
    w.put(f"call void @cycles({', '.join([*blocks[:-1], 'ptr %fixed', blocks[-1]])})")
    row = names["row"]
    good = w.compare("ole", w.load_lanes(row, layout.need), w.constant(0.0))
    for i in range(n):
        same = w.compare("oeq", w.load_lanes(row, n + i), qd_given[i])
        near = w.compare("ole", w.size(w.load_lanes(row, i)), w.constant(LARGEST))
        good = w.both(good, w.both(same, near))
    w.put(f"br i1 {w.every(good)}, label %keep, label %leave")
    w.label("leave")
    w.put("ret i1 false")
    w.label("keep")
    w.scatter(starts["rows"], 0, [w.load_lanes(row, e) for e in range(layout.need + 1)])
    for e in range(2 * n):
        w.store(w.extract(w.load_lanes(row, e), lanes - 1), w.at("%state", e), "double")
    w.put("br i1 %noting, label %note_down, label %end")
    w.label("note_down")
    notes = w.at(row, layout.note * lanes)
    w.put(f"call void @notes({blocks[0]}, {blocks[1]}, ptr %fixed, ptr {notes})")
    w.scatter(starts["rows"], layout.note, [w.load_lanes(notes, e) for e in range(2 * n)])
    w.put("br label %end")
    w.label("end")
    w.put("ret i1 true")
    pairs = ", ".join(f"ptr %{name}, i64 %{name}_step" for name in STEPS)
    head = (f"define internal i1 @stretch(ptr %state, {pairs}, ptr %fixed, ptr %lanes, i1 %noting) "
            "noinline")  # fmt: skip
    return w.function(head)


_DT = 10
"""dt stands behind this many vectors of parameters."""


def _stretch_states(w: Writer, i: int, n: int, qd_given: str, dt: str) -> tuple[str, str]:
    """Position and velocity of joint i at the start of each cycle, if all goes as asked.

    The sums are those of `cycle`, so that they agree to the last bit.
    """
    scalar = w.scalar()
    q, qd = scalar.load_lanes("%state", i), scalar.load_lanes("%state", n + i)
    positions, rates = "poison", "poison"
    for j in range(w.width):
        positions, rates = w.insert(positions, q, j), w.insert(rates, qd, j)
        qd = w.extract(qd_given, j)
        q = scalar.fma(qd, dt, q) if w.fused else scalar.add(q, scalar.mul(qd, dt))
    return positions, rates


def _above_zero(w: Writer, array: str, element: int) -> str:
    """Whether the element is above zero in some lane, or no number."""
    return w.some(w.compare("ugt", w.load_lanes(array, element), w.constant(0.0)))
