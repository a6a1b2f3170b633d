"""The loop over the cycles of a motion for many variants: machine code, or NumPy."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..kernels.cache_key import sources_version
from ..kernels.compiler import host
from ..kernels.llvm.function_text import function_text
from ..kernels.llvm.writer import Writer, module_text
from ..kernels.machine_code import Assembly, MachineCode
from ..kernels.settings import Setting, thread_count
from ..kernels.trace import casadi, scalars
from .cycle_form import CONSTANTS, LANES, CycleForm, cycle

NUMPY = SimpleNamespace(
    fabs=np.abs, fmin=np.minimum, fmax=np.maximum, if_else=np.where, logic_and=np.logical_and
)
"""The functions of a cycle over arrays."""


class VariantLoop:
    """The loop of one form; the robot's numbers are all inputs, so that few are ever compiled."""

    def __init__(self, form: CycleForm):
        self.form = form
        self._run: Any = None
        if Setting.backend == "numpy":
            return
        self.width = host().width

        def assembly() -> Assembly:
            header = {"robot": "any", "n": form.n, "quantity": "study cycles", "method": "fast"}
            return Assembly(header, self._module())

        code = MachineCode(("study_cycles", form, sources_version("studies")), assembly)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._run = code.function("study_blocks", None, *([pointer] * 7), number, number)

    @classmethod
    def of(cls, form: CycleForm) -> VariantLoop:
        """The loop of a form, made once."""
        return _loop(form, Setting.backend)

    def run(
        self, table: Array, z: Array, lanes: Array, constants: Array, ends: NDArray[np.int64],
        start: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Run V variants through all cycles: what is kept (V, tally), and peaks of each piece.

        Args:
            table: The rows that all share, (cycles, row_size).
            z: What varies linearly, (V, unknowns).
            lanes: `LANES`, (V, 5 n).
            constants: `CONSTANTS`, (6 n,).
            ends: The first cycle after each piece of the motion (moves), (pieces,).
            start: What is kept before the first cycle, (V, tally); zeros if left out.

        Returns:
            The tally, whose `use` is of the last piece only, and the uses of all, (V, pieces, n).
        """
        count, n = len(z), self.form.n
        before = np.zeros((count, self.form.tally_size)) if start is None else start.copy()
        before[:, self.form.tally["first"]] = -1.0
        if self._run is None:
            return self._by_numpy(table, z, lanes, constants, ends, before)
        width = self.width
        blocks = -(-count // width)
        order = np.minimum(np.arange(blocks * width), count - 1)

        def cut(values: Array) -> Array:
            return np.ascontiguousarray(values[order].reshape(blocks, width, -1).transpose(0, 2, 1))

        table = np.ascontiguousarray(table)
        inputs = [cut(z) if z.shape[1] else np.zeros((blocks, 1, width)), cut(lanes)]
        tally, uses = cut(before), np.zeros((blocks, len(ends), n, width))
        constants, ends = np.ascontiguousarray(constants), np.ascontiguousarray(ends)

        def share(first: int, last: int) -> None:
            arrays = (*(x[first:last] for x in inputs), tally[first:last], uses[first:last])
            a, b, t, u = (x.ctypes.data for x in arrays)
            self._run(table.ctypes.data, a, b, constants.ctypes.data, t, ends.ctypes.data, u,
                      len(ends), last - first)  # fmt: skip

        _in_shares(share, blocks)
        kept = tally.transpose(0, 2, 1).reshape(blocks * width, -1)[:count]
        peaks = uses.transpose(0, 3, 1, 2).reshape(blocks * width, len(ends), n)[:count]
        return kept, peaks

    def _by_numpy(
        self, table: Array, z: Array, lanes: Array, constants: Array, ends: NDArray[np.int64],
        before: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The same over arrays, cycle by cycle."""
        n, kept = self.form.n, list(before.T)
        columns, values = list(z.T), list(lanes.T)
        peaks = np.zeros((len(z), len(ends), n))
        piece = 0
        for k, row in enumerate(table.tolist()):
            while k >= ends[piece]:
                piece += 1
            kept = cycle(self.form, NUMPY, row, columns, values, constants, kept)
            use = np.array(kept[:n]).T
            peaks[:, piece] = np.maximum(peaks[:, piece], use)
            kept[:n] = list(np.zeros((n, len(z))))
        return np.array(kept).T.reshape(len(z), -1), peaks

    def _module(self) -> str:
        """The whole module as LLVM assembly."""
        ca, form = casadi(), self.form
        sizes = (form.row_size, max(form.unknowns, 1), len(LANES) * form.n,
                 len(CONSTANTS) * form.n, form.tally_size)  # fmt: skip
        symbols = [ca.SX.sym(f"a{k}", size) for k, size in enumerate(sizes)]
        result = cycle(form, ca, *(scalars(symbol) for symbol in symbols))
        step = ca.Function("study_cycle", symbols, [ca.cse(ca.vertcat(*result))])
        text = function_text("study_cycle", step, self.width, host().fused, (0, 3))
        texts = [text, _block_text(form, sizes, self.width), _blocks_text(form, sizes, self.width)]
        return module_text(texts, self.width)


def _block_text(form: CycleForm, sizes: tuple[int, ...], width: int) -> str:
    """The loop over the cycles of one block; the peaks are put down after each piece."""
    w, n = Writer(width, True), form.n
    w.put("br label %piece")
    w.label("piece")
    w.put("%j = phi i64 [ 0, %entry ], [ %j2, %close ]")
    w.put("%begin = phi i64 [ 0, %entry ], [ %end, %close ]")
    w.put("%some = icmp slt i64 %j, %pieces")
    w.put("br i1 %some, label %open, label %done")
    w.label("open")
    w.put("%place = getelementptr i64, ptr %ends, i64 %j")
    w.put("%end = load i64, ptr %place, align 8")
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ %begin, %open ], [ %k2, %do ]")
    w.put("%more = icmp slt i64 %k, %end")
    w.put("br i1 %more, label %do, label %close")
    w.label("do")
    (row,) = w.rows("%table", str(8 * sizes[0]), ["%k"])
    w.put(f"call void @study_cycle(ptr {row}, ptr %z, ptr %lanes, ptr %constants, ptr %tally, "
          "ptr %tally)")  # fmt: skip
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("close")
    (into,) = w.rows("%uses", str(8 * n * width), ["%j"])
    w.copy(into, "%tally", n)
    for i in range(n):
        w.store_lanes("%tally", i, w.constant(0.0))
    w.put("%j2 = add i64 %j, 1")
    w.put("br label %piece")
    w.label("done")
    w.put("ret void")
    return w.function("define internal void @study_block(ptr %table, ptr %z, ptr %lanes, "
                      "ptr %constants, ptr %tally, ptr %ends, ptr %uses, i64 %pieces)")  # fmt: skip


def _blocks_text(form: CycleForm, sizes: tuple[int, ...], width: int) -> str:
    """The loop over blocks of variants."""
    w = Writer(width, True)
    w.put(f"%size = mul i64 %pieces, {8 * form.n * width}")
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ 0, %entry ], [ %k2, %do ]")
    w.put("%more = icmp slt i64 %k, %blocks")
    w.put("br i1 %more, label %do, label %done")
    w.label("do")
    names = {"z": sizes[1], "lanes": sizes[2], "tally": sizes[4]}
    at = {name: w.rows(f"%{name}", str(8 * size * width), ["%k"])[0]
          for name, size in names.items()}  # fmt: skip
    (uses,) = w.rows("%uses", "%size", ["%k"])
    w.put(f"call void @study_block(ptr %table, ptr {at['z']}, ptr {at['lanes']}, ptr %constants, "
          f"ptr {at['tally']}, ptr %ends, ptr {uses}, i64 %pieces)")  # fmt: skip
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("done")
    w.put("ret void")
    return w.function("define void @study_blocks(ptr %table, ptr %z, ptr %lanes, ptr %constants, "
                      "ptr %tally, ptr %ends, ptr %uses, i64 %pieces, i64 %blocks)")  # fmt: skip


@lru_cache(maxsize=64)
def _loop(form: CycleForm, backend: str) -> VariantLoop:
    return VariantLoop(form)


def _in_shares(share: Any, count: int) -> None:
    """Let the threads take shares of so many blocks; machine code needs no interpreter's lock."""
    threads = min(thread_count(), max(count // 8, 1))
    if threads < 2:
        share(0, count)
        return
    edges = np.linspace(0, count, 4 * threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(share, edges[:-1], edges[1:]))
