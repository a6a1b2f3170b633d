"""Benchmark of the cost against the number of joints, 1 to 32, beside Pinocchio."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..kernels.compiler import compile_object, load_object
from ..kernels.kernel import Kernel, TooLongError, build, layout_of
from ..kernels.settings import set_threads
from ..robot.synthetic import general_robot
from .measure import Effort, TimedCase, agree, best_times, difference
from .peers import Pinocchio
from .states import States, random_states

COSTS = ("forward_dynamics", "inverse_dynamics")


def chain_row(joints: int, effort: Effort) -> dict[str, Any]:
    """Measure counts, ns per state and compilation in s for one length; no file is kept."""
    robot = general_robot(joints)
    states = random_states(robot, effort.chain_states)
    peer = None if Pinocchio.missing() else Pinocchio(robot)
    row: dict[str, Any] = {"n": joints, "states": effort.chain_states}
    for quantity in COSTS:
        start = time.perf_counter()
        try:
            built = build(robot, quantity, "auto", False)
        except TooLongError:
            row[quantity] = {"gap": "too long to unroll"}
            continue
        engine = load_object(compile_object(built.text, built.effort))
        kernel = Kernel(engine, built.header, layout_of(robot, quantity, False))
        cost: dict[str, Any] = {"compile_s": time.perf_counter() - start}
        cost |= {key: built.header[key] for key in ("method", "multiplications", "additions")}
        cases = [_case(kernel, quantity, states, effort.chain_states)]
        if peer is not None:
            cases.append(peer.batch(quantity, states, effort.chain_states, 1))
        names = ("erfd", "pinocchio")
        for name, case, seconds in zip(names, cases, best_times(cases, effort), strict=False):
            cost[f"{name}_ns"] = seconds / case.states * 1e9
            cost[f"{name}_difference"] = difference(case.results(), states.results[quantity])
        cost["agrees"] = all(agree(cost[k]) for k in cost if k.endswith("_difference"))
        if "pinocchio_ns" in cost:
            cost["ratio"] = cost["pinocchio_ns"] / cost["erfd_ns"]
        row[quantity] = cost
    return row


def _case(kernel: Kernel, quantity: str, states: States, count: int) -> TimedCase:
    """The case of a kernel on one core."""
    given = states.arguments(quantity, count)
    out = np.empty_like(states.results[quantity][:count])
    names = {"kernel": kernel, **given, "out": out, "set_threads": set_threads}
    statement, setup = f"kernel({', '.join(given)}, out=out)", "set_threads(1)"

    def results() -> Any:
        return kernel(*given.values())

    return TimedCase("ERFD", "kernel", quantity, count, 1, statement, names, results, setup)
