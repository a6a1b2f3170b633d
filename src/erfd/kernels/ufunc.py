"""Make a NumPy generalized ufunc of a compiled loop.

It is made by the function of NumPy's C interface that every C extension uses. Broadcasting,
strides, casting, `out=` and the release of the interpreter lock are then NumPy's.
"""

from __future__ import annotations

import ctypes
from typing import Any

_ENTRY = 31  # PyUFunc_FromFuncAndDataAndSignature in the table of NumPy's C interface
DOUBLE = 12  # NPY_DOUBLE
_NO_IDENTITY = -1


def numpy_entry(table: str, entry: int) -> int:
    """The address at an entry of one of the tables of NumPy's C interface."""
    from numpy._core import _multiarray_umath as umath  # type: ignore[attr-defined]

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    entries = ctypes.cast(get(getattr(umath, table), None), ctypes.POINTER(ctypes.c_void_p))
    return entries[entry] or 0


def make_ufunc(
    address: int, data: int, inputs: int, outputs: int, name: str, doc: str, signature: str
) -> Any:
    """Make a gufunc of doubles whose inner loop is at `address` and gets `data`.

    What NumPy keeps pointers to lives in the second value: keep it as long as the ufunc.
    """
    create = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
        ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
        ctypes.c_char_p,
    )(numpy_entry("_UFUNC_API", _ENTRY))  # fmt: skip
    functions = (ctypes.c_void_p * 1)(address)
    datas = (ctypes.c_void_p * 1)(data)
    types = ctypes.create_string_buffer(bytes([DOUBLE] * (inputs + outputs)))
    texts = [text.encode() for text in (name, doc, signature)]
    ufunc = create(
        ctypes.addressof(functions), ctypes.addressof(datas), ctypes.addressof(types), 1,
        inputs, outputs, _NO_IDENTITY, texts[0], texts[1], 0, texts[2],
    )  # fmt: skip
    if ufunc.signature != signature:  # NumPy's table has changed: better no ufunc than a wrong one
        raise RuntimeError(f"NumPy made a ufunc of {ufunc.signature}, expected {signature}")
    return ufunc, (functions, datas, types, texts)
