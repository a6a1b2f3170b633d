"""Many variants of one motion at once: other payloads, friction, wrenches, torque limits.

A study of thousands of variants keeps no columns; per variant it says whether the motors can do it,
how close they come to their limits, and how far the arm falls behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..drives.parameters import PARAMETERS, parameter_rows
from ..errors import InputError
from ..ground.arguments import instance_of
from ..ground.arrays import Array, as_numbers, shaped_array
from ..kernels.choice import compiles
from ..kernels.compiler import host
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike, robot_of
from ..robot.payload import Payload, payload_numbers
from .achievable import achiever_of, given_rows
from .achiever import Achiever
from .calm_batch import CalmBatch
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop, columns
from .loop_text import TALLY
from .symbols import CycleOptions

VARIED = ("load_friction", "coulomb", "viscous", "inertia", "torque_max")
"""Drive data that may differ from variant to variant."""


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """Results of V variants of one motion; arrays (V, n) but for `feasible` and `lost` (V,).

    `q` (rad, m) and `qd` (rad/s, m/s) at the end, `torque_peak` the largest motor torque (N m),
    `lag_peak` the largest distance from the given position (rad, m), `saturated` the time at a
    torque limit (s), `torque_max` the motor torque limit (N m). `lost` (V,) is the time at which
    the arm of a variant runs away (s), NaN if it does not; nothing else is known of such a variant.
    """

    q: Array
    qd: Array
    torque_peak: Array
    lag_peak: Array
    saturated: Array
    torque_max: Array
    lost: Array

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Whether no motor saturated and no joint fell behind (by more than rounding), (V,)."""
        return np.asarray((self.saturated == 0).all(axis=1) & (self.lag_peak < 1e-9).all(axis=1))

    @property
    def use(self) -> Array:
        """Torque peaks as parts of the limits, (V, n); 1 if a motor without torque is short."""
        short = np.where(np.isnan(self.saturated), np.nan, self.saturated > 0)
        some = self.torque_max > 0
        return np.where(some, self.torque_peak / np.where(some, self.torque_max, 1.0), short)

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"Variants({len(self)} of which {int(self.feasible.sum())} feasible)"


def achievable_variants(
    robot: RobotLike,
    trajectory: Trajectory,
    *,
    payload: Sequence[Payload | None] | ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    load_friction: ArrayLike | None = None,
    coulomb: ArrayLike | None = None,
    viscous: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    torque_max: ArrayLike | None = None,
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
) -> Variants:
    """Run Algorithm 1 for many variants of one motion, in one vectorised batch.

    The leading axis of an argument counts the V variants; what has none holds for all.

    Args:
        robot: The arm, with a drive for every joint.
        trajectory: The given motion of its n joints.
        payload: V payloads, or masses (V,) in kg at the tool point.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates, (V, 6) or (6,).
        load_friction: Gear friction as a part of the load on the rotor, (V, n) or (n,).
        coulomb: Dry friction at the rotors, N m, (V, n) or (n,).
        viscous: Viscous friction at the rotors, N m s/rad, (V, n) or (n,).
        inertia: Inertia of the rotors, kg m2, (V, n) or (n,).
        torque_max: Motor torque limits, N m, (V, n) or (n,); 0 is a motor that is switched off.
        follow: What the arm follows after a shortfall: the programmed `velocity` or the `position`.
        torque_path: How joint torques come to the rotors: `virtual-work` or `diagonal`.
        q0: Joint positions at the start, (n,), rad (m); the trajectory's if left out.
        qd0: Joint velocities at the start, (n,), rad/s (m/s); the trajectory's if left out.

    Returns:
        `Variants`: per variant whether it is feasible, torque peaks, lags, times at a limit.

    Raises:
        InputError: An argument has another shape, or none has a leading axis.

    >>> import numpy as np, erfd
    >>> robot = erfd.load("lola15")
    >>> t = 0.01 * np.arange(101)
    >>> motion = erfd.Trajectory(t, 0.2 * (1 - np.cos(np.pi * t[:, None])) * np.ones(6))
    >>> erfd.achievable_variants(robot, motion, payload=np.linspace(0, 20, 5)).feasible.tolist()
    [True, True, True, True, True]
    """
    robot = robot_of(robot)
    instance_of("trajectory", trajectory, Trajectory)
    achiever = achiever_of(robot, trajectory, q0, qd0, follow=follow, torque_path=torque_path)
    drive = (load_friction, coulomb, viscous, inertia, torque_max)
    values = dict(achiever.values)
    for name, value in zip(VARIED, drive, strict=True):
        if value is not None:
            values[name] = _rows(name, value, robot.n)
    payload_rows = None if payload is None else _payloads(payload)
    wrenches = None if wrench is None else _rows("wrench", wrench, 6)
    arguments = {**values, "payload": payload_rows, "wrench": wrenches}
    counts = {
        name: len(a) for name, a in arguments.items() if a is not None and a.ndim == 2
    }  # fmt: skip
    if not counts:
        raise InputError("variants: expected an argument with a leading axis, found none")
    count = max(counts.values())
    for name, size in counts.items():
        if size != count:
            raise InputError(f"{name}: expected {count} variants as elsewhere, found {size}")
    if wrenches is not None and wrenches.ndim == 1:
        wrenches = np.broadcast_to(wrenches, (count, 6))
    given = given_rows(trajectory.q, trajectory.qd)[1:]
    batch = _Batch(achiever, given, values, payload_rows, wrenches, count)
    state, tally = batch.machine_code() if compiles(robot) else batch.by_casadi()
    n = robot.n
    peak, lag, cycles = (tally[:, k * n : (k + 1) * n] for k in range(len(TALLY)))
    most = np.broadcast_to(values["torque_max"], (count, n))
    lost = np.where(tally[:, -1] < 0, np.nan, trajectory.t[0] + tally[:, -1] * achiever.dt)
    gone = ~np.isnan(lost)
    for values_after in (state, peak, lag, cycles):
        values_after[gone] = np.nan
    return Variants(state[:, :n], state[:, n:], peak, lag, cycles * achiever.dt, most, lost)


def _rows(name: str, value: ArrayLike, length: int) -> Array:
    """Check values (length,) or (V, length), as a `Drive` and `achievable` take them."""
    array = shaped_array(name, value, (length,), ("V", length))
    good = ~np.isnan(array) if name == "torque_max" else np.isfinite(array)
    wanted = "finite numbers"
    if name != "wrench":
        good &= array >= 0
        wanted = "numbers >= 0" if name == "torque_max" else "finite numbers >= 0"
    if name == "load_friction":
        good &= array < 1
        wanted = "numbers from 0 to below 1"
    if not good.all():
        raise InputError(f"{name}: expected {wanted}, found {array[~good][0]:g}")
    return array


def _payloads(value: Sequence[Payload | None] | ArrayLike) -> Array:
    """Ten numbers for each payload, (V, 10)."""
    if isinstance(value, Sequence):
        payloads = [p for p in value if p is None or isinstance(p, Payload)]
        if payloads and len(payloads) == len(value):
            return np.array([payload_numbers(p) for p in payloads]).reshape(-1, 10)
    masses = as_numbers("payload", value)
    if masses.ndim != 1 or not np.isfinite(masses).all() or (masses < 0).any():
        raise InputError("payload: expected payloads or masses >= 0 kg, (V,), found something else")
    if not len(masses):
        raise InputError("payload: expected at least one, found none")
    return np.hstack([masses[:, None], np.zeros((len(masses), 9))])


@dataclass(eq=False)
class _Batch:
    """All variants in blocks of as many as there are lanes; the last block is filled up."""

    achiever: Achiever
    given: Array
    values: dict[str, Array]
    payload_rows: Array | None
    wrench: Array | None
    count: int

    def __post_init__(self) -> None:
        achiever, loads = self.achiever, (self.wrench is not None, self.payload_rows is not None)
        self.robot, self.n = achiever.robot, achiever.robot.n
        self.options: CycleOptions = achiever.cycle_options(*loads)
        self.state = np.concatenate([achiever.q, achiever.qd])

    def machine_code(self) -> tuple[Array, Array]:
        """Run the compiled loops: final states (V, 2 n) and tallies (V, 3 n + 1)."""
        n, width = self.n, host().width
        loop = CycleLoop.of(self.robot, self.options, width)
        fixed, wrenches, payload_rows, body = self._blocks(loop)
        course = self._course()
        states = np.empty((len(fixed), 2 * n, width))
        tallies = np.zeros((len(fixed), len(TALLY) * n + 1, width))
        tallies[:, -1] = -1.0
        for k, tally in enumerate(tallies):
            wrench = wrenches[k][None]
            done, state = (
                course.along(wrench, payload_rows[k], fixed[k], tally) if course else (0, None)
            )
            if state is None:
                state = np.repeat(self.state[:, None], width, axis=1)
            if done < len(self.given):
                (row,) = loop.run(
                    state, self.given[done:], fixed[k], wrench=wrench, body=body[k][None],
                    tally=tally, last=True,
                )  # fmt: skip
                state = row[: 2 * n]
                tally[-1] += np.where(tally[-1] < 0, 0, done)
            states[k] = state
        by_variant = (a.transpose(0, 2, 1).reshape(-1, a.shape[1]) for a in (states, tallies))
        final, sums = (a[: self.count] for a in by_variant)
        return final, sums

    def _blocks(self, loop: CycleLoop) -> tuple[Array, Array, Array, Array]:
        """Parameters, wrenches, ten numbers and bodies, each (blocks, size, width)."""
        width = loop.width
        count = -(-self.count // width)
        lanes = np.minimum(np.arange(count * width), self.count - 1)

        def cut(values: Array) -> Array:
            spread = np.broadcast_to(values, (self.count, values.shape[-1]))[lanes]
            blocks = spread.reshape(count, width, -1).transpose(0, 2, 1)
            return np.ascontiguousarray(blocks)

        fixed = [cut(self.values[name]) for name in PARAMETERS]
        dt = self.achiever.dt
        fixed += [np.full((count, 1, width), dt), np.full((count, 1, width), 1 / dt)]
        wrench = np.zeros(6) if self.wrench is None else self.wrench
        payload_rows = np.zeros(10) if self.payload_rows is None else self.payload_rows
        bodies = np.zeros(1) if self.payload_rows is None else loop.bodies.inputs(self.payload_rows)
        return np.concatenate(fixed, axis=1), cut(wrench), cut(payload_rows), cut(bodies)

    def _course(self) -> _Course | None:
        """The motion that calm variants share, None where there is no such motion."""
        preview = self._preview()
        if preview is None:
            return None
        return _Course(CalmBatch.of(self.robot, self.options), preview, self.given[:, : self.n])

    def _preview(self) -> Array | None:
        """States before, accelerations, velocities and positions after (cycles, 5 n), if calm.

        Only where the next state does not depend on a shortfall: `follow="velocity"`.
        """
        if self.options.follow != "velocity":
            return None
        n = self.n
        plain = CycleOptions(self.options.path)
        unlimited = self.achiever.values | {"torque_max": np.full(n, np.inf)}
        fixed = parameter_rows(unlimited, self.achiever.dt, n, 1)
        rows = CycleLoop.of(self.robot, plain).run(self.state[:, None], self.given, fixed)[:, :, 0]
        if len(rows) < 1 + len(self.given):
            return None
        before, after = rows[:-1, : 2 * n], rows[1:]
        return np.hstack([before, after[:, 2 * n : 3 * n], after[:, n : 2 * n], after[:, :n]])

    def by_casadi(self) -> tuple[Array, Array]:
        """Compute the same by CasADi, variant by variant."""
        n = self.n
        loop = CasadiLoop.of(self.robot, self.options)
        bodies = None if self.payload_rows is None else loop.bodies.inputs(self.payload_rows)
        states, tallies = [], []
        for v in range(self.count):
            parameters = {k: a[v] if a.ndim == 2 else a for k, a in self.values.items()}
            fixed = parameter_rows(parameters, self.achiever.dt, n, 1)
            rows = loop.run(
                self.state[:, None], self.given, fixed,
                wrench=None if self.wrench is None else self.wrench[v][None, :, None],
                body=None if bodies is None else bodies[v][None, :, None],
            )[1:, :, 0]  # fmt: skip
            if len(rows) < len(self.given):
                lost = np.concatenate([np.full(len(TALLY) * n, np.nan), [float(len(rows))]])
                states.append(np.full(2 * n, np.nan))
                tallies.append(lost)
                continue
            cycle = columns(rows, n, "consistent")
            lag = np.abs(cycle["q"] - self.given[:, :n]).max(axis=0)
            peak = np.abs(cycle["torque"]).max(axis=0)
            states.append(rows[-1, : 2 * n])
            tallies.append(np.concatenate([peak, lag, np.abs(cycle["side"]).sum(axis=0), [-1.0]]))
        return np.array(states), np.array(tallies)


class _Course:
    """The motion that all variants share while no motor saturates."""

    def __init__(self, batch: CalmBatch, preview: Array, given: Array):
        self.batch, self.n = batch, batch.n
        n = self.n
        self.table = batch.table(preview[:, : 4 * n])
        self.after = np.hstack([preview[:, 4 * n :], preview[:, 3 * n : 4 * n]])
        lag = np.abs(self.after[:, : self.n] - given)
        self.lag = np.maximum.accumulate(lag, axis=0)

    def along(
        self, wrench: Array, payload: Array, fixed: Array, tally: Array
    ) -> tuple[int, Array | None]:
        """Run a block while it is calm: cycles done, and its state then (None: not one cycle)."""
        n = self.n
        done = self.batch.run(self.table, wrench, payload, fixed, tally[:n])
        if not done:
            return 0, None
        tally[n : 2 * n] = self.lag[done - 1][:, None]
        return done, np.repeat(self.after[done - 1][:, None], self.batch.width, axis=1)
