"""`RowFunction`: a CasADi function compiled to run over the rows of arrays.

    erfd_loop(args, dims, steps, data)

It takes as many rows at once as there are lanes. The form is that of NumPy's inner loops: addresses
of the inputs and of the output, the number of rows, bytes from row to row (0 repeats one row for
all), and `thread_team.LOOP_DATA`. Large batches are shared with other threads. Angles must stay
below `sincos.LARGEST`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..ground.arrays import Array
from .compiler import host
from .llvm.function_text import function_text
from .llvm.instructions import instructions_of
from .llvm.kernel_text import LOOP_HEAD
from .llvm.thread_team_text import SHARE, shared_loop
from .llvm.writer import Writer, module_text
from .machine_code import Assembly, MachineCode
from .settings import thread_count
from .thread_team import LOOP_DATA, use_threads

EFFORT = 1
"""LLVM's level: at 2 these functions are no faster, and take a third longer to compile."""


class RowFunction:
    """A compiled function over rows: arrays (N, size) or (size,) go in, (N, out) comes out.

    It is compiled in a thread; the first call waits for that.
    """

    def __init__(self, function: Any, label: dict[str, Any]):
        self._load(instructions_of(function), lambda: function, label)

    @classmethod
    def cached(cls, parts: Any, make: Callable[[], Any], label: dict[str, Any]) -> RowFunction:
        """The function from the cache, else of the trace that `make` makes; `parts` identify it."""
        function = cls.__new__(cls)
        function._load(parts, make, label)
        return function

    def _load(self, parts: Any, make: Callable[[], Any], label: dict[str, Any]) -> None:
        def assembly() -> Assembly:
            function = make()
            sizes = [function.numel_in(k) for k in range(function.n_in())]
            header = label | {"sizes": sizes, "size": function.numel_out(0)}
            return Assembly(header, _module(function, sizes, header["size"]), EFFORT)

        self._code = MachineCode(parts, assembly, background=True)
        self.sizes: list[int] = self._code.header["sizes"]
        self.size: int = self._code.header["size"]
        self._numbers = ctypes.c_int64 * (len(self.sizes) + 1)

    @cached_property
    def _loop(self) -> Any:
        numbers, count = self._numbers, ctypes.c_int64 * 1
        return self._code.function("erfd_loop", None, numbers, count, numbers, ctypes.c_void_p)

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
    functions = [
        function_text("many", function, width, fused),
        _loop(counts, size, width, fused),
        shared_loop("erfd_loop", "alone", len(sizes) + 1),
    ]
    return module_text(functions, width)


def _loop(counts: list[int], size: int, width: int, fused: bool) -> str:
    """The loop over blocks of rows; in the last block, lanes that are left over repeat its end.

    A function for single rows would take as long to compile again.
    """
    w = Writer(width, fused)
    arrays = range(len(counts) + 1)
    lanes = [
        w.value(f"alloca [{max(count, 1) * width} x double], align 64") for count in (*counts, size)
    ]
    w.put("%count = load i64, ptr %dims, align 8")
    places = [w.load(w.at("%args", k, "ptr"), "ptr") for k in arrays]
    steps = [w.load(w.at("%steps", k, "i64"), "i64") for k in arrays]
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
    for a, count in enumerate(counts):
        for e, vector in enumerate(w.gather(w.rows(places[a], steps[a], rows), count)):
            w.store_lanes(lanes[a], e, vector)
    w.put(f"call void @many({', '.join(f'ptr {a}' for a in lanes)})")
    results = [w.load_lanes(lanes[-1], e) for e in range(size)]
    w.scatter(w.rows(places[-1], steps[-1], rows), 0, results)
    w.put(f"%k2 = add i64 %k, {width}")
    w.put("br label %test")
    w.label("end")
    w.put("ret void")
    return w.function(LOOP_HEAD)
