"""Reference cycles that the generated step must reproduce, of a motion that saturates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...achieve.achiever import Achiever, Cycle
from ...achieve.symbols import CycleOptions
from ...ground.arrays import Array
from ...kernels.settings import backend
from ...mechanics.dynamics import external_torque
from ...robot.model import Robot
from ...robot.payload import Payload, payload_numbers
from ...robot.pose import Mat3
from ..references import SMALL

RESULTS = ("q", "qd", "qdd", "qdd_wanted", "torque", "torque_wanted", "torque_max", "stop")
"""Results of a cycle that are compared with `TOLERANCE`; `side` and `clipped` must be the same."""
TOLERANCE = 1e-9
"""What the self-test allows, relative to the largest reference value of a result."""
CYCLES = 100
"""Length of the motion from which the reference cycles are taken."""
FAR = 0.5
"""An arm that lags more than this, rad (m), is put back: the printed policy may run away."""
TIGHT, LOOSE = 16, 8
"""Reference cycles with and without a motor at its limit, as far as there are so many."""


@dataclass(frozen=True, slots=True, eq=False)
class StepReferences:
    """Reference cycles: arrays (cycles, size) by name of what goes in and what comes out."""

    given: dict[str, Array]
    wanted: dict[str, Array]

    def __len__(self) -> int:
        return len(self.wanted["q"])

    @property
    def tight(self) -> int:
        """Cycles with a motor at its limit."""
        return int(_tight(self).sum())

    def scale(self, name: str) -> float:
        """The largest finite value of a result."""
        values = np.abs(self.wanted[name])
        return float(max(values[np.isfinite(values)].max(initial=0.0), SMALL))


def step_references(robot: Robot, dt: float, options: CycleOptions) -> StepReferences:
    """Compute cycles of a slow and a fast motion, always the same for the same robot.

    The motion is made faster until in a quarter of its cycles a motor is at its limit; without
    torque limits none ever is.
    """
    pace = 0.25
    slow = fast = _motion(robot, dt, options, pace)
    while _tight(fast).mean() < 0.25 and pace * dt < 1:
        pace *= 4
        fast = _motion(robot, dt, options, pace)
    loose = sorted({0, *_spread(~_tight(slow), LOOSE)})
    tight = _spread(_tight(fast), TIGHT)
    given, wanted = (
        {name: np.concatenate([values[loose], late[name][tight]]) for name, values in early.items()}
        for early, late in ((slow.given, fast.given), (slow.wanted, fast.wanted))
    )
    return StepReferences(given, wanted)


def _tight(cycles: StepReferences) -> Any:
    """Which cycles have a motor at its limit."""
    return (cycles.wanted["side"] != 0).any(axis=1)


def _spread(mask: Any, most: int) -> list[int]:
    """Up to `most` of the places where the mask is true, from first to last."""
    places = np.flatnonzero(mask)
    if len(places) <= most:
        return [int(k) for k in places]
    return [int(places[k]) for k in np.linspace(0, len(places) - 1, most).round().astype(int)]


def _motion(robot: Robot, dt: float, options: CycleOptions, pace: float) -> StepReferences:
    """Compute `CYCLES` cycles by `Achiever`, from rest towards a swing of every joint."""
    rng = np.random.default_rng(20)
    n = robot.n
    middle, width = np.array([_swing(j.position_min, j.position_max) for j in robot.joints]).T
    t = dt * np.arange(CYCLES + 1)[:, None]
    path = middle + width * np.sin(pace * rng.uniform(0.7, 1.3, n) * t + rng.uniform(-3, 3, n))
    rates = np.diff(path, axis=0) / dt
    wrenches = _wrenches(robot, middle, rng)
    payloads = _payloads(robot)
    ins: dict[str, list[Any]] = {}
    outs: dict[str, list[Any]] = {}
    settings = {"policy": options.policy, "follow": options.follow, "torque_path": options.path}
    with backend("numpy"):
        achiever = Achiever(robot, dt, q0=path[0], **settings)
        for k in range(CYCLES):
            if np.abs(achiever.q - path[k]).max() > FAR:
                achiever = Achiever(robot, dt, q0=path[k], qd0=rates[k], **settings)
            payload = payloads[k * len(payloads) // CYCLES]
            row = {"q": achiever.q, "qd": achiever.qd, "qd_before": achiever.qd_given}
            row |= {"q_given": path[k + 1], "qd_given": rates[k]}
            loads: dict[str, Any] = {}
            if options.wrench:
                row["wrench"] = loads["wrench"] = wrenches[k]
            if options.payload:
                row["payload"], loads["payload"] = np.array(payload_numbers(payload)), payload
            _put(ins, row)
            _put(outs, _results(achiever.step(path[k + 1], rates[k], **loads)))
    return StepReferences(*({name: np.array(v) for name, v in x.items()} for x in (ins, outs)))


def _swing(low: float, high: float) -> tuple[float, float]:
    """Middle and width of a swing well inside the limits, 1 rad (m) of them if there are none."""
    if not math.isfinite(low):
        low = high - 1.0 if math.isfinite(high) else -0.5
    if not math.isfinite(high):
        high = low + 1.0
    return (low + high) / 2, min(0.3 * (high - low), 0.8)


def _put(columns: dict[str, list[Any]], row: dict[str, Any]) -> None:
    """Append a row to columns."""
    for name, value in row.items():
        columns.setdefault(name, []).append(value)


def _results(cycle: Cycle) -> dict[str, Array]:
    """The results of a cycle by name."""
    return {name: getattr(cycle, name) for name in (*RESULTS, "side", "clipped")}


def _wrenches(robot: Robot, q: Array, rng: np.random.Generator) -> Array:
    """Wrenches (CYCLES, 6) that take up to a fifth of what the weakest motor can do."""
    units = rng.uniform(-1.0, 1.0, (CYCLES, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    with backend("numpy"):
        load = external_torque(robot, q, units) / np.abs(np.diag(np.array(robot.gear_matrix)))
    most = np.array([drive.torque_max for drive in robot.drives])
    room = most.min() / max(float(np.abs(load).max()), SMALL)
    return np.asarray(units * (0.2 * room if np.isfinite(room) else 10.0))


def _payloads(robot: Robot) -> list[Payload]:
    """Three loads that are gripped one after the other; masses that suit the arm."""
    mass = 0.02 * sum(link.mass for link in robot.links)
    first = Payload(0.0)
    second = Payload(mass, (0.02, -0.03, 0.05), _tensor(mass))
    return [first, second, Payload(mass / 2, (-0.04, 0.01, 0.08), _tensor(mass / 3))]


def _tensor(mass: float) -> Mat3:
    """The inertia of a body of about 0.1 m with all its products, kg m2."""
    m = mass * 0.01
    return ((m, 0.1 * m, -0.05 * m), (0.1 * m, 1.2 * m, 0.08 * m), (-0.05 * m, 0.08 * m, 0.9 * m))
