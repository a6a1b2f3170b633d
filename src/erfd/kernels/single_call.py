"""The fastest call for one state: a built-in Python function made of the compiled code.

A ufunc call costs ten times the physics. For plain float64 arrays of the right length, which is
what a controller or a simulation passes, the code below looks into the arrays itself, makes the
result and calls the scalar function. To whatever else comes, and to what is not finite, it answers
None, and the ufunc path takes over. The few offsets into NumPy's array object (the same in all of
NumPy 1 and 2) are checked against a real array first; if they do not hold, there is no such
function, and nothing is lost but a microsecond.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

from .llvm.kernel_text import Layout
from .llvm.writer import Writer
from .ufunc import DOUBLE, numpy_entry

DATA, ND, DIMS, DESCR, FLAGS = 16, 24, 32, 56, 64  # offsets of an array's fields
READY = 0x0101  # C-contiguous and aligned
_METH_FASTCALL = 0x0080
_PYARRAY_NEW = 93  # in the table of NumPy's C interface


def single_text(layout: Layout) -> str:
    """The function `erfd_single(self, args, count)` as LLVM assembly; `self` holds the context."""
    if len(layout.outputs) != 1:
        return ""
    w = Writer(1, True)
    context = _load(w, "ptr", "%self", 16)  # a capsule's pointer
    none, kind, descr, new, incref, decref = (_load(w, "ptr", context, 8 * k) for k in range(6))
    count = len(layout.inputs)
    w.put(f"%fits = icmp eq i64 %count, {count}")
    w.put("br i1 %fits, label %check0, label %unfit")
    data = []
    for k, shape in enumerate(layout.inputs):
        w.label(f"check{k}")
        array = _load(w, "ptr", "%args", 8 * k)
        same = w.value(f"icmp eq ptr {_load(w, 'ptr', array, 8)}, {kind}")
        w.put(f"br i1 {same}, label %array{k}, label %unfit")
        w.label(f"array{k}")
        tests = [
            f"icmp eq i32 {_load(w, 'i32', array, ND)}, 1",
            f"icmp eq ptr {_load(w, 'ptr', array, DESCR)}, {descr}",
        ]
        flags = w.value(f"and i32 {_load(w, 'i32', array, FLAGS)}, {READY}")
        tests.append(f"icmp eq i32 {flags}, {READY}")
        good = "true"
        for test in tests:
            good = w.value(f"and i1 {good}, {w.value(test)}")
        w.put(f"br i1 {good}, label %length{k}, label %unfit")
        w.label(f"length{k}")
        length = _load(w, "i64", _load(w, "ptr", array, DIMS), 0)
        right = w.value(f"icmp eq i64 {length}, {shape[0]}")
        w.put(f"br i1 {right}, label %{f'check{k + 1}' if k + 1 < count else 'go'}, label %unfit")
        data.append((array, DATA))
    w.label("go")
    shape = layout.outputs[0]
    dims = w.value(f"alloca [{len(shape)} x i64], align 8")
    for k, size in enumerate(shape):
        w.store(str(size), w.at(dims, k, "i64"), "i64")
    form = f"ptr {kind}, i32 {len(shape)}, ptr {dims}, i32 {DOUBLE}"
    arguments = f"{form}, ptr null, ptr null, i32 0, i32 0, ptr null"
    result = w.value(f"call ptr {new}({arguments})")
    empty = w.value(f"icmp eq ptr {result}, null")
    w.put(f"br i1 {empty}, label %failed, label %compute")
    w.label("failed")  # no memory: the exception is set
    w.put("ret ptr null")
    w.label("compute")
    pointers = [_load(w, "ptr", array, offset) for array, offset in [*data, (result, DATA)]]
    bad = w.value(f"call i1 @one({', '.join(f'ptr {p}' for p in pointers)})")
    w.put(f"br i1 {bad}, label %bad, label %good")
    w.label("good")
    w.put(f"ret ptr {result}")
    w.label("bad")
    w.put(f"call void {decref}(ptr {result})")
    w.put("br label %unfit")
    w.label("unfit")
    w.put(f"call void {incref}(ptr {none})")
    w.put(f"ret ptr {none}")
    return w.function("define ptr @erfd_single(ptr %self, ptr %args, i64 %count)")


def _load(w: Writer, kind: str, base: str, offset: int) -> str:
    return w.load(w.at(base, offset, "i8"), kind)


class _Method(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]  # fmt: skip


def make_single(address: int, name: str) -> tuple[Any, Any] | None:
    """Make a built-in function of the code at `address`, with what must live as long; or None."""
    capsule = _context()
    if capsule is None:
        return None
    method = _Method(name.encode(), address, _METH_FASTCALL, None)
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.restype = ctypes.py_object
    create.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return create(ctypes.addressof(method), capsule, None), method


@lru_cache(maxsize=1)
def _context() -> Any:
    """A capsule with the addresses that the code needs in this process; None if a check fails."""
    import numpy as np

    double, new = np.dtype(np.float64), numpy_entry("_ARRAY_API", _PYARRAY_NEW)
    if not _offsets_hold(np.arange(6.0), id(double)) or not _makes_arrays(new):
        return None
    api = ctypes.pythonapi
    calls = [ctypes.cast(f, ctypes.c_void_p).value for f in (api.Py_IncRef, api.Py_DecRef)]
    values = (id(None), id(np.ndarray), id(double), new, *calls)
    _context.values = (ctypes.c_void_p * 6)(*values)  # type: ignore[attr-defined]  # stays alive
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = make(ctypes.addressof(_context.values), None, None)  # type: ignore[attr-defined]
    inside = ctypes.c_void_p.from_address(id(capsule) + 16).value
    return capsule if inside == ctypes.addressof(_context.values) else None  # type: ignore[attr-defined]


def _offsets_hold(array: Any, double: int) -> bool:
    """Whether an array object looks as the code expects."""
    base = id(array)
    pointer, number = ctypes.c_void_p, ctypes.c_int
    dims = pointer.from_address(base + DIMS).value
    return (
        pointer.from_address(base + 8).value == id(type(array))
        and pointer.from_address(base + DATA).value == array.ctypes.data
        and number.from_address(base + ND).value == array.ndim
        and pointer.from_address(base + DESCR).value == double
        and number.from_address(base + FLAGS).value & READY == READY
        and dims is not None
        and ctypes.c_int64.from_address(dims).value == array.shape[0]
    )


def _makes_arrays(address: int) -> bool:
    """Whether entry 93 of NumPy's table is PyArray_New."""
    import numpy as np

    create = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p,
    )(address)  # fmt: skip
    dims = (ctypes.c_int64 * 2)(2, 3)
    array = create(np.ndarray, 2, ctypes.addressof(dims), DOUBLE, None, None, 0, 0, None)
    return isinstance(array, np.ndarray) and array.shape == (2, 3) and array.dtype == np.float64
