"""Algorithm 1 cycle by cycle, for controllers: `Achiever` and the `Cycle` it returns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..drives.drives import Drives
from ..drives.parameters import parameter_rows, parameters_of
from ..errors import InputError
from ..ground.arguments import choice_of, number_of
from ..ground.arrays import Array, Mask, finite_vector
from ..kernels.choice import compiles
from ..mechanics.dynamics import inverse_dynamics
from ..robot.library import RobotLike, robot_of
from ..robot.limits import check_within
from ..robot.payload import Payload, with_payload
from ..run.events import STOP
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop
from .loads import spread_wrench
from .symbols import (
    CYCLE_VECTORS,
    GIVEN_VECTORS,
    NOTE_VECTORS,
    SATURATED_VECTORS,
    CycleOptions,
    row_size,
)

POLICIES = ("consistent", "printed")
FOLLOWS = ("velocity", "position")
RUN_AWAY = (
    "step: expected a motion that parts of the cycle can follow: the arm runs away, or the"
    " arguments are too large; restart begins anew"
)


class Cycle:
    """The result of one cycle: the state at its end, accelerations, motor torques, arrays (n,).

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
        """Vector k of `CYCLE_VECTORS`."""
        return self._row[k * self._n : (k + 1) * self._n]

    def _extra(self, name: str) -> Array:
        """A vector of `SATURATED_VECTORS` or `NOTE_VECTORS` by name."""
        k = len(CYCLE_VECTORS) + (*SATURATED_VECTORS, *NOTE_VECTORS).index(name)
        return self._row[k * self._n + 1 : (k + 1) * self._n + 1]

    @property
    def _saturated(self) -> bool:
        """Whether the cycle has the vectors of `SATURATED_VECTORS`."""
        return self._printed or bool(self._row[len(CYCLE_VECTORS) * self._n] > 0)

    @property
    def q(self) -> Array:
        """Joint positions at the end of the cycle, rad (m)."""
        return self._part(0)

    @property
    def qd(self) -> Array:
        """Joint velocities at the end of the cycle, rad/s (m/s)."""
        return self._part(1)

    @property
    def qdd(self) -> Array:
        """Achieved joint accelerations, rad/s2 (m/s2)."""
        return self._part(2)

    @property
    def qdd_wanted(self) -> Array:
        """The accelerations asked for within the limits of speed and position, rad/s2 (m/s2)."""
        return self._extra("wanted") if self._saturated else self._part(2)

    @property
    def torque(self) -> Array:
        """Motor torques, N m."""
        return self._part(3)

    @property
    def torque_wanted(self) -> Array:
        """Motor torques that the programmed acceleration would have needed, N m.

        That is the change of the given velocity since the last cycle, at the arm's own state: what
        catching up after a shortfall would ask is not in it.
        """
        return self._extra("needed") if self._saturated else self._part(3)

    @property
    def torque_max(self) -> Array:
        """Motor torque limits at the speed at the start of the cycle, N m."""
        return self._extra("limit")

    @property
    def side(self) -> Array:
        """The limit a motor is at: -1, 0 (none) or 1."""
        return self._extra("side") if self._saturated else np.zeros(self._n)

    @property
    def clipped(self) -> Array:
        """Which limit bent the wanted motion, a key of `events.LIMITS`, or 0."""
        return np.where(self.stop != 0, STOP, self._extra("clipped"))

    @property
    def stop(self) -> Array:
        """Torques of the joints' stops, N m (N), means of the cycle."""
        return self._extra("stop") if self._saturated else np.zeros(self._n)

    @property
    def stalled(self) -> Mask:
        """Motors at a limit that cannot hold the arm where it was, at rest, friction helping."""
        return self._stalled(self) if self.side.any() else np.zeros(self._n, dtype=bool)


class Achiever:
    """Algorithm 1 cycle by cycle, for controllers: `step` is one cycle.

    Args:
        robot: The arm, with a drive for every joint.
        dt: The cycle time, s.
        policy: How a shortage of torque is shared: `consistent` (erratum 8) or `printed`.
        follow: What the arm follows after a shortfall: the programmed `velocity` or the `position`.
        torque_path: How joint torques come to the rotors: `virtual-work` or `diagonal`.
        q0: Joint positions at the start, (n,), rad (m); zero if left out.
        qd0: Joint velocities at the start, (n,), rad/s (m/s); zero if left out.

    >>> import erfd
    >>> achiever = erfd.Achiever(erfd.load("two_link"), 0.01)
    >>> achiever.step([0.001, 0.0], [0.1, 0.0]).q.shape
    (2,)
    """

    def __init__(
        self,
        robot: RobotLike,
        dt: float,
        *,
        policy: str = "consistent",
        follow: str = "velocity",
        torque_path: str = "virtual-work",
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
    ):
        robot = robot_of(robot)
        for name, value, allowed in (("policy", policy, POLICIES), ("follow", follow, FOLLOWS)):
            choice_of(name, value, allowed)
        dt = number_of("dt", dt, "a time > 0 s")
        if not dt > 0:
            raise InputError(f"dt: expected a time > 0 s, found {dt}")
        self.robot, self.dt, self.policy, self.follow = robot, float(dt), policy, follow
        path = "diagonal" if policy == "printed" else torque_path
        self.drives = Drives.of(robot, path=path)
        self.values = parameters_of(robot, self.drives)
        n = robot.n
        self.parameters = parameter_rows(self.values, self.dt, n, 1)
        self._given = np.zeros((1, len(GIVEN_VECTORS) * n))
        self.restart(q0, qd0)
        self._buffers: list[tuple[Any, ...]] = []
        self._steppers: dict[tuple[bool, bool], Callable[..., Array]] = {}
        self._body_input: tuple[Payload | None, Array] = (None, np.zeros((1, 1, 1)))

    def restart(self, q0: ArrayLike | None = None, qd0: ArrayLike | None = None) -> None:
        """Start again from a state.

        Args:
            q0: Joint positions, (n,), rad (m); zero if left out.
            qd0: Joint velocities, (n,), rad/s (m/s); zero if left out.

        Raises:
            InputError: A position is beyond the limits of its joint, or not finite.
        """
        q, qd = self._joint_vector("q0", q0), self._joint_vector("qd0", qd0)
        check_within("q0", q, self.values["low"], self.values["high"])
        self._state = np.concatenate([q, qd])
        self._given[0, self.robot.n : 2 * self.robot.n] = qd

    @property
    def q(self) -> Array:
        """Joint positions now, rad (m)."""
        return self._state[: self.robot.n].copy()

    @property
    def qd(self) -> Array:
        """Joint velocities now, rad/s (m/s)."""
        return self._state[self.robot.n :].copy()

    @property
    def qd_given(self) -> Array:
        """Joint velocities asked for in the last cycle, rad/s (m/s)."""
        return self._given[0, self.robot.n : 2 * self.robot.n].copy()

    def __repr__(self) -> str:
        return f"Achiever({self.robot.name!r}, dt = {self.dt:g} s, policy = {self.policy!r})"

    def _joint_vector(self, name: str, value: ArrayLike | None) -> Array:
        """Check a vector (n,) of finite numbers; zeros if there is none."""
        n = self.robot.n
        return np.zeros(n) if value is None else finite_vector(name, value, n)

    def cycle_options(self, wrench: bool, payload: bool) -> CycleOptions:
        """The options of the traces: this achiever's, with or without wrench and payload."""
        return CycleOptions(self.drives.path, self.follow, self.policy, wrench, payload)

    def step(
        self,
        q_given: ArrayLike,
        qd_given: ArrayLike,
        *,
        wrench: ArrayLike | None = None,
        payload: Payload | None = None,
    ) -> Cycle:
        """Do one cycle towards the given position and velocity; keep the new state.

        Args:
            q_given: Joint positions asked for at the end of the cycle, (n,), rad (m).
            qd_given: Joint velocities asked for, held during the cycle, (n,), rad/s (m/s).
            wrench: Force (N), then moment (N m), that the end effector exerts on the environment
                at the tool point, base coordinates, (6,).
            payload: What the arm carries.

        Returns:
            The `Cycle`: state at its end, accelerations, motor torques, limits that were met.

        Raises:
            InputError: An argument has another shape, or one that is read is not finite (`q_given`
                is read with `follow="position"`), or the arm runs away.
        """
        n, given = self.robot.n, self._given[0]
        try:
            given[:n] = q_given
            given[2 * n :] = given[n : 2 * n]
            given[n : 2 * n] = qd_given
        except (TypeError, ValueError):
            self._joint_vector("q_given", q_given), self._joint_vector("qd_given", qd_given)
            raise
        loads = (wrench is not None, payload is not None)
        stepper = self._steppers.get(loads)
        if stepper is None:
            stepper = self._steppers[loads] = self._stepper(*loads)
        try:
            row = stepper(wrench, payload)
        except BaseException:
            self._forget_given()
            raise
        if row is None:
            self._forget_given()
            self._joint_vector("q_given", q_given), self._joint_vector("qd_given", qd_given)
            raise InputError(RUN_AWAY)
        start = self._state
        self._state = row[: 2 * n]
        stalled = partial(self._stalled, start[:n], wrench, payload)
        return Cycle(row, n, self.policy == "printed", stalled)

    def _forget_given(self) -> None:
        """Take back the velocities of a step that was refused."""
        n = self.robot.n
        self._given[0, n : 2 * n] = self._given[0, 2 * n :]

    def _stepper(self, wrench: bool, payload: bool) -> Callable[..., Any]:
        """A function of wrench and payload that computes a cycle: its row, None if not finite."""
        options, robot = self.cycle_options(wrench, payload), self.robot
        by_casadi = partial(self._step_by_casadi, options)
        if not compiles(robot):
            return by_casadi
        loop = CycleLoop.of(robot, options)
        n, work = robot.n, loop.work.copy()
        fixed, given, state = self.parameters, self._given, np.zeros(2 * n)
        wrench_input, body = np.zeros(6), np.zeros(max(len(loop.bodies.places), 1))
        row = np.zeros(row_size(n))
        arrays = (state, given, wrench_input, body, fixed, work, row)
        state_at, given_at, wrench_at, body_at, fixed_at, work_at, row_at = (
            a.ctypes.data for a in arrays
        )
        frame = np.array(
            [state_at, given_at, 0, wrench_at, 0, body_at, 0, fixed_at, work_at, row_at, 0, 0, 1, 1]
        )
        self._buffers.append((*arrays, frame))  # the machine code holds their addresses
        step, address = loop.step, frame.ctypes.data

        def stepper(wrench: ArrayLike | None, payload: Payload | None) -> Any:
            state[:] = self._state
            if wrench is not None:
                wrench_input[:] = spread_wrench(wrench, 1)[0]
            if payload is not None:
                body[:] = self._body(payload, options)[0, :, 0]
            if step(address):
                return row.copy()
            return by_casadi(wrench, payload)

        return stepper

    def _step_by_casadi(
        self, options: CycleOptions, wrench: ArrayLike | None, payload: Payload | None
    ) -> Array | None:
        """The row of a cycle by CasADi, None if it is not finite."""
        if not np.isfinite(self._given).all():  # CasADi's fmin would hide it
            return None
        wrench_input = None if wrench is None else spread_wrench(wrench, 1)[:, :, None]
        body = None if payload is None else self._body(payload, options)
        loop = CasadiLoop.of(self.robot, options)
        rows = loop.run(
            self._state[:, None], self._given, self.parameters, wrench=wrench_input, body=body
        )
        if len(rows) < 2:
            return None
        row: Array = rows[1, :, 0]
        return row if np.isfinite(row[: 2 * self.robot.n]).all() else None

    def _body(self, payload: Payload, options: CycleOptions) -> Array:
        """The parameters that a payload changes, as the trace takes them, (1, places, 1)."""
        if self._body_input[0] is not payload:
            numbers = CasadiLoop.of(self.robot, options).bodies.numbers([payload])
            self._body_input = (payload, numbers[:, :, None])
        return self._body_input[1]

    def _stalled(
        self, q: Array, wrench: ArrayLike | None, payload: Payload | None, cycle: Cycle
    ) -> Mask:
        """Motors that cannot hold the arm where it is, at rest, with friction helping."""
        still = np.zeros(self.robot.n)
        robot = with_payload(self.robot, payload)
        u = inverse_dynamics(robot, q, still, still, wrench=wrench)
        hold = self.drives.cannot_hold(self.drives.load(u), cycle.torque_max)
        return np.asarray(hold & (cycle.side != 0))
