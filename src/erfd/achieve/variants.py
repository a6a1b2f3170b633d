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
from ..kernels.choice import compiles
from ..kernels.compiler import host
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload, payload_numbers
from .achievable import prepared
from .achiever import Achiever
from .calm_batch import CalmBatch
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop, columns
from .cycle import CycleOptions
from .loop_text import TALLY

Array = NDArray[np.float64]
VARIED = ("load_friction", "coulomb", "viscous", "inertia", "torque_max")
"""Drive data that may differ from variant to variant."""


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """Results of V variants of one motion; arrays (V, n) but for `feasible` (V,).

    `q`, `qd` at the end, `torque_peak` the largest motor torque (N m), `lag_peak` the largest
    distance from the given position (rad, m), `saturated` the time at a torque limit (s).
    """

    q: Array
    qd: Array
    torque_peak: Array
    lag_peak: Array
    saturated: Array
    torque_max: Array

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Whether no motor saturated and no joint fell behind (by more than rounding)."""
        return np.asarray((self.saturated == 0).all(axis=1) & (self.lag_peak < 1e-9).all(axis=1))

    @property
    def use(self) -> Array:
        """Torque peaks as parts of the limits, (V, n)."""
        return self.torque_peak / self.torque_max

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"Variants({len(self)} of which {int(self.feasible.sum())} feasible)"


def achievable_variants(
    robot: Robot,
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
    """Algorithm 1 for many variants of one motion, in one vectorised batch.

    The leading axis of an argument counts the variants: `payload` a sequence of V payloads (or
    masses (V,) at the tool point), `wrench` (V, 6), drive data (V, n). What has no leading axis,
    `wrench` (6,) and drive data (n,), holds for all.

    >>> import numpy as np, erfd
    >>> robot = erfd.load("lola15")
    >>> t = 0.01 * np.arange(101)
    >>> motion = erfd.Trajectory(t, 0.2 * (1 - np.cos(np.pi * t[:, None])) * np.ones(6))
    >>> erfd.achievable_variants(robot, motion, payload=np.linspace(0, 20, 5)).feasible.tolist()
    [True, True, True, True, True]
    """
    planner, _, _ = prepared(
        robot, trajectory, "consistent", follow, torque_path, None, None, q0, qd0
    )
    drive = (load_friction, coulomb, viscous, inertia, torque_max)
    values = dict(planner.values)
    for name, given in zip(VARIED, drive, strict=True):
        if given is not None:
            values[name] = _rows(name, given, robot.n)
    tens = None if payload is None else _payloads(payload)
    push = None if wrench is None else _rows("wrench", wrench, 6)
    everything = {**values, "payload": tens, "wrench": push}
    counts = {
        name: len(a) for name, a in everything.items() if a is not None and a.ndim == 2
    }  # fmt: skip
    if not counts:
        raise InputError("variants: expected an argument with a leading axis, found none")
    count = max(counts.values())
    for name, found in counts.items():
        if found != count:
            raise InputError(f"{name}: expected {count} variants as elsewhere, found {found}")
    if push is not None and push.ndim == 1:
        push = np.broadcast_to(push, (count, 6))
    given = np.hstack([trajectory.q, trajectory.qd])[1:]
    batch = _Batch(planner, given, values, tens, push, count)
    state, tally = batch.machine_code() if compiles(robot) else batch.by_casadi()
    n = robot.n
    peak, lag, cycles = (tally[:, k * n : (k + 1) * n] for k in range(len(TALLY)))
    most = np.broadcast_to(values["torque_max"], (count, n))
    return Variants(state[:, :n], state[:, n:], peak, lag, cycles * planner.dt, most)


def _rows(name: str, value: ArrayLike, length: int) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != length:
        expected = f"({length},) or (V, {length})"
        raise InputError(f"{name}: expected shape {expected}, found {array.shape}")
    if np.isnan(array).any() or (name != "wrench" and (array < 0).any()):
        raise InputError(f"{name}: expected numbers >= 0, found {array.min():g}")
    return array


def _payloads(value: Sequence[Payload | None] | ArrayLike) -> Array:
    """Ten numbers for each payload, (V, 10)."""
    if isinstance(value, Sequence):
        known = [p for p in value if p is None or isinstance(p, Payload)]
        if len(known) == len(value):
            return np.array([payload_numbers(p) for p in known]).reshape(-1, 10)
    masses = np.asarray(value, dtype=np.float64)
    if masses.ndim != 1 or not np.isfinite(masses).all() or (masses < 0).any():
        raise InputError("payload: expected payloads or masses >= 0 kg, (V,), found something else")
    return np.hstack([masses[:, None], np.zeros((len(masses), 9))])


class _Batch:
    """All variants, cut into blocks of as many as there are lanes; the last is filled up."""

    def __init__(
        self,
        planner: Achiever,
        given: Array,
        values: dict[str, Array],
        tens: Array | None,
        push: Array | None,
        count: int,
    ):
        self.planner, self.given, self.values = planner, given, values
        self.tens, self.push, self.count = tens, push, count
        self.robot, self.n = planner.robot, planner.robot.n
        self.variety: CycleOptions = planner.variety(push is not None, tens is not None)
        self.state = np.concatenate([planner.q, planner.qd])

    def machine_code(self) -> tuple[Array, Array]:
        """Final states (V, 2 n) and tallies (V, 3 n)."""
        n, width = self.n, host().width
        loop = CycleLoop.of(self.robot, self.variety, width)
        fixed, push, tens, body = self._blocks(loop)
        course = self._course()
        states = np.empty((len(fixed), 2 * n, width))
        tallies = np.zeros((len(fixed), len(TALLY) * n, width))
        for k, tally in enumerate(tallies):
            wrench = push[k][None]
            done, state = course.along(wrench, tens[k], fixed[k], tally) if course else (0, None)
            if state is None:
                state = np.repeat(self.state[:, None], width, axis=1)
            if done < len(self.given):
                state = self._rest(loop, state, done, fixed[k], wrench, body[k][None], tally)
            states[k] = state
        found = (a.transpose(0, 2, 1).reshape(-1, a.shape[1]) for a in (states, tallies))
        final, sums = (a[: self.count] for a in found)
        return final, sums

    def _rest(
        self, loop: CycleLoop, state: Array, done: int, fixed: Array, wrench: Array, body: Array,
        tally: Array,
    ) -> Array:  # fmt: skip
        """The final states of a block that is no longer calm."""
        rows = loop.run(
            state, self.given[done:], fixed, wrench=wrench, body=body, tally=tally, last=True
        )  # fmt: skip
        if not len(rows):
            raise InputError("variants: expected joint angles below 1e5 rad, found larger ones")
        return rows[0, : 2 * self.n]

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
        dt = self.planner.dt
        fixed += [np.full((count, 1, width), dt), np.full((count, 1, width), 1 / dt)]
        push = np.zeros(6) if self.push is None else self.push
        tens = np.zeros(10) if self.tens is None else self.tens
        bodies = np.zeros(1) if self.tens is None else loop.bodies.inputs(self.tens)
        return np.concatenate(fixed, axis=1), cut(push), cut(tens), cut(bodies)

    def _course(self) -> _Course | None:
        preview = self._preview()
        if preview is None:
            return None
        return _Course(CalmBatch.of(self.robot, self.variety), preview, self.given[:, : self.n])

    def _preview(self) -> Array | None:
        """States before, accelerations, states after (cycles, 5 n), if no motor ever saturated.

        Only where the next state does not depend on a shortfall: `follow="velocity"`.
        """
        if self.variety.follow != "velocity":
            return None
        n = self.n
        free = CycleOptions(self.variety.path)
        strong = self.planner.values | {"torque_max": np.full(n, np.inf)}
        fixed = parameter_rows(strong, self.planner.dt, n, 1)
        rows = CycleLoop.of(self.robot, free).run(self.state[:, None], self.given, fixed)[:, :, 0]
        if len(rows) < 1 + len(self.given):
            return None
        return np.hstack([rows[:-1, : 2 * n], rows[1:, 2 * n : 3 * n], rows[1:, : 2 * n]])

    def by_casadi(self) -> tuple[Array, Array]:
        """The same without machine code, variant by variant."""
        n = self.n
        steps = CasadiLoop.of(self.robot, self.variety)
        bodies = None if self.tens is None else steps.bodies.inputs(self.tens)
        states, tallies = [], []
        for v in range(self.count):
            own = {k: a[v] if a.ndim == 2 else a for k, a in self.values.items()}
            fixed = parameter_rows(own, self.planner.dt, n, 1)
            rows = steps.run(
                self.state[:, None], self.given, fixed,
                wrench=None if self.push is None else self.push[v][None, :, None],
                body=None if bodies is None else bodies[v][None, :, None],
            )[1:, :, 0]  # fmt: skip
            found = columns(rows, n, "consistent")
            lag = np.abs(found["q"] - self.given[:, :n]).max(axis=0)
            peak = np.abs(found["torque"]).max(axis=0)
            states.append(rows[-1, : 2 * n])
            tallies.append(np.concatenate([peak, lag, np.abs(found["side"]).sum(axis=0)]))
        return np.array(states), np.array(tallies)


class _Course:
    """The states that all variants share while they are calm."""

    def __init__(self, glide: CalmBatch, preview: Array, asked: Array):
        self.glide, self.n = glide, glide.n
        self.table = glide.table(preview[:, : 3 * self.n])
        self.after = preview[:, 3 * self.n :]
        lag = np.abs(self.after[:, : self.n] - asked)
        self.lag = np.maximum.accumulate(lag, axis=0)

    def along(
        self, wrench: Array, ten: Array, fixed: Array, tally: Array
    ) -> tuple[int, Array | None]:
        """Cycles that a block does calmly, and its state then (None: it never begins)."""
        n = self.n
        done = self.glide.run(self.table, wrench, ten, fixed, tally[:n])
        if not done:
            return 0, None
        tally[n : 2 * n] = self.lag[done - 1][:, None]
        return done, np.repeat(self.after[done - 1][:, None], self.glide.width, axis=1)
