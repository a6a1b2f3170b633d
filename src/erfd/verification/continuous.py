"""Continuous load: what motors, gears and supply bear if the program is repeated without end.

Between two repetitions is a pause, in which the brakes hold the arm and no motor has a current.
Torques are constant over a cycle and rotor speeds go linearly, as in Algorithm 1, so all means and
peaks here are exact for the run. docs/continuous-load.md has the formulas and their reasons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..robot.model import Drive, Robot
from ..run.run import Run

NEAR = 0.8
"""A load above this part of its limit is worth a warning."""
ROUNDING = 1e-9
"""A load that exceeds its limit by less than this part of it does so by rounding."""
APART = 1e-3
"""A program that ends this far from its start (rad, m) in a joint does not repeat by itself."""
PHRASES = {
    "rms torque": "motor {motor}: RMS torque {value}",
    "thermal": "motor {motor}: heat (i2t) {value}",
    "gear average": "gear {motor}: average torque {value}",
    "gear peak": "gear {motor}: peak torque {value}",
    "voltage": "motor {motor}: voltage {value}",
    "bus power": "supply: peak power {value}",
    "bus power mean": "supply: mean power {value}",
}
"""Every quantity that is judged, and how a sentence about it begins."""
PEAKS = ("gear peak", "voltage", "bus power")
"""The quantities of any one moment; the others are means over a period, or follow from it."""


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One load beside its limit; `motor` from 1, 0 is the supply (DC bus) of all motors.

    `quantity` is a key of `PHRASES`. `limit` is infinite where the robot's file has none; then
    nothing is judged and `severity` is "", else it is "failure", "warning" or "". `part` is value /
    limit. The `thermal` value is the motor's warming as a part of that under its rated torque.
    """

    motor: int
    quantity: str
    value: float
    limit: float
    unit: str

    @property
    def part(self) -> float:
        """The part of the limit that is used, 0 where there is none."""
        return 0.0 if math.isinf(self.limit) else self.value / self.limit

    @property
    def severity(self) -> str:
        """Whether it is a "failure" (beyond the limit), a "warning" (near it) or neither ("")."""
        if not self.part <= 1 + ROUNDING:  # a load that is not a number fails, too
            return "failure"
        return "warning" if self.part > NEAR else ""

    def __str__(self) -> str:
        begin = PHRASES[self.quantity].format(motor=self.motor, value=self._with_unit(self.value))
        if math.isinf(self.limit):
            return begin
        return f"{begin} is {100 * self.part:.1f} % of its limit {self._with_unit(self.limit)}"

    def _with_unit(self, value: float) -> str:
        return f"{value:.4g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class ContinuousLoad:
    """The load of endless repetition with a `pause` in s after each `period` in s (with it).

    `rows` has every load that could be computed; `rms_torque` in N m and `rms_speed` in rad/s, at
    the rotors, (n,). `not_checked` says in sentences what could not be judged, `notes` what the
    figures leave out.
    """

    pause: float
    period: float
    rows: tuple[LoadRow, ...]
    rms_torque: Array
    rms_speed: Array
    not_checked: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[LoadRow, ...]:
        """The loads beyond their limits, the worst first."""
        return self._of("failure")

    @property
    def warnings(self) -> tuple[LoadRow, ...]:
        """The loads above 80 % of their limits, the worst first."""
        return self._of("warning")

    def _of(self, severity: str) -> tuple[LoadRow, ...]:
        found = [row for row in self.rows if row.severity == severity]
        return tuple(
            sorted(found, key=lambda row: -row.part if row.part == row.part else -math.inf)
        )


def continuous_load(run: Run, pause: float = 0.0) -> ContinuousLoad:
    """Judge the load if a motion is repeated without end.

    Args:
        run: The motion, as the motors make it (`erfd.achievable`, `Verification.run`).
        pause: Time between the end of a repetition and the next start, s, with the brakes on. To
            wait with the motors on is part of a program (`wait`), and of its load.

    Returns:
        The `ContinuousLoad`: every load beside its limit, failures, warnings, what was not checked.

    Raises:
        InputError: A pause that is no time.

    >>> import erfd
    >>> from erfd.verification.continuous import continuous_load
    >>> robot = erfd.load("two_link")
    >>> q = [[0.0, 0.0]] * 3  # it holds both links level
    >>> load = continuous_load(erfd.achievable(robot, erfd.Trajectory([0.0, 0.01, 0.02], q)))
    >>> print(load.rows[0])
    motor 1: RMS torque 35.32 N m is 70.6 % of its limit 50 N m
    """
    seconds = _pause(pause)
    drives, n = run.robot.drives, run.robot.n
    steps = np.diff(run["t"])
    period = float(steps.sum()) + seconds
    if not drives or not steps.sum() > 0:
        why = "the motion takes no time" if drives else "the robot has no drives"
        none = np.zeros(n)
        return ContinuousLoad(
            seconds, period, (), none, none, (f"continuous load not checked: {why}",)
        )
    torque, before, after = run["u_a"][1:], run["qd_a"][:-1], run["qd_a"][1:]
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is a failure
        rms = np.sqrt(steps @ torque**2 / period)
        speed = np.sqrt(steps @ (before**2 + before * after + after**2) / (3 * period))
        rows = _motor_rows(run, rms, steps, seconds)
        watts = _bus_power(run, torque, before, after)
        mean = float(steps @ _mean_above_zero(*watts)) / period
        supply = (("bus power", max(float(np.max(watts)), 0.0)), ("bus power mean", mean))
        rows += [LoadRow(0, name, value, run.robot.bus_power, "W") for name, value in supply]
    left_out = (
        tuple(not_checked_loads(run.robot, gears=run.gear_loads() is not None)),
        tuple(_notes(run, seconds)),
    )
    return ContinuousLoad(seconds, period, tuple(rows), rms, speed, *left_out)


def has_limits(robot: Robot) -> bool:
    """Whether the robot's file has a limit of any continuous load."""
    names = ("torque_rated", "gear_torque_average", "gear_torque_peak", "voltage_max")
    limits = [getattr(drive, name) for drive in robot.drives for name in names]
    return any(map(math.isfinite, (robot.bus_power, *limits)))


def _pause(value: Any) -> float:
    """Check a pause, s."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or value < 0:
        raise InputError(f"pause: expected a time >= 0 s, found {value!r:.40}")
    return float(value)


def _motor_rows(run: Run, rms: Array, steps: Array, pause: float) -> list[LoadRow]:
    """The loads of every motor and gear that can be computed."""
    rows = []
    gears = run.gear_loads()
    for i, (drive, averages) in enumerate(zip(run.robot.drives, run.summary(), strict=True)):
        rows.append(LoadRow(i + 1, "rms torque", float(rms[i]), drive.torque_rated, "N m"))
        if math.isfinite(drive.torque_rated) and math.isfinite(drive.thermal_time_constant):
            heating = (run["u_a"][1:, i] / drive.torque_rated) ** 2
            peak = float(periodic_heat(heating, steps, pause, drive.thermal_time_constant).max())
            rows.append(LoadRow(i + 1, "thermal", peak, 1.0, ""))
        if gears is not None and _geared(drive):
            unit = "N m" if run.robot.joints[i].revolute else "N"
            average, peak = averages["gear_torque"], float(np.abs(gears[:, i]).max())
            rows.append(LoadRow(i + 1, "gear average", average, drive.gear_torque_average, unit))
            rows.append(LoadRow(i + 1, "gear peak", peak, drive.gear_torque_peak, unit))
        if _electric(drive):
            drop = drive.resistance / drive.torque_constant * run["u_a"][1:, i]
            emf = drive.torque_constant * run["qd_a"][:, i]
            volts = max(float(np.abs(drop + ends).max()) for ends in (emf[:-1], emf[1:]))
            rows.append(LoadRow(i + 1, "voltage", volts, drive.voltage_max, "V"))
    return rows


def _geared(drive: Drive) -> bool:
    """Whether there is a gear: a ratio of 1 without limits is taken as a direct drive."""
    limits = (drive.gear_torque_average, drive.gear_torque_peak)
    return abs(drive.ratio) != 1 or any(math.isfinite(limit) for limit in limits)


def _electric(drive: Drive) -> bool:
    """Whether the motor's resistance and torque constant are known."""
    return math.isfinite(drive.resistance) and math.isfinite(drive.torque_constant)


def periodic_heat(heating: Array, steps: Array, pause: float, constant: float) -> Array:
    """The steady periodic state of constant * T' = heating - T, at the ends of the cycles.

    Args:
        heating: What T tends to in each cycle, (M,); 0 in the pause.
        steps: The lengths of the cycles, s, (M,).
        pause: The time after the last cycle and before the first, s.
        constant: The time constant, s.

    Returns:
        T at the start and at the end of every cycle, (M + 1,): in between it is monotonic, so its
        largest value is among them.
    """
    kept, taken = np.exp(-steps / constant), -np.expm1(-steps / constant)
    warmed = [0.0]
    for share, gain in zip(kept.tolist(), (taken * heating).tolist(), strict=True):
        warmed.append(share * warmed[-1] + gain)
    elapsed = np.concatenate([[0.0], np.cumsum(steps)])
    # T(0) = T(period): what one repetition adds is what one period loses
    start = (
        warmed[-1] * math.exp(-pause / constant) / -math.expm1(-(elapsed[-1] + pause) / constant)
    )
    return np.array(warmed) + start * np.exp(-elapsed / constant)


def _bus_power(run: Run, torque: Array, before: Array, after: Array) -> tuple[Array, Array]:
    """The power that all motors together take at both ends of each cycle, W, (N - 1,) each.

    One that brakes feeds the others. Copper losses R (u / Kt)^2 where R and Kt are known.
    """
    factors = [
        drive.resistance / drive.torque_constant**2 if _electric(drive) else 0.0
        for drive in run.robot.drives
    ]
    losses = torque**2 @ np.array(factors)
    return losses + (torque * before).sum(axis=1), losses + (torque * after).sum(axis=1)


def _mean_above_zero(first: Array, last: Array) -> Array:
    """The means of max(p, 0) for p that goes linearly from `first` to `last`, (M,)."""
    high, low = np.maximum(first, last), np.minimum(first, last)
    crossing = np.maximum(high, 0.0) ** 2 / (2 * np.where(high > low, high - low, 1.0))
    return np.where(low >= 0, (high + low) / 2, np.where(high > 0, crossing, 0.0))


def not_checked_loads(robot: Robot, *, gears: bool = True) -> Iterable[str]:
    """What of the continuous load cannot be judged, in sentences.

    Args:
        robot: The robot.
        gears: Whether the torques of the links are known, as in runs of Algorithm 1.
    """
    parts: tuple[tuple[str, str, Callable[[Drive], bool]], ...] = (
        ("heat", "no torque_rated", lambda d: math.isinf(d.torque_rated)),
        ("gear average", "no gear_torque_average",
         lambda d: _geared(d) and math.isinf(d.gear_torque_average)),
        ("gear peak", "no gear_torque_peak",
         lambda d: _geared(d) and math.isinf(d.gear_torque_peak)),
        ("voltage", "no resistance, torque_constant or voltage_max",
         lambda d: not _electric(d) or math.isinf(d.voltage_max)),
    )  # fmt: skip
    for what, why, missing in parts:
        motors = [i for i, drive in enumerate(robot.drives, 1) if missing(drive)]
        if motors:
            yield f"continuous load: {what} of {_named(motors, robot.n)} not checked ({why})"
    if not gears and any(map(_geared, robot.drives)):
        yield "continuous load: gears not checked (the run has no torques of the links)"
    if math.isinf(robot.bus_power):
        yield "continuous load: supply not checked (no bus_power)"
    elif unknown := [i for i, drive in enumerate(robot.drives, 1) if not _electric(drive)]:
        losses = f"copper losses of {_named(unknown, robot.n)} not checked"
        yield f"continuous load: {losses} (no resistance or torque_constant)"


def _named(motors: Sequence[int], n: int) -> str:
    if len(motors) == 1:
        return f"motor {motors[0]}"
    return "all motors" if len(motors) == n else f"motors {', '.join(map(str, motors))}"


def _notes(run: Run, pause: float) -> Iterable[str]:
    """What the figures leave out."""
    q = run.data.get("q_given", run["q"])
    if np.abs(q[-1] - q[0]).max() > APART:
        yield "continuous load: the motion does not end where it starts; the way back is left out"
    if pause:
        yield f"continuous load: in the pause of {pause:g} s brakes hold the arm, not motors"
