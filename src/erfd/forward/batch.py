"""Many simulations of one arm at once: initial states and inputs with a leading axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..ground.arguments import function_of
from ..ground.arrays import Array, as_numbers, finite_array
from ..robot.library import RobotLike, robot_of
from ..robot.payload import PayloadLike, payload_of
from ..run.run import Run
from .fixed_step import PythonLoop
from .record import record
from .simulate import (
    CHUNK,
    Progress,
    SimulationOptions,
    SimulationSetup,
    compiled_fence,
    engine_of,
    initial_modes,
    prepare,
    raise_if_outside,
    states_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The results of m simulations at R times; `runs[i]` is one of them as a `Run`.

    `t` (R,) in s; `q` (rad, m), `qd` and `qdd` per s and s2, (m, R, n).
    """

    setup: SimulationSetup
    t: Array
    q: Array
    qd: Array
    qdd: Array
    moments: Array
    asked: Array
    steps: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.moments)

    def __getitem__(self, i: int) -> Run:
        return record(self.setup, self.moments[i], self.asked[i % len(self.asked)], self.steps)

    def __iter__(self) -> Iterator[Run]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Runs({self.setup.robot.name!r}, {len(self)} of {len(self.t)} points)"


def simulate_batch(
    robot: RobotLike,
    q0: ArrayLike,
    qd0: ArrayLike,
    input: ArrayLike,
    *,
    duration: float | None = None,
    steps: int | None = None,
    dt: float = 0.001,
    method: str = "rk3",
    kind: str = "torque",
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    stops: str | None = "error",
    record_every: int = 1,
    progress: Progress | None = None,
) -> Runs:
    """Simulate one arm from many states or under many inputs at once.

    Compiled code takes as many simulations at once as the machine has lanes.

    Args:
        robot: The arm of n joints.
        q0: Joint positions at the start, (m, n), or (n,) for all, rad (m).
        qd0: Joint velocities at the start, (m, n), or (n,) for all, rad/s (m/s).
        input: Values (n,), or (N, n) each held for a step, for all; or (m, N, n).
        duration: How long, s; as long as the input if left out, and `steps`, too.
        steps: How many steps of dt, instead of `duration`.
        dt: The step, s.
        method: `rk3`, `rk4` or `semi-implicit`: fixed steps only.
        kind: What the input is: `torque` of the motors in N m, `voltage` in V, or `joint_torque`
            in N m (N), as for `simulate`.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates: (6,), or (N, 6) for every step, for all.
        payload: What the arm carries: a `Payload`, or kg at the tool point.
        stops: A joint that passes its limit is an `error`, or it stops there (`inelastic`), or
            limits are ignored (None).
        record_every: Record every so many steps.
        progress: Called with the simulations done and the simulations in all.

    Returns:
        `Runs`: t, q, qd and qdd of all, and each of them as a `Run`.

    Raises:
        InputError: An argument does not fit, or a joint passes its limit (`stops="error"`).

    >>> import numpy as np, erfd
    >>> robot = erfd.load("two_link")
    >>> erfd.simulate_batch(robot, np.zeros((3, 2)), [0, 0], [0, 0], duration=0.01).q.shape
    (3, 11, 2)
    """
    robot, payload = robot_of(robot), payload_of(payload)
    if progress is not None:
        function_of("progress", progress)
    values = as_numbers("input", input)
    each = values[0] if values.ndim == 3 and len(values) else values
    options = SimulationOptions(
        duration, steps, dt, method, kind, wrench, payload, stops, None, record_every
    )
    setup, source = prepare(robot, each, options)
    if method == "dop853":
        raise InputError("method: expected a fixed-step method for a batch, found 'dop853'")
    if values.ndim != 3:
        assert source.rows is not None
        values = source.rows[None]
    state = _states(setup, q0, qd0, len(values))
    lanes = state.shape[1]
    values = finite_array("input", values, values.shape)
    rows = np.broadcast_to(values, (lanes, *values.shape[1:]))
    count = min(setup.steps, values.shape[1])
    moments = _all_lanes(setup, state, rows[:, :count], progress)
    index = np.arange(moments.shape[1], dtype=np.int64) * setup.every
    asked = values[:, np.minimum(index, count - 1)]
    n = robot.n
    K_inverse: Array = np.array(setup.plant.K_inverse)
    q, w = moments[:, :, :n], moments[:, :, n : 2 * n]
    y = moments[:, :, setup.plant.size : setup.plant.size + n]
    t = index.astype(np.float64) * dt
    return Runs(setup, t, q, w @ K_inverse.T, y @ K_inverse.T, moments, asked, index)


def _states(setup: SimulationSetup, q0: ArrayLike, qd0: ArrayLike, inputs: int) -> Array:
    """The states at the start, (size, m), within the limits that are watched."""
    n, pair = setup.plant.n, []
    for name, value in (("q0", q0), ("qd0", qd0)):
        array = np.atleast_2d(as_numbers(name, value))
        pair.append(finite_array(name, array, (len(array), n)))
    try:
        m = np.broadcast_shapes((len(pair[0]),), (len(pair[1]),), (inputs,))[0]
    except ValueError:
        found = f"{len(pair[0])}, {len(pair[1])} and {inputs}"
        raise InputError(f"q0, qd0, input: expected as many of each, found {found}") from None
    return states_of(setup, *(np.broadcast_to(x, (m, n)) for x in pair))


def _all_lanes(
    setup: SimulationSetup, state: Array, rows: Array, progress: Progress | None
) -> Array:
    """Simulate all lanes: moments (m, R, row); compiled code takes as many at once as it has."""
    from ..kernels.compiler import host
    from ..kernels.settings import Setting

    m = state.shape[1]
    width = 1 if m == 1 else m if Setting.backend == "numpy" else host().width
    groups = []
    for first in range(0, m, width):
        lanes = np.minimum(np.arange(first, first + width), m - 1)  # the last ones stand in
        part = _group(setup, state[:, lanes].copy(), rows[lanes])
        groups.append(np.moveaxis(part, 2, 0)[: m - first])
        if progress is not None:
            progress(min(first + width, m), m)
    return groups[0] if len(groups) == 1 else np.concatenate(groups)


def _group(setup: SimulationSetup, state: Array, rows: Array) -> Array:
    """Simulate one group of lanes: moments (R, row, lanes)."""
    n, lanes = setup.plant.n, state.shape[1]
    engine: Any = engine_of(setup, state[:n], lanes)
    fence = setup.fence if isinstance(engine, PythonLoop) else compiled_fence(setup)
    modes, chunks, done = initial_modes(n, lanes), [], 0
    chunk = -(-CHUNK // setup.every) * setup.every
    while done < setup.steps:
        size = min(chunk, setup.steps - done)
        k = np.minimum(np.arange(done, done + size + 1), rows.shape[1] - 1)
        asked = np.moveaxis(rows[:, k if rows.shape[1] > 1 else [0]], 0, 2)
        inputs = np.stack(
            [setup.with_wrench(asked[..., j], done, size + 1) for j in range(lanes)], axis=2
        )
        part, taken = engine.run(state, modes, inputs, steps=size, every=setup.every, fence=fence)
        chunks.append(part if done + size == setup.steps else part[:-1])
        done += taken
        outside = ~((state[:n] >= fence[0][:, None]) & (state[:n] <= fence[1][:, None]))
        if outside.any():
            raise_if_outside(setup, state[:n, int(outside.any(axis=0).argmax())], done)
            limit = "1e5 rad: such motions are for simulate, one by one"
            raise InputError(f"q: expected angles below {limit}, found more at step {done}")
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
