"""Benchmark of Algorithm 1 beside Pinocchio: cycles per second, variants, single steps.

The unit is `pin.abaInParallel` with one thread doing plain forward dynamics of the same robot.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..achieve.achiever import Achiever
from ..achieve.compiled_loop import CycleLoop
from ..achieve.variants import achievable_variants
from ..kernels.settings import set_threads
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from .models import pinocchio_model

WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
HOME = (0.0, 0.2, -0.3, 0.0, -0.8, 0.0)
FAR = (1.5, -0.8, 0.9, 1.0, 0.5, 2.0)
BARS = (
    ("one robot, all cycles calm", "loop", "at least", 10.0),
    ("one robot, a motion that saturates", "saturating", "", 0.0),
    ("one robot, all columns recorded", "recorded", "at least", 2.0),
    ("10,000 variants, payload, friction and wrench varied", "variants", "at least", 50.0),
    ("Achiever.step / one pin.aba call", "step", "at most", 2.0),
)


def motion(seconds: float, rounds: int, dt: float = 0.01) -> Trajectory:
    """Smooth moves between two postures of Lola 15, forth and back."""
    t = dt * np.arange(round(seconds / dt))
    s = t / (t[-1] + dt)
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    there = np.array(HOME) + s[:, None] * (np.array(FAR) - np.array(HOME))
    back = np.array(FAR) + s[:, None] * (np.array(HOME) - np.array(FAR))
    q = np.vstack([np.vstack([there, back])] * rounds)
    return Trajectory(dt * np.arange(len(q)), q)


def measure(robot: Robot, *, rounds: int = 9, quick: bool = False) -> dict[str, Any]:
    """Measure ns per cycle of everything, best of several rounds, and ratios to Pinocchio."""
    set_threads(1)
    try:
        cases, sizes = _cases(robot, quick)
        best = {name: float("inf") for name in cases}
        for _ in range(rounds):
            for name, run in cases.items():
                begin = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - begin)
    finally:
        set_threads(None)
    ns = {name: seconds / sizes[name] * 1e9 for name, seconds in best.items()}
    ratios = {name: ns["unit"] / ns[name] for name in ns if name != "unit"} if "unit" in ns else {}
    if "call" in ns:
        ratios["step"] = ns["step"] / ns["call"]
        ratios.pop("call", None)
    return {"ns": ns, "ratios": ratios}


def _cases(robot: Robot, quick: bool) -> tuple[dict[str, Callable[[], Any]], dict[str, int]]:
    """The cases to time, and how many cycles (or states, or calls) each does."""
    calm, hard = motion(3.0, 1 if quick else 30), motion(0.95, 1 if quick else 30)
    count = 100 if quick else 10_000
    rng = np.random.default_rng(1)
    varied: dict[str, Any] = {
        "payload": rng.uniform(0, 5, count),
        "wrench": rng.normal(scale=20, size=(count, 6)),
        "load_friction": rng.uniform(0, 0.3, (count, robot.n)),
    }
    short = motion(3.0, 1)
    cases: dict[str, Callable[[], Any]] = {
        "loop": _loop(robot, calm),
        "saturating": _loop(robot, hard),
        "recorded": lambda: achievable(robot, calm, wrench=WRENCH),
        "variants": lambda: achievable_variants(robot, short, **varied),
    }
    sizes = {"loop": len(calm), "saturating": len(hard), "recorded": len(calm)}
    sizes["variants"] = count * len(short)
    cases["step"], sizes["step"] = _steps(robot, short), len(short) - 1
    if find_spec("pinocchio"):
        cases["unit"], cases["call"], states = _pinocchio(robot, 1000 if quick else 20_000)
        sizes |= {"unit": states, "call": 1000}
    for run in cases.values():
        run()  # compiles
    return cases, sizes


def _loop(robot: Robot, trajectory: Trajectory) -> Callable[[], Any]:
    """The compiled loop with its rows kept: state, accelerations and motor torques."""
    achiever = Achiever(robot, trajectory.dt, q0=trajectory.q[0])
    loop = CycleLoop.of(robot, achiever.cycle_options(wrench=True, payload=False))
    given = np.hstack([trajectory.q, trajectory.qd])
    state = np.concatenate([achiever.q, achiever.qd])[:, None]
    wrench = np.array(WRENCH)[None, :, None]
    return lambda: loop.run(state, given, achiever.parameters, wrench=wrench, last=True)


def _steps(robot: Robot, trajectory: Trajectory) -> Callable[[], None]:
    """Single steps of `Achiever`, called from Python."""
    q, qd = list(trajectory.q), list(trajectory.qd)

    def run() -> None:
        step = Achiever(robot, trajectory.dt, q0=q[0]).step
        for k in range(1, len(q)):
            step(q[k], qd[k])

    return run


def _pinocchio(robot: Robot, count: int) -> tuple[Callable[[], Any], Callable[[], None], int]:
    """A batch of `pin.abaInParallel`, 1000 calls of `pin.aba`, and the states of the batch."""
    pin = import_module("pinocchio")
    model = pinocchio_model(robot)
    pool, data = pin.ModelPool(model, 1), model.createData()
    rng = np.random.default_rng(0)
    q, qd, u = (rng.normal(size=(count, robot.n)).T for _ in range(3))
    out = np.empty_like(q)
    state = tuple(np.array(a[:, 0]) for a in (q, qd, u))

    def call() -> None:
        for _ in range(1000):
            pin.aba(model, data, *state)

    return lambda: pin.abaInParallel(1, pool, q, qd, u, out), call, count


def report(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The bars, their figures, and whether they were met (None: not measured, or no bar)."""
    rows = []
    for title, name, sense, limit in BARS:
        value = data["ratios"].get(name)
        met: bool | None = None
        if value is not None and sense:
            met = value >= limit if sense == "at least" else value <= limit
        row = {"bar": title, "sense": sense, "limit": limit, "found": value, "met": met}
        rows.append(row | {"ns": data["ns"][name]})
    return rows
