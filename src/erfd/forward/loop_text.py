"""The control flow of the compiled simulation as LLVM assembly; `fixed_step` has it in Python.

All blocks of `traces.blocks` lie in one memory `%m`; traces are functions between blocks,
and what is here calls them. `width` lanes are simulated side by side: whatever one of them needs,
all go through, and the others stay as they are.
"""

from __future__ import annotations

from ..kernels.compiler import host
from ..kernels.llvm.writer import Writer
from .fixed_step import most_parts
from .integrators import SCHEMES, TRIES
from .plant import Plant
from .stick_slip import ALL_AT_ONCE, ROUNDS
from .traces import SHARED, Trace, blocks


def step_of(width: int) -> int:
    """The numbers of a block that are taken at once: several by one lane alone, else one."""
    return host().width if width == 1 else 1


def places_of(plant: Plant, method: str, width: int) -> tuple[dict[str, tuple[int, int]], int]:
    """The (first double, length per lane) of every block, and the doubles of the whole memory."""
    places, place = {}, 0
    for name, count in blocks(plant, method, step_of(width)).items():
        places[name] = (place, count)
        place += -(-count * width // 8) * 8  # lines of the cache
    return places, place


class Flow:
    """The functions that call the traces, as LLVM assembly; `%m` is the memory."""

    def __init__(self, plant: Plant, method: str, width: int, traces: dict[str, Trace]):
        self.plant, self.width, self.traces = plant, width, traces
        self.stages = len(SCHEMES[method].weights)
        self.places, _ = places_of(plant, method, width)

    def _writer(self) -> Writer:
        """A new writer for all lanes."""
        return Writer(self.width, True)

    def _at(self, w: Writer, name: str, element: int = 0) -> str:
        """The address of a block, or of an element of it."""
        if name in SHARED:
            return f"%{name}"
        return w.at("%m", self.places[name][0] + element * self.width)

    def _call(self, w: Writer, name: str, out: str, **other: str) -> None:
        """Call a trace from its blocks into a block; `other` replaces one by an address."""
        reads = [other.get(r) or self._at(w, r) for r in self.traces[name].reads]
        into = out if out.startswith("%") else self._at(w, out)
        w.put(f"call void @{name}({', '.join(f'ptr {r}' for r in [*reads, into])})")

    def _any(self, w: Writer, address: str) -> str:
        """Whether the number at the address is above zero in some lane."""
        return w.some(w.compare("ogt", w.load(address), w.constant(0.0)))

    def _flag(self, w: Writer, k: int, value: str) -> None:
        """Set flag k: frozen, single, halve."""
        w.store(value, w.at("%flags", k), "double")

    def rates(self) -> str:
        """The function `rates`: the derivative `%slope` at `%at`, by rounds until modes fit."""
        w, n = self._writer(), self.plant.n
        self._call(w, "turning", "turned", at="%at")
        if not self.plant.has_modes:
            self._call(w, "stage", "%slope", at="%at")
            w.put("ret void")
        else:
            self._call(w, "arm", "equations", at="%at")
            w.put("br label %again")
            w.label("again")
            w.put("%r = phi i64 [ 0, %entry ], [ %r2, %again ]")
            self._single(w, "%r")
            self._call(w, "round", "%slope", at="%at")
            modes = w.at("%slope", (self.plant.size + 2 * n) * self.width)
            w.copy(self._at(w, "modes"), modes, 4 * n)
            changed = self._any(w, w.at("%slope", (self.plant.size + 6 * n) * self.width))
            self._repeat(w, changed, ROUNDS, "again", "fits")
            w.label("fits")
            w.put("ret void")
        head = "define internal void @rates(ptr %m, ptr %fixed, ptr %flags, ptr %at, ptr %slope)"
        return w.function(f"{head} noinline")

    def derive(self) -> str:
        """The function `derive`: the derivative at `state` with the input `input`, for DOP853."""
        w = self._writer()
        self._rates(w, self._at(w, "state"), self._at(w, "slope0"))
        w.put("ret void")
        return w.function("define void @derive(ptr %m, ptr %fixed, ptr %flags)")

    def _single(self, w: Writer, turn: str) -> None:
        """Set `single` after a few rounds: only the first mode that does not fit changes."""
        late = w.value(f"icmp sge i64 {turn}, {ALL_AT_ONCE}")
        self._flag(w, 1, w.value(f"uitofp i1 {late} to double"))

    def _repeat(self, w: Writer, changed: str, most: int, again: str, then: str) -> None:
        """Go back to a label while something has changed, at most so often."""
        w.put("%r2 = add i64 %r, 1")
        few = w.value(f"icmp slt i64 %r2, {most}")
        on = w.value(f"and i1 {changed}, {few}")
        w.put(f"br i1 {on}, label %{again}, label %{then}")

    def _rates(self, w: Writer, at: str, slope: str) -> None:
        """Call the function `rates`."""
        w.put(f"call void @rates(ptr %m, ptr %fixed, ptr %flags, ptr {at}, ptr {slope})")

    def part(self) -> str:
        """The function `part`: `trial` is the state after `pace`, with `slope0` at `state`."""
        w = self._writer()
        self._flag(w, 0, w.scalar().constant(1.0))
        for k in range(1, self.stages):
            self._call(w, f"mix{k}", "at")
            if self.plant.ramp:
                self._call(w, f"when{k}", "when")
            self._rates(w, self._at(w, "at"), self._at(w, f"slope{k}"))
        self._call(w, "end", "trial")
        if "bend" in self.traces:
            self._call(w, "bend", "trial")
        w.put("ret void")
        head = "define internal void @part(ptr %m, ptr %fixed, ptr %flags) noinline"
        return w.function(head)

    def _first(self, w: Writer) -> None:
        """Put the derivative at `state` into `slope0`; modes are free to change."""
        if self.plant.has_modes:
            self._call(w, "begin", "modes")
        self._flag(w, 0, w.scalar().constant(0.0))
        if self.plant.ramp:
            self._call(w, "when0", "when")
        self._rates(w, self._at(w, "state"), self._at(w, "slope0"))

    def corners(self) -> str:
        """The function `corners`: a step cut where a rotor reverses or a joint meets its stop.

        `trial` is the step as if none did.
        """
        w, n, size = self._writer(), self.plant.n, self.plant.size
        w.put("br label %begin")
        w.label("begin")
        w.put("%k = phi i64 [ 0, %entry ], [ %k2, %go ]")
        last = w.value(f"icmp eq i64 %k, {most_parts(self.plant) - 1}")
        self._call(w, "open", "search")
        w.put("br label %look")
        w.label("look")
        w.put("%r = phi i64 [ 0, %begin ], [ %r2, %try ]")
        self._call(w, "looking", "flag")
        more = self._any(w, self._at(w, "flag"))
        few = w.value(f"icmp slt i64 %r, {TRIES}")
        goes = w.value(f"and i1 {more}, {few}")
        early = w.value(f"xor i1 {last}, true")
        on = w.value(f"and i1 {goes}, {early}")
        w.put(f"br i1 {on}, label %try, label %found")
        w.label("try")
        self._call(w, "aim", "pace")
        w.put("call void @part(ptr %m, ptr %fixed, ptr %flags)")
        third = w.value("urem i64 %r, 3")
        half = w.value(f"icmp eq i64 {third}, 2")
        self._flag(w, 2, w.value(f"uitofp i1 {half} to double"))
        self._call(w, "seek", "search")
        w.put("%r2 = add i64 %r, 1")
        w.put("br label %look")
        w.label("found")
        self._call(w, "settle", "ends")
        w.copy(self._at(w, "state"), self._at(w, "ends"), size)
        w.copy(self._at(w, "modes"), self._at(w, "ends", size), 4 * n)
        if self.plant.stops:
            hit = self._any(w, self._at(w, "ends", size + 4 * n))
            w.put(f"br i1 {hit}, label %impact, label %on")
            w.label("impact")
            self._impact(w)
            w.label("on")
        self._call(w, "follow", "pace")
        self._call(w, "more", "flag")
        rest = self._any(w, self._at(w, "flag"))
        again = w.value(f"and i1 {rest}, {early}")
        w.put("%k2 = add i64 %k, 1")
        w.put(f"br i1 {again}, label %go, label %done")
        w.label("go")
        self._first(w)
        w.put("call void @part(ptr %m, ptr %fixed, ptr %flags)")
        w.put("br label %begin")
        w.label("done")
        w.put("ret void")
        head = "define internal void @corners(ptr %m, ptr %fixed, ptr %flags) noinline"
        return w.function(head)

    def _impact(self, w: Writer) -> None:
        """Do the impact of joints that have met their stops, in rounds."""
        n = self.plant.n
        state = self._at(w, "state")
        self._call(w, "turning", "turned", at=state)
        self._call(w, "arm", "equations", at=state)
        self._call(w, "hits", "hit")
        w.put("br label %strikes")
        w.label("strikes")
        w.put("%s = phi i64 [ 0, %impact ], [ %s2, %strikes ]")
        self._single(w, "%s")
        self._call(w, "strike", "struck")
        w.copy(self._at(w, "hit"), self._at(w, "struck", 2 * n), n)
        changed = self._any(w, self._at(w, "struck", 3 * n))
        w.put("%s2 = add i64 %s, 1")
        few = w.value(f"icmp slt i64 %s2, {ROUNDS}")
        on = w.value(f"and i1 {changed}, {few}")
        w.put(f"br i1 {on}, label %strikes, label %landed")
        w.label("landed")
        self._call(w, "land", "state")
        w.put("br label %on")

    def run_steps(self) -> str:
        """The function `run_steps`: the loop over the steps, which records moments."""
        w, n, size = self._writer(), self.plant.n, self.plant.size
        w.put("%flags = alloca [3 x double], align 8")
        w.put("br label %test")
        w.label("test")
        w.put("%k = phi i64 [ 0, %entry ], [ %k2, %next ]")
        w.put("%until = phi i64 [ 0, %entry ], [ %left, %next ]")
        w.put("%row = phi ptr [ %rows, %entry ], [ %row2, %next ]")
        (asked,) = w.rows("%given_rows", "%step", ["%k"])
        if "clip" in self.traces:
            self._call(w, "clip", "input", given=asked)
        else:
            w.copy(self._at(w, "input"), asked, self.places["given"][1])
        self._call(w, "start", "pace")
        self._first(w)
        now = w.value("icmp eq i64 %until, 0")
        w.put(f"br i1 {now}, label %record, label %recorded")
        w.label("record")
        w.copy("%row", self._at(w, "state"), size)
        w.copy(w.at("%row", size * self.width), self._at(w, "slope0", n), n)
        if self.plant.stops:
            w.copy(w.at("%row", (size + n) * self.width), self._at(w, "slope0", size), n)
        w.put("%row1 = getelementptr i8, ptr %row, i64 %rowstep")
        w.put("br label %recorded")
        w.label("recorded")
        w.put("%until1 = phi i64 [ %every, %record ], [ %until, %test ]")
        w.put("%row2 = phi ptr [ %row1, %record ], [ %row, %test ]")
        w.put("%left = sub i64 %until1, 1")
        w.put("%more = icmp slt i64 %k, %steps")
        w.put("br i1 %more, label %do, label %end")
        w.label("do")
        w.put("call void @part(ptr %m, ptr %fixed, ptr %flags)")
        if self.plant.has_modes:
            self._call(w, "watch", "flag")
            corner = self._any(w, self._at(w, "flag"))
            w.put(f"br i1 {corner}, label %corner, label %straight")
            w.label("corner")
            w.put("call void @corners(ptr %m, ptr %fixed, ptr %flags)")
            w.put("br label %check")
            w.label("straight")
            w.copy(self._at(w, "state"), self._at(w, "trial"), size)
            w.put("br label %check")
            w.label("check")
        else:
            w.copy(self._at(w, "state"), self._at(w, "trial"), size)
        w.put("%k2 = add i64 %k, 1")
        self._call(w, "outside", "flag")
        lost = self._any(w, self._at(w, "flag"))
        w.put(f"br i1 {lost}, label %left_fence, label %next")
        w.label("next")
        w.put("br label %test")
        w.label("left_fence")
        w.put("ret i64 %k2")
        w.label("end")
        w.put("ret i64 %k")
        head = ("define i64 @run_steps(ptr %m, ptr %fixed, ptr %given_rows, i64 %step, ptr %rows, "
                "i64 %rowstep, ptr %fence, i64 %steps, i64 %every)")  # fmt: skip
        return w.function(head)
