"""`Kernel`: one quantity of one robot, compiled, cached, and called like a NumPy function."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Any

from ..robot.model import Robot
from . import cache
from .cache_key import code_version, content_of
from .llvm.kernel_text import Layout
from .llvm.thread_team_text import SHARE
from .settings import Setting, check_backend, thread_count
from .thread_team import LOOP_DATA, use_threads
from .trace import MOST_JOINTS, MOST_JOINTS_OF

MOST_INSTRUCTIONS = 150_000
"""Traces of more instructions are not compiled (Lagrange-Euler of many joints)."""
EFFORT = ((6_000, 2), (25_000, 1))
"""LLVM's level by instructions, 0 beyond: its time grows faster than the code (docs/kernels.md)."""


_MAKING = threading.RLock()

if hasattr(os, "register_at_fork"):  # a process forked while it is held would wait for ever
    os.register_at_fork(
        before=_MAKING.acquire, after_in_parent=_MAKING.release, after_in_child=_MAKING.release
    )

_KEEP: list[Any] = []
"""What ufuncs point to is never released, nor is the machine code (`compiler.load_object`)."""


class Kernel:
    """A compiled quantity of one robot; `ufunc` is a NumPy generalized ufunc."""

    __slots__ = ("engine", "header", "layout", "single", "ufunc")

    def __init__(self, code: bytes, header: dict[str, Any], layout: Layout):
        from .compiler import load_object
        from .single_call import make_single
        from .ufunc import make_ufunc

        self.header, self.layout = header, layout
        self.engine = load_object(code)
        address = self.engine.get_function_address("erfd_loop")
        name = f"erfd_{header['quantity']}"
        text = f"{header['quantity']} of {header['robot']} by {header['method']}"
        counts = (len(layout.inputs), len(layout.outputs))
        data = LOOP_DATA.buffer_info()[0]
        self.ufunc, keep = make_ufunc(address, data, *counts, name, text, layout.signature)
        single = None
        if counts[1] == 1:
            single = make_single(self.engine.get_function_address("erfd_single"), name)
        self.single = single[0] if single else no_single_call
        _KEEP.append((keep, single))

    def __repr__(self) -> str:
        h = self.header
        return (
            f"Kernel({h['quantity']} of {h['robot']!r} by {h['method']}, {self.layout.signature})"
        )

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """Compute the quantity at these arguments; large batches go to several threads."""
        for a in arguments:
            if getattr(a, "size", 0) >= 2 * SHARE:
                use_threads(thread_count())
                break
        return self.ufunc(*arguments) if out is None else self.ufunc(*arguments, out=out)


def no_single_call(*arguments: Any) -> None:
    """Answer None to any arguments: `Kernel.single` where there is no function for one state."""


def kernel(
    robot: Robot, quantity: str, method: str = "auto", wrench: bool = False
) -> Kernel | None:
    """The compiled kernel of a quantity, from memory, disk or compiled now; None: use NumPy.

    `quantity` is one of `quantities.QUANTITIES`.
    """
    if Setting.backend == "numpy":
        return None
    try:
        compiled: Kernel | None = robot.memo[quantity, method, wrench]
    except KeyError:
        check_backend(Setting.backend, "ERFD_BACKEND")
        with _MAKING:  # one thread makes it, the others find it
            if (quantity, method, wrench) not in robot.memo:
                new = _make(robot, quantity, method, wrench)
                if new is not None and not wrench:
                    robot.memo.setdefault(quantity, {})[method] = new.single
                robot.memo[quantity, method, wrench] = new
        compiled = robot.memo[quantity, method, wrench]
    return compiled


def _make(robot: Robot, quantity: str, method: str, wrench: bool) -> Kernel | None:
    from .compiler import host

    limited = next((name for name in (method, quantity) if name in MOST_JOINTS_OF), None)
    most = MOST_JOINTS if limited is None else MOST_JOINTS_OF[limited]
    if robot.n > most:
        size = f"{robot.n} joints, more than the {most} that are unrolled"
        _warn_slow(f"robot {robot.name!r} has {size}{f' for {limited}' if limited else ''}")
        return None
    layout = layout_of(robot, quantity, wrench)
    key = _key(robot, quantity, method, wrench, host())
    stored = cache.read(key)
    if stored is not None:
        return Kernel(stored[1], stored[0], layout)
    built = build(robot, quantity, method, wrench)
    if built is None:
        return None
    header, code = built
    cache.write(key, header, code)
    return Kernel(code, header, layout)


def _warn_slow(reason: str) -> None:
    import warnings

    warnings.warn(f"{reason}: NumPy computes, which is slower", stacklevel=5)


def layout_of(robot: Robot, quantity: str, wrench: bool) -> Layout:
    """Arguments and results of a quantity, and where the trace's inputs come from."""
    from .quantities import QUANTITIES

    entry = QUANTITIES[quantity]
    names = ["q", *entry.arguments, *(["wrench"] if wrench else [])]
    shapes = tuple((6,) if name == "wrench" else (robot.n,) for name in names)
    place = {name: names.index(name) if name in names else 0 for name in ("qd", "x", "wrench")}
    leaves = (
        (0, "cos"), (0, "sin"), (0, ""), (place["qd"], ""), (place["x"], ""), (place["x"], ""),
        (place["wrench"], ""),
    )  # fmt: skip
    return Layout(shapes, entry.outputs(robot.n), leaves)


def build(
    robot: Robot, quantity: str, method: str, wrench: bool
) -> tuple[dict[str, Any], bytes] | None:
    """Trace, translate and compile; None (with a warning) if the trace is too long to unroll."""
    from .compiler import compile_object, host
    from .count import count_instructions
    from .llvm.instructions import instructions_of
    from .llvm.kernel_text import kernel_text
    from .quantities import HAS_METHODS
    from .single_call import single_text
    from .trace import quantity_trace

    if method == "auto":
        from .count import best_method

        method = best_method(robot, quantity, wrench) if quantity in HAS_METHODS else "ne_link"
    function = quantity_trace(robot, quantity, method, wrench)
    if function.n_instructions() > MOST_INSTRUCTIONS:
        size = f"{function.n_instructions()} instructions, more than {MOST_INSTRUCTIONS}"
        _warn_slow(f"{quantity} of robot {robot.name!r} by {method} has {size}")
        return None
    layout = layout_of(robot, quantity, wrench)
    text = kernel_text(instructions_of(function), layout, host().width, host().fused)
    text += single_text(layout)
    products, sums = count_instructions(function)
    header = {"robot": robot.name, "n": robot.n, "quantity": quantity, "method": method}
    header |= {"wrench": wrench, "multiplications": products, "additions": sums}
    effort = next((e for most, e in EFFORT if function.n_instructions() <= most), 0)
    return header, compile_object(text, effort)


def _key(robot: Robot, quantity: str, method: str, wrench: bool, machine: Any) -> str:
    """The cache key of the kernel, which changes with everything it depends on."""
    parts = (content_of(robot), quantity, method, wrench, code_version(), machine)
    return hashlib.sha256(repr(parts).encode()).hexdigest()
