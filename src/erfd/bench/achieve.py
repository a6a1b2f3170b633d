"""Benchmark of Algorithm 1 beside Pinocchio: cycles per second, variants, single steps.

The unit is `pin.abaInParallel` with one thread doing plain forward dynamics of the same robot.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..achieve.achievable import achievable, given_rows
from ..achieve.achiever import Achiever
from ..achieve.compiled_loop import CycleLoop
from ..achieve.variants import achievable_variants
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from .bars import met
from .measure import best_in_turns, one_core
from .models import pinocchio_model

WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
HOME = (0.0, 0.2, -0.3, 0.0, -0.8, 0.0)
FAR = (1.5, -0.8, 0.9, 1.0, 0.5, 2.0)
STATES, CALLS = 20_000, 1000
"""States of a batch of Pinocchio, and calls from Python."""
BARS = (
    ("one robot, all cycles calm", "loop", "at least", 10.0),
    ("one robot, a motion that saturates", "saturating", "", 0.0),
    ("one robot, all columns recorded", "recorded", "at least", 2.0),
    ("10,000 variants, payload, friction and wrench varied", "variants", "at least", 50.0),
    ("Achiever.step / one pin.aba call", "step", "at most", 2.0),
)


def motion(seconds: float, rounds: int) -> Trajectory:
    """Smooth moves between two postures of Lola 15, forth and back, in cycles of 10 ms."""
    dt = 0.01
    t = dt * np.arange(round(seconds / dt))
    s = t / (t[-1] + dt)
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    there = np.array(HOME) + s[:, None] * (np.array(FAR) - np.array(HOME))
    back = np.array(FAR) + s[:, None] * (np.array(HOME) - np.array(FAR))
    q = np.vstack([np.vstack([there, back])] * rounds)
    return Trajectory(dt * np.arange(len(q)), q)


def measure(robot: Robot, *, rounds: int = 9) -> dict[str, Any]:
    """Measure ns per cycle of everything, best of several rounds, and ratios to Pinocchio."""
    with one_core():
        cases, sizes = _cases(robot)
        best = best_in_turns(cases, rounds)
    ns = {name: seconds / sizes[name] * 1e9 for name, seconds in best.items()}
    ratios = {name: ns["unit"] / ns[name] for name in ns if name != "unit"} if "unit" in ns else {}
    if "call" in ns:
        ratios["step"] = ns["step"] / ns["call"]
        ratios.pop("call", None)
    return {"ns": ns, "ratios": ratios}


def _cases(robot: Robot) -> tuple[dict[str, Callable[[], Any]], dict[str, int]]:
    """The cases to time, and how many cycles (or states, or calls) each does."""
    calm, hard, short = motion(3.0, 30), motion(0.95, 30), motion(3.0, 1)
    count = 10_000
    rng = np.random.default_rng(1)
    varied: dict[str, Any] = {
        "payload": rng.uniform(0, 5, count),
        "wrench": rng.normal(scale=20, size=(count, 6)),
        "load_friction": rng.uniform(0, 0.3, (count, robot.n)),
    }
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
        cases["unit"], cases["call"] = _pinocchio(robot, STATES)
        sizes |= {"unit": STATES, "call": CALLS}
    for run in cases.values():
        run()  # compiles
    return cases, sizes


def _loop(robot: Robot, trajectory: Trajectory) -> Callable[[], Any]:
    """The compiled loop with its rows kept: state, accelerations and motor torques."""
    achiever = Achiever(robot, trajectory.dt, q0=trajectory.q[0])
    loop = CycleLoop.of(robot, achiever.cycle_options(wrench=True, payload=False))
    given = given_rows(trajectory.q, trajectory.qd)
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


def _pinocchio(robot: Robot, count: int) -> tuple[Callable[[], Any], Callable[[], None]]:
    """A batch of `pin.abaInParallel`, and `CALLS` calls of `pin.aba`."""
    pin = import_module("pinocchio")
    model = pinocchio_model(robot)
    pool, data = pin.ModelPool(model, 1), model.createData()
    rng = np.random.default_rng(0)
    q, qd, u = (rng.normal(size=(count, robot.n)).T for _ in range(3))
    out = np.empty_like(q)
    state = tuple(np.array(a[:, 0]) for a in (q, qd, u))

    def call() -> None:
        for _ in range(CALLS):
            pin.aba(model, data, *state)

    return lambda: pin.abaInParallel(1, pool, q, qd, u, out), call


def report(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The bars, their figures, and whether they were met (None: not measured, or no bar)."""
    rows = []
    for title, name, sense, limit in BARS:
        value = data["ratios"].get(name)
        row = {"bar": title, "sense": sense, "limit": limit, "found": value}
        rows.append(row | {"met": met(sense, limit, value), "ns": data["ns"][name]})
    return rows
