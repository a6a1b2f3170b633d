"""Hellos and frames of a stream, as a reader gets them."""

import numpy as np
from hypothesis import strategies as st

from erfd.monitor.protocol import Column, Hello, column, frame_bytes, hello_text
from erfd.monitor.viewer.reader import Reader

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def hello_of(n: int = 2, dt: float = 0.01, session: int = 7) -> Hello:
    columns = (column("q", n), column("u_a_max", n), Column("force", ("N",) * 3))
    return Hello("cell 1", n, dt, columns, session, "two_link", 1.5e9, {"torque_max": (None, 3.0)})


def rows_of(rng: np.random.Generator, hello: Hello, count: int) -> np.ndarray:
    return rng.normal(size=(count, hello.width))


def binary(hello: Hello, first: int, rows: np.ndarray, t: np.ndarray | None = None) -> bytes:
    times = hello.dt * (first + np.arange(len(rows))) if t is None else t
    data = [r.astype("<f8").tobytes() for r in rows]
    return frame_bytes(hello.session, rows.shape[1], first, times.tolist(), data, "f64")


def greeted(hello: Hello, n: int | None = None) -> Reader:
    reader = Reader(n, clock=lambda: 0.0)
    assert reader.read(hello_text(hello)) == [hello]
    return reader
