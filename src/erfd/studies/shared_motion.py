"""The motion that all variants of one geometry share, and the table of its cycles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..achieve.achievable import achiever_of, cycles, given_rows
from ..achieve.compiled_loop import columns
from ..achieve.loads import Loads
from ..drives.drives import REST, Drives
from ..drives.parameters import parameter_rows
from ..errors import InputError
from ..ground.arrays import Array
from ..robot.model import Drive, Robot
from ..run.events import Event, find_events
from .bodies import JointLoads, VariedBody
from .cycle_form import CONSTANTS, CycleForm
from .cycle_loop import VariantLoop
from .names import WRENCH
from .subject import PlannedMotion, Subject

TINY = 1e-250
"""A limit of no torque counts as this much, so that no torque at all is not too much."""


@dataclass(frozen=True, eq=False)
class Varied:
    """What varies beside factors of motors: bodies, and components of the wrench (0 to 5)."""

    bodies: tuple[VariedBody, ...]
    wrench: tuple[int, ...]

    @property
    def unknowns(self) -> int:
        """How many numbers of a variant the loads are linear in."""
        return sum(body.unknowns for body in self.bodies) + len(self.wrench)


def form_of(robot: Robot, varied: Varied) -> CycleForm:
    """The form of the cycles of a robot's variants."""
    drives = robot.drives
    return CycleForm(
        robot.n, varied.unknowns,
        dry=any(d.load_friction or d.coulomb for d in drives),
        viscous=any(d.viscous for d in drives),
        curve=any(d.curve for d in drives),
        loads=any(map(_beyond_rms, drives)) or math.isfinite(robot.bus_power),
        heat=any(map(warms, drives)),
    )  # fmt: skip


def _beyond_rms(drive: Drive) -> bool:
    limits = (drive.gear_torque_average, drive.gear_torque_peak, drive.voltage_max)
    return any(map(math.isfinite, limits))


def warms(drive: Drive) -> bool:
    """Whether the warming of a motor is judged."""
    return math.isfinite(drive.torque_rated) and math.isfinite(drive.thermal_time_constant)


def electric(drive: Drive) -> bool:
    """Whether the motor's resistance and torque constant are known."""
    return math.isfinite(drive.resistance) and math.isfinite(drive.torque_constant)


class SharedMotion:
    """A planned motion on a robot (with its geometry), as the loop takes it.

    `base` is the robot whose compiled loop works out the motion, which needs neither tool nor
    mount nor masses.
    """

    def __init__(
        self, subject: Subject, robot: Robot, planned: PlannedMotion, varied: Varied, base: Robot
    ):
        self.subject, self.robot, self.planned, self.varied = subject, robot, planned, varied
        self.form = form_of(robot, varied)
        self.dt, self.t = planned.trajectory.dt, planned.trajectory.t
        self.events = self._work_out(base)

    @property
    def period(self) -> float:
        """The time from one repetition to the next, s."""
        return float(self.t[-1] - self.t[0]) + self.subject.pause

    def _work_out(self, base: Robot) -> tuple[Event, ...]:
        """The motion with as much torque as it takes, its table, and the limits that it meets."""
        motion, n = self.planned.trajectory, self.robot.n
        subject = self.subject
        achiever = achiever_of(
            base, motion, None, None, follow=subject.follow, torque_path=subject.torque_path
        )
        values = achiever.values | {"torque_max": np.full(n, np.inf)}
        achiever.parameters = parameter_rows(values, achiever.dt, n, 1)
        rows = cycles(achiever, given_rows(motion.q, motion.qd), Loads.of(len(motion), None, None))
        if len(rows) < len(motion):
            raise InputError(f"{subject.name}: expected a motion that an arm can make, found none")
        state, found = rows[:, : 2 * n, 0], columns(rows[:, :, 0], n, "consistent")
        q, qd, qdd, qd_end = state[:-1, :n], state[:-1, n:], found["qdd"][1:], state[1:, n:]
        K = np.array(self.robot.gear_matrix)
        self.table = self._table(q, qd, qdd, qd_end, K)
        data = {
            "t": motion.t, "qd": state[:, n:], "qdd": found["qdd"], "qd_given": motion.qd,
            "qd_a": state[:, n:] @ K.T, "clipped": found["clipped"],
            "saturated": np.zeros_like(motion.q), "u_a_max": np.zeros_like(motion.q),
        }  # fmt: skip
        self.q = state[:, :n]
        return find_events(data, self.robot)

    def _table(self, q: Array, qd: Array, qdd: Array, qd_end: Array, K: Array) -> Array:
        form, robot, subject = self.form, self.robot, self.subject
        drives = Drives.of(robot, path=subject.torque_path)
        loads = JointLoads(robot, q, qd, qdd)
        payload = next((b for b in self.varied.bodies if b.link == 0), None)
        u = loads.of_links(frozenset(b.link for b in self.varied.bodies if b.link))
        u = u + np.array([joint.damping for joint in robot.joints]) * qd_end
        own = self.planned.own[1:]
        carried = self.planned.payloads[1:]
        for held in {p for p in carried if p is not None}:
            there = np.array([p == held for p in carried])
            there &= own if payload is not None else True
            if there.any():
                u = u + there[:, None] * loads.of_payload(held)
        push = np.array(subject.wrench)
        push[list(self.varied.wrench)] = 0.0
        if push.any():
            u = u + loads.of_wrench(push)
        gains = []
        for body in self.varied.bodies:
            for ten in body.units:
                gain = loads.of_numbers(body.link, ten)
                gains.append(gain * ~own[:, None] if body.link == 0 else gain)
        gains += [loads.of_wrench(np.eye(len(WRENCH))[k]) for k in self.varied.wrench]
        rate, after = qd @ K.T, qd_end @ K.T
        table = np.zeros((len(q), form.row_size))
        place = form.row
        table[:, place["y"]], table[:, place["after"]] = qdd @ K.T, after
        way = np.where(np.abs(after) > REST, np.copysign(1.0, after), 0.0)
        table[:, place["way"]], table[:, place["rest"]] = way, way == 0
        table[:, place["load"]] = drives.load(u)
        if gains:
            stacked = np.stack([drives.load(gain) for gain in gains], axis=2)
            table[:, place["gain"]] = stacked.reshape(len(q), -1)
        if form.curve:
            limit = np.maximum(drives.limit(rate), TINY)
            table[:, place["limit"]], table[:, place["per_limit"]] = limit, 1 / limit
        if form.loads:
            table[:, place["rate"]] = rate
            table[:, place["turn"]] = (np.abs(rate) + np.abs(after)) / 2
        table[:, place["cycle"]] = np.arange(len(q))[:, None]
        return table

    @cached_property
    def constants(self) -> Array:
        """`CONSTANTS` of the drives, (6 n,)."""
        values = {name: np.zeros(self.robot.n) for name in CONSTANTS}
        for i, drive in enumerate(self.robot.drives):
            values["ratio"][i] = drive.ratio
            if electric(drive):
                values["drop"][i] = drive.resistance / drive.torque_constant
                values["emf"][i] = drive.torque_constant
                values["loss"][i] = drive.resistance / drive.torque_constant**2
            if warms(drive):
                values["kept"][i] = math.exp(-self.dt / drive.thermal_time_constant)
                values["gained"][i] = -math.expm1(-self.dt / drive.thermal_time_constant)
        return np.concatenate([values[name] for name in CONSTANTS])

    def run(self, z: Array, lanes: Array) -> tuple[Array, Array]:
        """What is kept of V variants (V, tally), and the uses of each move, (V, pieces, n)."""
        loop, ends = VariantLoop.of(self.form), self.planned.ends
        assert ends is not None
        kept, uses = loop.run(self.table, z, lanes, self.constants, ends)
        if not self.form.heat:
            return kept, uses
        # the steady state of endless repetition: what a round adds is what a period loses
        heat, start = self.form.tally["heat"], np.zeros_like(kept)
        for i, drive in enumerate(self.robot.drives):
            if warms(drive):
                constant = drive.thermal_time_constant
                left = math.exp(-self.subject.pause / constant)
                share = left / -math.expm1(-self.period / constant)
                start[:, heat.start + i] = kept[:, heat.start + i] * share
        start[:, self.form.tally["heat_peak"]] = start[:, heat]
        return loop.run(self.table, z, lanes, self.constants, ends, start)
