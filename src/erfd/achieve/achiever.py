"""Algorithm 1 step by step, for controllers and loops of one's own: `Achiever` and its `Cycle`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..drives.drives import Drives
from ..drives.parameters import parameter_rows, parameters_of
from ..errors import InputError
from ..kernels.choice import compiles
from ..mechanics.dynamics import inverse_dynamics
from ..robot.model import Robot
from ..robot.payload import Payload, with_payload
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop
from .cycle import CALM, HARD, NOTES, CycleOptions, row_size

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
POLICIES = ("consistent", "printed")
FOLLOWS = ("velocity", "position")


class Cycle:
    """What one cycle came to: the state at its end, accelerations, motor torques, arrays (n,).

    `side` is the limit a motor is at (-1, 0, +1), `torque_wanted` what it would have needed,
    `clipped` which limit bent the wanted motion (see `events.LIMITS`, 0 is none), `stalled` whether
    a motor cannot even hold its rotor against gravity, load and wrench.
    """

    __slots__ = ("_n", "_printed", "_row", "_stalled")

    def __init__(self, row: Array, n: int, printed: bool, stalled: Callable[[Cycle], Mask]):
        self._row, self._n, self._printed, self._stalled = row, n, printed, stalled

    def __repr__(self) -> str:
        tight = [i + 1 for i in np.flatnonzero(self.side)]
        return f"Cycle({self._n} joints, saturated motors: {tight or 'none'})"

    def _part(self, k: int) -> Array:
        return self._row[k * self._n : (k + 1) * self._n]

    def _later(self, name: str) -> Array:
        k = len(CALM) + (*HARD, *NOTES).index(name)
        return self._row[k * self._n + 1 : (k + 1) * self._n + 1]

    @property
    def _hard(self) -> bool:
        return self._printed or bool(self._row[len(CALM) * self._n] > 0)

    @property
    def q(self) -> Array:
        """Joint positions at the end of the cycle, rad (m)."""
        return self._part(0)

    @property
    def qd(self) -> Array:
        """Joint velocities at the end of the cycle, rad/s."""
        return self._part(1)

    @property
    def qdd(self) -> Array:
        """Achieved joint accelerations, rad/s2."""
        return self._part(2)

    @property
    def qdd_wanted(self) -> Array:
        """The accelerations that were asked for within the limits of speed and position."""
        return self._later("wanted") if self._hard else self._part(2)

    @property
    def torque(self) -> Array:
        """Motor torques, N m."""
        return self._part(3)

    @property
    def torque_wanted(self) -> Array:
        """Motor torques that the wanted motion would have needed, N m."""
        return self._later("needed") if self._hard else self._part(3)

    @property
    def torque_max(self) -> Array:
        """Motor torque limits at the speed at the start of the cycle, N m."""
        return self._later("limit")

    @property
    def side(self) -> Array:
        """The limit a motor is at: -1, 0 (none) or 1."""
        return self._later("side") if self._hard else np.zeros(self._n)

    @property
    def clipped(self) -> Array:
        """Which limit bent the wanted motion, a key of `events.LIMITS`, or 0."""
        return self._later("clipped")

    @property
    def stalled(self) -> Mask:
        """Motors at a limit that cannot hold the arm where it was, at rest, friction helping."""
        return self._stalled(self) if self.side.any() else np.zeros(self._n, dtype=bool)


class Achiever:
    """Algorithm 1 step by step, for controllers: `step(q_given, qd_given)` is one cycle of dt s."""

    def __init__(
        self,
        robot: Robot,
        dt: float,
        *,
        policy: str = "consistent",
        follow: str = "velocity",
        torque_path: str = "virtual-work",
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
    ):
        for name, value, known in (("policy", policy, POLICIES), ("follow", follow, FOLLOWS)):
            if value not in known:
                raise InputError(f"{name}: expected one of {', '.join(known)}, found {value!r}")
        if not (np.isfinite(dt) and dt > 0):
            raise InputError(f"dt: expected a time > 0 s, found {dt}")
        self.robot, self.dt, self.policy, self.follow = robot, float(dt), policy, follow
        path = "diagonal" if policy == "printed" else torque_path
        self.drives = Drives.of(robot, path=path)
        self.values = parameters_of(robot, self.drives)
        n = robot.n
        self.parameters = parameter_rows(self.values, self.dt, n, 1)
        self._given = np.zeros((1, 2 * n))
        self.restart(q0, qd0)
        self._kept: list[tuple[Any, ...]] = []
        self._ways: dict[tuple[bool, bool], Callable[..., Array]] = {}
        self._carried: tuple[Payload | None, Array] = (None, np.zeros((1, 1, 1)))

    def restart(self, q0: ArrayLike | None = None, qd0: ArrayLike | None = None) -> None:
        """Begin anew at these joint positions and velocities; left out, they are zero."""
        q, qd = self._start("q0", q0), self._start("qd0", qd0)
        low, high = self.values["low"], self.values["high"]
        outside = (q < low - 1e-9) | (q > high + 1e-9)
        if outside.any():
            i = int(outside.argmax())
            bounds = f"{low[i]:g} to {high[i]:g}"
            raise InputError(f"q0: expected joint {i + 1} within {bounds}, found {q[i]:g}")
        self._state = np.concatenate([q, qd])

    @property
    def q(self) -> Array:
        """Joint positions now, rad (m)."""
        return self._state[: self.robot.n].copy()

    @property
    def qd(self) -> Array:
        """Joint velocities now, rad/s."""
        return self._state[self.robot.n :].copy()

    def __repr__(self) -> str:
        return f"Achiever({self.robot.name!r}, dt = {self.dt:g} s, policy = {self.policy!r})"

    def _start(self, name: str, value: ArrayLike | None) -> Array:
        n = self.robot.n
        array = np.zeros(n) if value is None else np.array(value, dtype=np.float64)
        if array.shape != (n,) or not np.isfinite(array).all():
            raise InputError(f"{name}: expected {n} finite numbers, found {array!r:.80}")
        return array

    def variety(self, wrench: bool, payload: bool) -> CycleOptions:
        """What the traces must know."""
        return CycleOptions(self.drives.path, self.follow, self.policy, wrench, payload)

    def step(
        self,
        q_given: ArrayLike,
        qd_given: ArrayLike,
        *,
        wrench: ArrayLike | None = None,
        payload: Payload | None = None,
    ) -> Cycle:
        """One cycle towards the given position and velocity; keeps the new state."""
        n, given = self.robot.n, self._given[0]
        try:
            given[:n] = q_given
            given[n:] = qd_given
        except (TypeError, ValueError):
            self._start("q_given", q_given), self._start("qd_given", qd_given)
            raise
        kind = (wrench is not None, payload is not None)
        way = self._ways.get(kind)
        if way is None:
            way = self._ways[kind] = self._way(*kind)
        row = way(wrench, payload)
        if row is None:
            self._start("q_given", q_given), self._start("qd_given", qd_given)
            raise InputError("step: expected finite results: the arguments are too large")
        start = self._state
        self._state = row[: 2 * n]
        stalled = partial(self._stalled, start[:n], wrench, payload)
        return Cycle(row, n, self.policy == "printed", stalled)

    def _way(self, wrench: bool, payload: bool) -> Callable[..., Any]:
        """How a cycle is computed: `way(wrench, payload) -> row`, None if it is no number."""
        variety, robot = self.variety(wrench, payload), self.robot
        steps = partial(self._step_by_casadi, variety)
        if not compiles(robot):
            return steps
        loop = CycleLoop.of(robot, variety)
        n, work = robot.n, loop.work.copy()
        fixed, given, state = self.parameters, self._given, np.zeros(2 * n)
        push, body = np.zeros(6), np.zeros(max(len(loop.bodies.places), 1))
        row = np.zeros(row_size(n))
        arrays = (state, given, push, body, fixed, work, row)
        at, asked, pushed, carried, known, worked, into = (a.ctypes.data for a in arrays)
        frame = np.array([at, asked, 0, pushed, 0, carried, 0, known, worked, into, 0, 0, 1, 1])
        self._kept.append((*arrays, frame))  # the machine code holds their addresses
        step, address = loop.step, frame.ctypes.data

        def way(wrench: ArrayLike | None, payload: Payload | None) -> Any:
            state[:] = self._state
            if wrench is not None:
                push[:] = self._wrench(wrench)
            if payload is not None:
                body[:] = self._body(payload, variety)[0, :, 0]
            if step(address):
                return row.copy()
            return steps(wrench, payload)

        return way

    def _step_by_casadi(
        self, variety: CycleOptions, wrench: ArrayLike | None, payload: Payload | None
    ) -> Array | None:
        if not np.isfinite(self._given).all():  # CasADi's fmin would hide it
            return None
        push = None if wrench is None else self._wrench(wrench)[None, :, None]
        body = None if payload is None else self._body(payload, variety)
        steps = CasadiLoop.of(self.robot, variety)
        rows = steps.run(self._state[:, None], self._given, self.parameters, wrench=push, body=body)
        found: Array = rows[1, :, 0]
        return found if np.isfinite(found[: 2 * self.robot.n]).all() else None

    def _wrench(self, wrench: ArrayLike) -> Array:
        found: Array = per_point("wrench", wrench, 1)[0]  # type: ignore[index]
        return found

    def _body(self, payload: Payload, variety: CycleOptions) -> Array:
        """The payload as the trace takes it, (1, places, 1)."""
        if self._carried[0] is not payload:
            numbers = CasadiLoop.of(self.robot, variety).bodies.numbers([payload])
            self._carried = (payload, numbers[:, :, None])
        return self._carried[1]

    def _stalled(
        self, q: Array, wrench: ArrayLike | None, payload: Payload | None, cycle: Cycle
    ) -> Mask:
        """Motors that cannot hold the arm where it is, at rest, with friction helping."""
        still = np.zeros(self.robot.n)
        robot = with_payload(self.robot, payload)
        u = inverse_dynamics(robot, q, still, still, wrench=wrench)
        hold = self.drives.cannot_hold(self.drives.load(u), cycle.torque_max)
        return np.asarray(hold & (cycle.side != 0))


def per_point(name: str, value: ArrayLike | None, size: int) -> Array | None:
    """A wrench for each of `size` points, (size, 6), from one or all."""
    if value is None:
        return None
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((6,), (size, 6)) or not np.isfinite(array).all():
        raise InputError(f"{name}: expected finite (6,) or ({size}, 6), found {array.shape}")
    return np.broadcast_to(array, (size, 6))
