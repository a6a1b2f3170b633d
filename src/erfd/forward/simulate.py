"""Forward simulation: how an arm moves under torques or voltages (003, "Forward Arm").

>>> import erfd
>>> robot = erfd.load("two_link")
>>> run = erfd.simulate(robot, [0.5, 0.2], [0, 0], [0, 0], duration=0.1, kind="voltage")
>>> run["q"].shape
(101, 2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..ground.arguments import choice_of, function_of
from ..ground.arrays import Array, finite_array
from ..ground.caller import warn_caller
from ..kernels.llvm.sincos import LARGEST
from ..kernels.settings import Setting, check_backend
from ..mechanics.dispatch import require_regular
from ..robot.library import RobotLike, robot_of
from ..robot.limits import SLACK, check_within
from ..robot.model import Robot
from ..robot.payload import Payload, PayloadLike, payload_of, with_payload
from ..run.run import Run
from .fixed_step import PythonLoop
from .inputs import MOST_COUNT, InputSource, source_of, steps_in, steps_of, wrench_rows
from .integrators import METHODS
from .plant import KINDS, Plant, plant_of

STOPS = ("error", "inelastic", None)
CHUNK = 20_000
"""Steps between two reports of progress."""
PYTHON_CHUNK = 200
"""The same where NumPy takes the steps, a thousand times slower."""
MOST_ROWS = 20_000_000
"""Rows of a record times joints: 6 GB."""
MOST_ADAPTIVE = 1_000_000
"""Steps of dop853, which watches for events in each: some twenty minutes."""
LONGEST = 24
"""Arms of more joints are not compiled: the code that decides modes grows with their cube."""
Progress = Callable[[int, int], None]
"""Called with the steps done and the steps in all."""


@dataclass(frozen=True, slots=True, eq=False)
class SimulationOptions:
    """What `simulate` is asked for beside the robot, its state and its input."""

    duration: float | None
    steps: int | None
    dt: float
    method: str
    kind: str
    wrench: ArrayLike | None
    payload: Payload | None
    stops: str | None
    control_dt: float | None
    record_every: int


@dataclass(frozen=True, slots=True, eq=False)
class SimulationSetup:
    """The checked arguments of a simulation: plant, parameters, method, times, stops."""

    robot: Robot
    plant: Plant
    values: dict[str, Array]
    method: str
    dt: float
    steps: int
    every: int
    period: int
    stops: str | None
    wrench: Array | None
    payload: Payload | None

    @property
    def fence(self) -> Array:
        """Joint positions (2, n) beyond which the simulation ends."""
        if self.stops != "error":
            return np.array([[-np.inf], [np.inf]]) * np.ones(self.plant.n)
        low, high = self.values["low"], self.values["high"]
        return np.array([low - SLACK * (1 + np.abs(low)), high + SLACK * (1 + np.abs(high))])

    def with_wrench(self, values: Array, first: int, count: int) -> Array:
        """The input of some steps with the wrench behind it, (count or 1, k); `values` likewise."""
        if self.wrench is None:
            return values
        k = np.minimum(np.arange(first, first + count), len(self.wrench) - 1)
        wrench = self.wrench[k] if len(self.wrench) > 1 else self.wrench
        size = max(len(values), len(wrench))
        wide = (np.broadcast_to(x, (size, x.shape[1])) for x in (values, wrench))
        return np.hstack(list(wide))


@dataclass(slots=True, eq=False)
class SimulationRows:
    """The rows of a simulation: moments (R, plant.row), input asked for (R, n), step numbers."""

    moments: list[Array]
    asked: list[Array]
    steps: list[NDArray[np.int64]]


def simulate(
    robot: RobotLike,
    q0: ArrayLike,
    qd0: ArrayLike,
    input: ArrayLike | Any,
    *,
    duration: float | None = None,
    steps: int | None = None,
    dt: float = 0.001,
    method: str = "rk3",
    kind: str = "torque",
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    stops: str | None = "error",
    control_dt: float | None = None,
    record_every: int = 1,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    progress: Progress | None = None,
) -> Run:
    """Simulate how the arm moves from a state under torques or voltages.

    Args:
        robot: The arm of n joints.
        q0: Joint positions at the start, (n,), rad (m).
        qd0: Joint velocities at the start, (n,), rad/s (m/s).
        input: Values (n,), or (N, n) each held for a step; an `InputSchedule` or the name of its
            file; or a function f(t, q, qd) -> values (n,), whose values are held until its next
            call.
        duration: How long, s; as long as the input if left out, and `steps`, too.
        steps: How many steps of dt, instead of `duration`.
        dt: The step, s.
        method: `rk3` (the report's), `rk4` or `semi-implicit` with steps of dt, or `dop853` with
            tolerances, recorded every dt.
        kind: What the input is: `torque` of the motors in N m (of the joints, if the robot has no
            drives), `voltage` of the motors in V, or `joint_torque` in N m (N), which leaves the
            drives out.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates: (6,), or (N, 6) for every step.
        payload: What the arm carries: a `Payload`, or kg at the tool point.
        stops: A joint that passes its limit is an `error`, or it stops there (`inelastic`), or
            limits are ignored (None).
        control_dt: How often an input function is called, s, a multiple of dt; dt if left out.
        record_every: Record every so many steps.
        rtol: Relative tolerance of `dop853`.
        atol: Absolute tolerance of `dop853`, in the units of the state.
        progress: Called with the steps done and the steps in all.

    Returns:
        A `Run` with a row for every recorded step, the start first.

    Raises:
        InputError: An argument does not fit, a joint passes its limit (`stops="error"`), or the
            motion is no longer finite.
    """
    robot, payload = robot_of(robot), payload_of(payload)
    if progress is not None:
        function_of("progress", progress)
    options = SimulationOptions(
        duration, steps, dt, method, kind, wrench, payload, stops, control_dt, record_every
    )
    setup, source = prepare(robot, input, options)
    state = first_state(setup, q0, qd0)
    if method == "dop853":
        from .adaptive import AdaptiveLoop

        engine = engine_of(setup, state[: robot.n])
        loop = AdaptiveLoop(setup, engine, rtol, atol, progress)
        rows = loop.run(source, state[:, 0])
    else:
        rows = _fixed(setup, source, state, progress)
    from .record import record

    moments, asked = (np.concatenate(x) for x in (rows.moments, rows.asked))
    return record(setup, moments, asked, np.concatenate(rows.steps))


def prepare(
    robot: Robot, input: ArrayLike | Any, options: SimulationOptions
) -> tuple[SimulationSetup, InputSource]:
    """Check the arguments of `simulate`; `input` becomes an `InputSource`."""
    for name, allowed in {"method": METHODS, "kind": KINDS, "stops": STOPS}.items():
        choice_of(name, getattr(options, name), tuple(allowed))
    dt, control_dt, record_every = options.dt, options.control_dt, options.record_every
    if not isinstance(record_every, int | np.integer) or not 1 <= record_every <= MOST_COUNT:
        raise InputError(f"record_every: expected a whole number >= 1, found {record_every!r}")
    source = source_of(input, robot.n)
    count = steps_of(source, options.duration, options.steps, dt)
    if control_dt is not None and source.controller is None:
        raise InputError("control_dt: expected a function as input, found none")
    rows = count // int(record_every) + 1
    if rows * robot.n > MOST_ROWS:
        most, fewer = MOST_ROWS // robot.n, -(-rows * robot.n // MOST_ROWS) * record_every
        raise InputError(
            f"record_every: expected at most {most:,} rows of {robot.n} joints, which fill"
            f" gigabytes, found {rows:,}; {fewer} makes fewer"
        )
    if options.method == "dop853" and count > MOST_ADAPTIVE:
        raise InputError(
            f"steps: expected at most {MOST_ADAPTIVE:,} steps with dop853, found {count:,}; a fixed"
            " step (rk4) takes more, a longer dt makes fewer"
        )
    period = steps_in("control_dt", control_dt, dt) if control_dt is not None else 1
    wrenches = wrench_rows(options.wrench, count)
    arm = with_payload(robot, options.payload)
    require_regular(arm)
    plant, values = plant_of(
        arm, options.kind, wrench=wrenches is not None, stops=options.stops == "inelastic",
        ramp=source.linear,
    )  # fmt: skip
    setup = SimulationSetup(
        robot, plant, values, options.method, float(dt), count, int(record_every), period,
        options.stops, wrenches, options.payload,
    )  # fmt: skip
    return setup, source


def first_state(setup: SimulationSetup, q0: ArrayLike, qd0: ArrayLike) -> Array:
    """The first state, (size, 1); it must be within the limits that are watched."""
    n = setup.plant.n
    return states_of(setup, finite_array("q0", q0, (n,)), finite_array("qd0", qd0, (n,)))


def states_of(setup: SimulationSetup, q: Array, qd: Array) -> Array:
    """States (size, m) at q and qd, (m, n) each or (n,), within the limits that are watched."""
    plant, n = setup.plant, setup.plant.n
    if setup.stops is not None:
        low, high = setup.values["low"], setup.values["high"]
        check_within("q0", q, low, high)
        q = np.clip(q, low, high)
    state = np.zeros((plant.size, q.size // n))
    state[:n], state[n : 2 * n] = (x.reshape(n, -1) for x in (q.T, np.array(plant.K) @ qd.T))
    return state


def engine_of(setup: SimulationSetup, q: Array, width: int = 1) -> Any:
    """The compiled loop, or the NumPy steps where those are asked for or needed."""
    method = "rk4" if setup.method == "dop853" else setup.method
    check_backend(Setting.backend, "ERFD_BACKEND")
    n = setup.plant.n
    if Setting.backend != "numpy" and n > LONGEST:
        size = f"{n} joints, more than the {LONGEST} that are compiled"
        warn_caller(f"robot {setup.robot.name!r} has {size}: NumPy simulates")
    if Setting.backend == "numpy" or n > LONGEST or np.abs(q).max() > LARGEST:
        return PythonLoop(setup.plant, setup.values, method, setup.dt)
    from .compiled_loop import SimulationLoop

    return SimulationLoop(setup.plant, setup.values, method, setup.dt, width)


def compiled_fence(setup: SimulationSetup) -> Array:
    """The fence, within the range of the sine of compiled code, (2, n)."""
    turns = [joint.revolute for joint in setup.plant.robot.joints]
    most = np.where(turns, LARGEST, np.inf)
    low, high = setup.fence
    return np.array([np.maximum(low, -most), np.minimum(high, most)])


def _fixed(
    setup: SimulationSetup, source: InputSource, state: Array, progress: Progress | None
) -> SimulationRows:
    """Run all steps of a fixed-step method, chunk by chunk; a controller is asked before each."""
    n, total, every = setup.plant.n, setup.steps, setup.every
    engine = engine_of(setup, state[:n])
    fence = setup.fence if isinstance(engine, PythonLoop) else compiled_fence(setup)
    modes = initial_modes(n, 1)
    rows = SimulationRows([], [], [])
    K_inverse: Array = np.array(setup.plant.K_inverse)
    done = 0
    while done < total:
        if source.controller is not None:
            size = min(setup.period, total - done)
            q, qd = state[:n, 0].copy(), K_inverse @ state[n : 2 * n, 0]
            asked = source.ask(done * setup.dt, q, qd)[None]
        else:
            chunk = PYTHON_CHUNK if isinstance(engine, PythonLoop) else CHUNK
            size = min(-(-chunk // every) * every if every <= chunk else chunk, total - done)
            count = 1 if source.constant else size + 1
            asked = source.at_steps(done, count, setup.dt)
        last = done + size == total
        # every-th moments of the chunk, if it begins and ends with one; else all, to choose from
        pace = every if done % every == 0 and (last or size % every == 0) else 1
        inputs = setup.with_wrench(asked, done, size + 1)[:, :, None]
        moments, taken = engine.run(state, modes, inputs, steps=size, every=pace, fence=fence)
        index = np.arange(len(moments)) * pace
        keep = ((done + index) % every == 0) & ((index < size) | last)
        rows.moments.append(moments[keep, :, 0])
        rows.asked.append(asked[np.minimum(index[keep], len(asked) - 1), :n])
        rows.steps.append(done + index[keep])
        done += taken
        inside = taken == size and bool((state[:n, 0] >= fence[0]).all())
        if not (inside and bool((state[:n, 0] <= fence[1]).all())):
            raise_if_outside(setup, state[:n, 0], done)
            engine = PythonLoop(setup.plant, setup.values, setup.method, setup.dt)
            fence = setup.fence
        if progress is not None:
            progress(done, total)
    return rows


def initial_modes(n: int, lanes: int) -> Array:
    """Modes (4 n, lanes) before the first step: rotors at rest stick, no joint is held."""
    modes = np.zeros((4 * n, lanes))
    modes[n : 2 * n] = 1.0
    return modes


def raise_if_outside(
    setup: SimulationSetup, q: Array, step: int, time: float | None = None
) -> None:
    """Raise an error if a joint has passed a limit or the motion is not finite."""
    t = step * setup.dt if time is None else time
    if not np.isfinite(q).all():
        raise InputError(
            f"the motion of robot {setup.robot.name!r} is not finite after t = {t:g} s;"
            " a smaller dt or a smaller input may help"
        )
    low, high = setup.fence
    for i, joint in enumerate(setup.robot.joints):
        if q[i] < low[i] or q[i] > high[i]:
            limit = joint.position_max if q[i] > high[i] else joint.position_min
            unit = "rad" if joint.revolute else "m"
            raise InputError(
                f"joint {i + 1} ({joint.name}) passes its limit of {limit:.6g} {unit} at"
                f" t = {t:g} s (found {q[i]:.6g} {unit}); stops='inelastic' stops it there"
            )
