"""`RowFunction`: a CasADi function compiled to run over the rows of arrays.

    erfd_loop(args, dims, steps, data)

It takes as many rows at once as there are lanes. The form is that of NumPy's inner loops: addresses
of the inputs and of the output, the number of rows, bytes from row to row (0 repeats one row for
all), and `thread_team.LOOP_DATA`. Large batches are shared with other threads. Angles must stay
below `sincos.LARGEST`.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..ground.arrays import Array
from . import cache
from .background import BackgroundCode, ReadyCode
from .cache_key import code_version
from .compiler import host, load_object
from .llvm.function_text import attributes, declarations, function_text
from .llvm.instructions import instructions_of
from .llvm.thread_team_text import SHARE, shared_loop
from .llvm.writer import Writer
from .settings import thread_count
from .thread_team import LOOP_DATA, use_threads

EFFORT = 1
"""LLVM's level: at 2 these functions are no faster, and take a third longer to compile."""


class RowFunction:
    """A compiled function over rows: arrays (N, size) or (size,) go in, (N, out) comes out.

    It is compiled in a thread; the first call waits for that.
    """

    def __init__(self, function: Any, label: dict[str, Any]):
        self._load(repr(instructions_of(function)), lambda: function, label)

    @classmethod
    def cached(cls, parts: Any, make: Callable[[], Any], label: dict[str, Any]) -> RowFunction:
        """The function from the cache, else of the trace that `make` makes; `parts` identify it."""
        function = cls.__new__(cls)
        function._load(repr(parts), make, label)
        return function

    def _load(self, content: str, make: Callable[[], Any], label: dict[str, Any]) -> None:
        key = hashlib.sha256(repr((content, code_version(), host())).encode()).hexdigest()
        stored = cache.read(key)
        if stored is None:
            function = make()
            sizes = [function.numel_in(k) for k in range(function.n_in())]
            header = label | {"sizes": sizes, "size": function.numel_out(0)}
            text = _module(function, sizes, header["size"])
            self._machine_code: BackgroundCode | ReadyCode = BackgroundCode(
                key, header, text, EFFORT
            )
        else:
            header, self._machine_code = stored[0], ReadyCode(stored[1])
        self.sizes: list[int] = header["sizes"]
        self.size: int = header["size"]
        self._numbers = ctypes.c_int64 * (len(self.sizes) + 1)

    @cached_property
    def _loop(self) -> Any:
        numbers = self._numbers
        form = ctypes.CFUNCTYPE(None, numbers, ctypes.c_int64 * 1, numbers, ctypes.c_void_p)
        return form(load_object(self._machine_code.code()).get_function_address("erfd_loop"))

    def __call__(self, *inputs: ArrayLike, out: Array | None = None) -> Array:
        """Compute the results, (N, out); rows of `out`, if given, may lie apart."""
        rows = [_plain(np.asarray(x, dtype=np.float64)) for x in inputs]
        count = max(len(x) for x in rows if x.ndim == 2)
        for x, size in zip(rows, self.sizes, strict=True):
            assert x.shape in ((size,), (count, size)), (x.shape, size, count)
        result = np.empty((count, self.size)) if out is None else out
        if count >= 2 * SHARE:
            use_threads(thread_count())
        arrays = [*rows, result]
        places = self._numbers(*(x.ctypes.data for x in arrays))
        steps = self._numbers(*(x.strides[0] if x.ndim == 2 else 0 for x in arrays))
        self._loop(places, (ctypes.c_int64 * 1)(count), steps, LOOP_DATA.buffer_info()[0])
        return result


def _plain(x: Array) -> Array:
    """The array, or a copy whose rows are numbers one behind the other."""
    return x if x.strides[-1] == 8 else np.ascontiguousarray(x)


def _module(function: Any, sizes: list[int], size: int) -> str:
    width, fused = host().width, host().fused
    used = instructions_of(function).inputs()
    counts = [max((e + 1 for a, e in used if a == k), default=0) for k in range(len(sizes))]
    texts = [
        "\n".join(declarations(width)),
        function_text("many", function, width, fused),
        _loop(counts, size, width, fused),
        shared_loop("erfd_loop", "alone", len(sizes) + 1),
        attributes(width),
    ]
    return "\n\n".join(texts) + "\n"


def _loop(counts: list[int], size: int, width: int, fused: bool) -> str:
    """The loop over blocks of rows; in the last block, lanes that are left over repeat its end.

    A function for single rows would take as long to compile again.
    """
    w = Writer(width, fused)
    arrays = range(len(counts))
    for k, count in enumerate([*counts, size]):
        name = f"l{k}" if k < len(counts) else "l_out"
        w.put(f"%{name} = alloca [{max(count, 1) * width} x double], align 64")
    w.put("%count = load i64, ptr %dims, align 8")
    for k in range(len(counts) + 1):
        end = str(k) if k < len(counts) else "_out"
        w.put(f"%pa{end} = getelementptr ptr, ptr %args, i64 {k}")
        w.put(f"%a{end} = load ptr, ptr %pa{end}, align 8")
        w.put(f"%ps{end} = getelementptr i64, ptr %steps, i64 {k}")
        w.put(f"%s{end} = load i64, ptr %ps{end}, align 8")
    w.put("%last = sub i64 %count, 1")
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ 0, %entry ], [ %k2, %do ]")
    w.put("%more = icmp slt i64 %k, %count")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    rows = []
    for j in range(width):
        row = w.value(f"add i64 %k, {j}")
        beyond = w.value(f"icmp sgt i64 {row}, %last")
        rows.append(w.value(f"select i1 {beyond}, i64 %last, i64 {row}"))
    for a in arrays:
        starts = _starts(w, f"%a{a}", f"%s{a}", rows)
        for e, vector in enumerate(gather(w, starts, counts[a])):
            store_lanes(w, f"%l{a}", e, vector)
    inputs = ", ".join(f"ptr %l{a}" for a in arrays)
    w.put(f"call void @many({inputs}, ptr %l_out)")
    starts = _starts(w, "%a_out", "%s_out", rows)
    scatter(w, starts, 0, [load_lanes(w, "%l_out", e) for e in range(size)])
    w.put(f"%k2 = add i64 %k, {width}")
    w.put("br label %test")
    w.label("end")
    w.put("ret void")
    head = "define internal void @alone(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {"
    return "\n".join([head, "entry:", *w.lines, "}"])


def _starts(w: Writer, array: str, step: str, rows: list[str]) -> list[str]:
    """Pointers to the beginnings of the rows."""
    result = []
    for row in rows:
        offset = w.value(f"mul i64 {row}, {step}")
        result.append(w.value(f"getelementptr i8, ptr {array}, i64 {offset}"))
    return result


def gather(w: Writer, starts: list[str], count: int) -> list[str]:
    """Load element e of every row as a vector, for e = 0..count-1."""
    lanes, result = w.width, []
    for first in range(0, count - count % lanes, lanes):
        rows = []
        for start in starts:
            pointer = w.value(f"getelementptr double, ptr {start}, i64 {first}")
            rows.append(w.value(f"load {w.type}, ptr {pointer}, align 8"))
        result += w.transpose(rows)
    for e in range(len(result), count):
        vector = "poison"
        for j, start in enumerate(starts):
            pointer = w.value(f"getelementptr double, ptr {start}, i64 {e}")
            number = w.value(f"load double, ptr {pointer}, align 8")
            vector = w.value(f"insertelement {w.type} {vector}, double {number}, i32 {j}")
        result.append(vector)
    return result


def scatter(w: Writer, starts: list[str], place: int, vectors: list[str]) -> None:
    """Store lane j of the vectors one behind the other, from `place` doubles after start j."""
    lanes, done = w.width, 0
    while done + lanes <= len(vectors):
        rows = w.transpose(vectors[done : done + lanes])
        for start, row in zip(starts, rows, strict=True):
            pointer = w.value(f"getelementptr double, ptr {start}, i64 {place + done}")
            w.put(f"store {w.type} {row}, ptr {pointer}, align 8")
        done += lanes
    for e in range(done, len(vectors)):
        for j, start in enumerate(starts):
            number = w.value(f"extractelement {w.type} {vectors[e]}, i32 {j}")
            pointer = w.value(f"getelementptr double, ptr {start}, i64 {place + e}")
            w.put(f"store double {number}, ptr {pointer}, align 8")


def store_lanes(w: Writer, array: str, element: int, value: str) -> None:
    """Put a vector into an array of lanes."""
    pointer = w.value(f"getelementptr double, ptr {array}, i64 {element * w.width}")
    w.put(f"store {w.type} {value}, ptr {pointer}, align 8")


def load_lanes(w: Writer, array: str, element: int) -> str:
    """A vector from an array of lanes."""
    pointer = w.value(f"getelementptr double, ptr {array}, i64 {element * w.width}")
    return w.value(f"load {w.type}, ptr {pointer}, align 8")
