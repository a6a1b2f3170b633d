"""`Kernel`: one quantity of one robot, compiled, cached, and called like a NumPy function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ground.arrays import Array
from ..ground.caller import warn_caller
from ..robot.model import Robot
from .cache_key import content_of
from .llvm.kernel_text import Layout
from .llvm.thread_team_text import SHARE
from .settings import Setting, check_backend, thread_count
from .thread_team import LOOP_DATA, use_threads
from .trace import MOST_JOINTS, MOST_JOINTS_OF

if TYPE_CHECKING:
    from .machine_code import Assembly

MOST_INSTRUCTIONS = 150_000
"""Traces of more instructions are not compiled (Lagrange-Euler of many joints)."""

_KEEP: list[Any] = []
"""What ufuncs point to is never released, nor is the machine code (`compiler.load_object`)."""


class Kernel:
    """A compiled quantity of one robot; `ufunc` is a NumPy generalized ufunc."""

    __slots__ = ("engine", "header", "layout", "single", "ufunc")

    def __init__(self, engine: Any, header: dict[str, Any], layout: Layout):
        from .single_call import make_single
        from .ufunc import make_ufunc

        self.engine, self.header, self.layout = engine, header, layout
        address = engine.get_function_address("erfd_loop")
        name = f"erfd_{header['quantity']}"
        text = f"{header['quantity']} of {header['robot']} by {header['method']}"
        counts = (len(layout.inputs), len(layout.outputs))
        data = LOOP_DATA.buffer_info()[0]
        self.ufunc, keep = make_ufunc(address, data, *counts, name, text, layout.signature)
        single = None
        if counts[1] == 1:
            single = make_single(engine.get_function_address("erfd_single"), name)
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


class TooLongError(Exception):
    """A robot or a trace is too long to be compiled; the message says how long."""


def kernel(
    robot: Robot, quantity: str, method: str = "auto", wrench: bool = False
) -> Kernel | None:
    """The compiled kernel of a quantity, from memory, disk or compiled now; None: use NumPy.

    `quantity` is one of `quantities.QUANTITIES`.
    """
    if Setting.backend == "numpy":
        return None
    return robot.once(
        (Kernel, quantity, method, wrench), lambda: _make(robot, quantity, method, wrench)
    )


def single_call(robot: Any, quantity: str, method: str) -> Callable[..., Array | None]:
    """The fast function for one state in plain arrays; it answers None to all else."""
    if Setting.backend == "numpy":
        return no_single_call
    try:
        function: Callable[..., Array | None] = robot.memo[quantity][method]
    except (KeyError, AttributeError, TypeError):  # not compiled yet, or not a robot or method
        return no_single_call
    return function


def ready_kernel(robot: Any, quantity: str, method: str, wrench: bool) -> Kernel | None:
    """The kernel if it has been made; None: ask `kernel`, which costs a little more."""
    if Setting.backend == "numpy":
        return None
    try:
        ready: Kernel = robot.memo[quantity][method, wrench]
    except (KeyError, AttributeError, TypeError):  # as above
        return None
    return ready


def _make(robot: Robot, quantity: str, method: str, wrench: bool) -> Kernel | None:
    from .machine_code import MachineCode

    check_backend(Setting.backend, "ERFD_BACKEND")
    try:
        _require_few_joints(robot, quantity, method)
        parts = (content_of(robot), quantity, method, wrench)
        code = MachineCode(parts, lambda: build(robot, quantity, method, wrench))
    except TooLongError as reason:
        warn_caller(f"{reason}: NumPy computes, which is slower")
        return None
    new = Kernel(code.engine, code.header, layout_of(robot, quantity, wrench))
    ready: dict[Any, Any] = robot.once(quantity, dict)  # for `ready_kernel` and `single_call`
    ready[method, wrench] = new
    if not wrench:
        ready[method] = new.single
    return new


def _require_few_joints(robot: Robot, quantity: str, method: str) -> None:
    limited = next((name for name in (method, quantity) if name in MOST_JOINTS_OF), None)
    most = MOST_JOINTS if limited is None else MOST_JOINTS_OF[limited]
    if robot.n > most:
        size = f"{robot.n} joints, more than the {most} that are unrolled"
        raise TooLongError(f"robot {robot.name!r} has {size}{f' for {limited}' if limited else ''}")


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


def build(robot: Robot, quantity: str, method: str, wrench: bool) -> Assembly:
    """Trace and translate; a `TooLongError` if the trace is too long to unroll."""
    from .compiler import host
    from .count import best_method, count_instructions
    from .llvm.instructions import instructions_of
    from .llvm.kernel_text import kernel_text
    from .machine_code import Assembly, effort_for, header_of
    from .quantities import HAS_METHODS
    from .single_call import single_text
    from .trace import quantity_trace

    if method == "auto":
        method = best_method(robot, quantity, wrench) if quantity in HAS_METHODS else "ne_link"
    function = quantity_trace(robot, quantity, method, wrench)
    length = function.n_instructions()
    if length > MOST_INSTRUCTIONS:
        size = f"{length} instructions, more than {MOST_INSTRUCTIONS}"
        raise TooLongError(f"{quantity} of robot {robot.name!r} by {method} has {size}")
    layout = layout_of(robot, quantity, wrench)
    text = kernel_text(instructions_of(function), layout, host().width, host().fused)
    products, sums = count_instructions(function)
    header = header_of(robot, quantity, method)
    header |= {"wrench": wrench, "multiplications": products, "additions": sums}
    return Assembly(header, text + single_text(layout), effort_for(length))
