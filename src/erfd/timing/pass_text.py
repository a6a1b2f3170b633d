"""The two passes as LLVM assembly around the traced functions `lines`, `span` and `ahead`.

    i64 backward(left, step, right, step, own, step, robot, cap, low, high, work, k)
    i64 forward(left, step, right, step, own, step, robot, low, high, x, work, k, cells)

Backwards, the interval [low, high] of controllable x at node k follows from that at k + 1: 16
places are tried in two vectors, closer to that interval than elsewhere, and the ends of those that
work are narrowed down. `backward` returns the node where there is more than one interval or none
(-1: all are done), `forward` the cell from which no controllable x is reached, or the cells.
`span1` is `span` of one place, `span8` of eight, and so on.
"""

from __future__ import annotations

import struct

from ..kernels.llvm.writer import Writer
from .passes import DIFFERS
from .span import FIELDS

LANES = 8
"""Places that are looked at together."""
INSIDE = (0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1 / 3, 2 / 3, 1.0)
"""The places of the first vector: parts of the next interval's lower end, and of its length."""
BEYOND = tuple((j / LANES) ** 2 for j in range(1, LANES + 1))
"""Those of the second: parts of the way from its upper end to the largest x."""
FIXED, AROUND = (0.25, 0.6), (-3e-2, -1e-3, -1e-6, 1e-6, 1e-3, 3e-2)
"""Where an end is looked for: parts of the way from what works to what does not, and around the
part at which a straight line has its zero."""
FINE = 1e-9
"""An end is found to this part of it."""
NARROWINGS = 60


class PassLayout:
    """The working memory of the passes, in doubles: the lines of a cell, and what is tried.

    `plain` says whether all rows of the cell are so, `sway` by how much s'' changes with the speed
    at its end, at most.
    """

    def __init__(self, n: int, rows: int):
        self.n, self.rows = n, rows
        self.plain = len(FIELDS) * rows
        self.sway = self.plain + 1
        self.lines = self.sway + 1
        self.tried = self.lines
        self.slack = self.tried + 2 * LANES
        self.interval = self.slack + 2 * LANES
        self.result = self.interval + 4
        self.places = self.result + 2 * LANES
        self.size = self.places + LANES


def _vector(values: tuple[float, ...]) -> str:
    """A vector of numbers."""
    bits = (struct.unpack("<Q", struct.pack("<d", x))[0] for x in values)
    return "<" + ", ".join(f"double 0x{b:016X}" for b in bits) + ">"


def declarations() -> list[str]:
    """What the passes call beside what writers do."""
    vector = f"<{LANES} x double>"
    return [
        f"declare double @llvm.vector.reduce.{how}.v{LANES}f64({vector})"
        for how in ("fmin", "fmax")
    ] + ["declare i32 @llvm.cttz.i32(i32, i1)"]


KINDS = ("plain", "mixed")
"""Of `span` and `ahead` there are two: for cells with `span.plain` rows only, and for all."""


def choice_text(layout: PassLayout, name: str) -> str:
    """`NAME(places, interval, lines, out)`: `NAME_plain` or `NAME_mixed`, as the lines say."""
    w = Writer(1, True)
    kept = w.load(w.at("%work", layout.plain))
    w.put(f"br i1 {w.compare('ogt', kept, w.constant(0.5))}, label %plain, label %mixed")
    given = "ptr %places, ptr %interval, ptr %work, ptr %out"
    for kind in KINDS:
        w.label(kind)
        w.put(f"call void @{name}_{kind}({given})")
        w.put("ret void")
    return w.function(f"define internal void @{name}({given}) alwaysinline")


def tried_text(layout: PassLayout, name: str, function: str) -> str:
    """`NAME(work, places, slack)`: the slack of 8 places; bits say which of them work.

    `function` gives the least and the largest s'' of each place: `span8` or `ahead8`.
    """
    w = Writer(LANES, True)
    interval, result = w.at("%work", layout.interval), w.at("%work", layout.result)
    w.put(f"call void @{function}(ptr %places, ptr {interval}, ptr %work, ptr {result})")
    slack = w.sub(w.load_lanes(result, 1), w.load_lanes(result, 0))
    w.store(slack, "%slack")
    good = w.compare("oge", slack, w.constant(0.0))
    bits = w.value(f"bitcast {w.truth} {good} to i{LANES}")
    w.put(f"ret i{LANES} {bits}")
    head = f"define internal i{LANES} @{name}(ptr %work, ptr %places, ptr %slack) alwaysinline"
    return w.function(head)


def narrow_text(layout: PassLayout, function: str, tried: str) -> str:
    """`FUNCTION(good, bad, slack there, slack there, work)`: the last place that works."""
    w = Writer(LANES, True)
    s = w.scalar()
    places, slack = w.at("%work", layout.places), w.at("%work", layout.slack)
    w.put("br label %test")
    w.label("test")
    for name in ("good", "bad", "gs", "bs"):
        w.put(f"%{name} = phi double [ %{name}0, %entry ], [ %{name}2, %do ]")
    w.put("%r = phi i64 [ 0, %entry ], [ %r2, %do ]")
    width = s.sub("%bad", "%good")
    least = s.fma(s.add(s.size("%good"), s.size("%bad")), s.constant(FINE), s.constant(1e-18))
    wide = s.compare("ogt", s.size(width), least)
    few = w.value(f"icmp slt i64 %r, {NARROWINGS}")
    w.put(f"br i1 {s.both(wide, few)}, label %do, label %end")
    w.label("do")
    zero = s.div("%gs", s.sub("%gs", "%bs"))
    moving = _vector((0.0,) * len(FIXED) + (1.0,) * len(AROUND))
    f = w.fma(w.spread(zero), moving, _vector((*FIXED, *AROUND)))
    f = w.select(w.compare("ogt", f, w.constant(0.0)), f, w.constant(0.0))
    f = w.select(w.compare("olt", f, w.constant(1.0)), f, w.constant(1.0))
    w.store(_no_less(w, w.fma(f, w.spread(width), w.spread("%good"))), places)
    bits = w.value(f"call i{LANES} @{tried}(ptr %work, ptr {places}, ptr {slack})")
    works = w.value(f"bitcast i{LANES} {bits} to {w.truth}")
    fails, found = w.opposite(works), w.load(slack)
    first_bad = _reduced(w, "fmin", w.select(works, w.constant(1.0), f))
    before = w.both(works, w.compare("olt", f, w.spread(first_bad)))
    last_good = _reduced(w, "fmax", w.select(before, f, w.constant(0.0)))
    for name, part, among, keep in (("g", last_good, works, "%gs"), ("b", first_bad, fails, "%bs")):
        here = w.both(among, w.compare("oeq", f, w.spread(part)))
        none = 1e300 if name == "g" else -1e300
        how = "fmin" if name == "g" else "fmax"
        own = _reduced(w, how, w.select(here, found, w.constant(none)))
        w.put(f"%{name}s2 = select i1 {w.some(here)}, double {own}, double {keep}")
    nearer, moved = (_no_less(s, s.fma(part, width, "%good")) for part in (last_good, first_bad))
    at_end = s.compare("oge", first_bad, s.constant(1.0))
    ahead = s.compare("ogt", last_good, s.constant(0.0))
    w.put(f"%good2 = select i1 {ahead}, double {nearer}, double %good")
    w.put(f"%bad2 = select i1 {at_end}, double %bad, double {moved}")
    w.put("%r2 = add i64 %r, 1")
    w.put("br label %test")
    w.label("end")
    w.put("ret double %good")
    numbers = ", ".join(f"double %{name}0" for name in ("good", "bad", "gs", "bs"))
    return w.function(f"define internal double @{function}({numbers}, ptr %work) noinline")


def _no_less(w: Writer, x: str) -> str:
    """The number, or 0 if rounding has put it below."""
    return w.select(w.compare("ogt", x, w.constant(0.0)), x, w.constant(0.0))


def _reduced(w: Writer, how: str, vector: str) -> str:
    """The least or the largest of the lanes."""
    name = f"@llvm.vector.reduce.{how}.v{LANES}f64"
    return w.value(f"call double {name}({w.type} {vector})")


def _cell(w: Writer, layout: PassLayout) -> tuple[str, str]:
    """The lines of cell %k in the working memory; its step, and 1 / step."""
    arrays = []
    for name in ("left", "right", "own"):
        arrays += w.rows(f"%{name}", f"%{name}_step", ["%k"])
    w.put(f"call void @lines({', '.join(f'ptr {a}' for a in arrays)}, ptr %robot, ptr %work)")
    step = w.load(w.at(arrays[-1], 4 * layout.n), "double")
    return step, w.div(w.constant(1.0), step)


def _interval(w: Writer, layout: PassLayout, per_step: str) -> tuple[str, str]:
    """The interval at node k + 1, put where `span` reads it."""
    after = w.value("add i64 %k, 1")
    low, high = (w.load(w.at(f"%{name}", after), "double") for name in ("low", "high"))
    for place, value in enumerate((low, high, per_step)):
        w.store(value, w.at("%work", layout.interval + place), "double")
    return low, high


def backward_text(layout: PassLayout) -> str:
    """The function `backward`."""
    w, v = Writer(1, True), Writer(LANES, True)
    v.lines, v.names = w.lines, w.names
    tried, slack = w.at("%work", layout.tried), w.at("%work", layout.slack)
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ %k0, %entry ], [ %k2, %keep ]")
    w.put("%more = icmp sge i64 %k, 0")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    _, per_step = _cell(w, layout)
    low, high = _interval(w, layout, per_step)
    cap = w.load(w.at("%cap", "%k"), "double")
    low, high = (w.select(w.compare("olt", x, cap), x, cap) for x in (low, high))
    inside = v.mul(v.spread(low), _vector(INSIDE[0]))
    inside = v.fma(v.spread(w.sub(high, low)), _vector(INSIDE[1]), inside)
    beyond = v.fma(v.spread(w.sub(cap, high)), _vector(BEYOND), v.spread(high))
    masks = []
    for part, places in enumerate((inside, beyond)):
        here, there = w.at(tried, part * LANES), w.at(slack, part * LANES)
        v.store(places, here)
        bits = w.value(f"call i{LANES} @try8(ptr %work, ptr {here}, ptr {there})")
        masks.append(w.value(f"zext i{LANES} {bits} to i32"))
    upper = w.value(f"shl i32 {masks[1]}, {LANES}")
    mask = w.value(f"or i32 {masks[0]}, {upper}")
    first = w.value(f"call i32 @llvm.cttz.i32(i32 {mask}, i1 false)")
    w.put(f"%none = icmp eq i32 {mask}, 0")
    w.put("br i1 %none, label %end, label %some")
    w.label("some")
    shifted = w.value(f"lshr i32 {mask}, {first}")
    run = w.value(f"call i32 @llvm.cttz.i32(i32 {w.value(f'xor i32 {shifted}, -1')}, i1 false)")
    rest = w.value(f"lshr i32 {shifted}, {run}")
    w.put(f"%islands = icmp ne i32 {rest}, 0")
    w.put("br i1 %islands, label %end, label %one")
    w.label("one")
    start = w.value(f"zext i32 {first} to i64")
    stop = w.value(f"add i64 {start}, {w.value(f'zext i32 {run} to i64')}")
    w.put(f"%last = sub i64 {stop}, 1")
    w.put(f"%before = sub i64 {start}, 1")
    w.put(f"%from = add i64 {start}, 0")
    w.put(f"%stop = add i64 {stop}, 0")
    least = w.load(w.at(tried, "%from"), "double")
    most = w.load(w.at(tried, "%last"), "double")
    w.put("%open_low = icmp sge i64 %before, 0")
    w.put("br i1 %open_low, label %narrow_low, label %low_known")
    w.label("narrow_low")
    w.put(f"%lower = {_narrowed(w, tried, slack, '%from', '%before')}")
    w.put("br label %low_known")
    w.label("low_known")
    w.put(f"%low_end = phi double [ %lower, %narrow_low ], [ {least}, %one ]")
    w.put(f"%open_high = icmp slt i64 %stop, {2 * LANES}")
    w.put("br i1 %open_high, label %narrow_high, label %high_known")
    w.label("narrow_high")
    w.put(f"%upper = {_narrowed(w, tried, slack, '%last', '%stop')}")
    w.put("br label %high_known")
    w.label("high_known")
    w.put(f"%high_end = phi double [ %upper, %narrow_high ], [ {most}, %low_known ]")
    w.put("br label %keep")
    w.label("keep")
    w.store("%low_end", w.at("%low", "%k"), "double")
    w.store("%high_end", w.at("%high", "%k"), "double")
    w.put("%k2 = sub i64 %k, 1")
    w.put("br label %test")
    w.label("end")
    w.put("ret i64 %k")
    return w.function(
        "define i64 @backward(ptr %left, i64 %left_step, ptr %right, i64 %right_step, ptr %own, "
        "i64 %own_step, ptr %robot, ptr %cap, ptr %low, ptr %high, ptr %work, i64 %k0)"
    )


def _narrowed(w: Writer, tried: str, slack: str, good: str, bad: str) -> str:
    """The call that narrows an end down between two of the places tried."""
    numbers = [w.load(w.at(array, k), "double") for array in (tried, slack) for k in (good, bad)]
    arguments = ", ".join(f"double {x}" for x in numbers)
    return f"call double @narrow({arguments}, ptr %work)"


def steady_text(layout: PassLayout) -> str:
    """`steady(x, y, lowest, high, work)`: `passes.steady`, from y that the speed at x leads to."""
    w = Writer(1, True)
    interval, result = w.at("%work", layout.interval), w.at("%work", layout.result)
    places = w.at("%work", layout.places)

    def ahead(y: str) -> tuple[str, str]:
        w.store(y, places)
        w.put(f"call void @ahead1(ptr {places}, ptr {interval}, ptr %work, ptr {result})")
        return w.load(result), w.load(w.at(result, 1))

    w.store("%x", w.at(interval, 3))
    wanted, most = ahead("%y")
    slack = w.sub(most, wanted)
    most_apart = w.mul(w.size(wanted), w.constant(DIFFERS))
    below = w.compare("olt", slack, w.neg(most_apart))
    more = w.both(w.compare("ogt", slack, most_apart), w.compare("olt", "%y", "%high"))
    w.put(f"br i1 {below}, label %less, label %maybe")
    w.label("maybe")
    w.put(f"br i1 {more}, label %further, label %keep")
    w.label("keep")
    w.put("ret double %y")
    w.label("less")
    least, room = ahead("%lowest")
    spare = w.sub(room, least)
    w.put(f"br i1 {w.compare('oge', spare, w.constant(0.0))}, label %down, label %keep")
    w.label("down")
    numbers = f"double %lowest, double %y, double {spare}, double {slack}"
    w.put(f"ret double {w.value(f'call double @narrow_ahead({numbers}, ptr %work)')}")
    w.label("further")
    _, free = ahead(w.constant(0.0))
    top = w.fma(free, w.div(w.constant(1.0), w.load(w.at(interval, 2))), "%x")
    top = w.select(w.compare("olt", top, "%high"), top, "%high")
    w.put(f"br i1 {w.compare('ogt', top, '%y')}, label %up, label %keep")
    w.label("up")
    least, room = ahead(top)
    lack = w.sub(room, least)
    w.put(f"br i1 {w.compare('oge', lack, w.constant(0.0))}, label %all, label %some")
    w.label("all")
    w.put(f"ret double {top}")
    w.label("some")
    numbers = f"double %y, double {top}, double {slack}, double {lack}"
    w.put(f"ret double {w.value(f'call double @narrow_ahead({numbers}, ptr %work)')}")
    numbers = ", ".join(f"double %{name}" for name in ("x", "y", "lowest", "high"))
    return w.function(f"define internal double @steady({numbers}, ptr %work) noinline")


def forward_text(layout: PassLayout) -> str:
    """The function `forward`."""
    w = Writer(1, True)
    interval, result = w.at("%work", layout.interval), w.at("%work", layout.result)
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ %k0, %entry ], [ %k2, %next ]")
    w.put("%more = icmp slt i64 %k, %cells")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    step, per_step = _cell(w, layout)
    low, high = _interval(w, layout, per_step)
    here = w.at("%x", "%k")
    w.put(f"call void @span1(ptr {here}, ptr {interval}, ptr %work, ptr {result})")
    least, most = w.load(result), w.load(w.at(result, 1))
    w.put(f"%works = fcmp ole double {least}, {most}")
    w.put("br i1 %works, label %keep, label %end")
    w.label("keep")
    x, ends = w.load(here), []
    for u in (most, least):
        y = w.fma(step, u, x)
        y = w.select(w.compare("olt", y, high), y, high)
        ends.append(w.select(w.compare("ogt", y, low), y, low))
    # s'' is off by sway times the change of the speed, step s'' / (sum of both speeds)
    off = w.mul(step, w.load(w.at("%work", layout.sway)))
    little = w.mul(w.constant((DIFFERS / 2) ** 2), w.add(x, ends[0]))
    w.put("%k2 = add i64 %k, 1")
    after = w.at("%x", "%k2")
    w.store(ends[0], after)
    w.put(f"br i1 {w.compare('olt', w.mul(off, off), little)}, label %next, label %sways")
    w.label("sways")
    numbers = ", ".join(f"double {number}" for number in (x, *ends, high))
    w.store(w.value(f"call double @steady({numbers}, ptr %work)"), after)
    w.put("br label %next")
    w.label("next")
    w.put("br label %test")
    w.label("end")
    w.put("ret i64 %k")
    return w.function(
        "define i64 @forward(ptr %left, i64 %left_step, ptr %right, i64 %right_step, ptr %own, "
        "i64 %own_step, ptr %robot, ptr %low, ptr %high, ptr %x, ptr %work, i64 %k0, i64 %cells)"
    )
