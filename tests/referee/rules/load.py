"""The continuous load of endless repetition, after docs/continuous-load.md."""

from __future__ import annotations

import numpy as np

from .algorithm1 import Outcome
from .arm import Arm, Array

Rows = dict[tuple[int, str], tuple[float, float]]
"""Value and limit by motor (from 1; 0 is the supply) and quantity."""


def continuous_load(arm: Arm, made: Outcome, pause: float) -> Rows:
    """Every load whose limit is in the robot file: its value and its limit."""
    rows = len(made.t) if made.lost < 0 else made.lost
    h = float(made.t[1] - made.t[0])
    torque = made.torque[1:rows]
    period = float(made.t[rows - 1] - made.t[0]) + pause
    ends = made.qd[:rows] @ arm.drives.K.T
    found: Rows = {}
    for i in range(arm.n):
        speeds = np.array([ends[:-1, i], ends[1:, i]])
        found |= _of_motor(arm, i, torque[:, i], made.load[1:rows, i], speeds, h, period)
    if np.isfinite(arm.bus_power):
        peak, mean = _supply(arm, torque, ends, h, period)
        found[0, "bus power"] = (peak, arm.bus_power)
        found[0, "bus power mean"] = (mean, arm.bus_power)
    return found


def _of_motor(
    arm: Arm, i: int, u: Array, load: Array, speeds: Array, h: float, period: float
) -> Rows:
    drives = arm.drives
    found: Rows = {}
    rated = drives.torque_rated[i]
    if np.isfinite(rated):
        rms = float(np.sqrt(np.sum(u**2) * h / period))
        found[i + 1, "rms torque"] = (rms, rated)
        if np.isfinite(drives.thermal[i]):
            found[i + 1, "thermal"] = (warming(u / rated, h, period, drives.thermal[i]), 1.0)
    at_output = abs(drives.K[i, i] * load)
    if np.isfinite(drives.gear_average[i]):
        weight = abs(speeds).sum(axis=0)
        mean = np.sum(weight * at_output**3) / np.sum(weight) if weight.any() else 0.0
        found[i + 1, "gear average"] = (float(mean ** (1 / 3)), drives.gear_average[i])
    if np.isfinite(drives.gear_peak[i]):
        found[i + 1, "gear peak"] = (float(at_output.max()), drives.gear_peak[i])
    volts = drives.resistance[i] * u / drives.torque_constant[i]
    if np.isfinite(drives.voltage_max[i]) and np.isfinite(volts).all():
        back = drives.torque_constant[i] * speeds
        found[i + 1, "voltage"] = (float(abs(volts + back).max()), drives.voltage_max[i])
    return found


def warming(use: Array, h: float, period: float, tau: float) -> float:
    """The largest T of tau dT/dt = use^2 - T in the steady periodic state, use 0 in the pause."""
    fall = np.exp(-h / tau)
    end = 0.0
    for part in use**2:
        end = part + (end - part) * fall
    pause = period - h * len(use)
    start = end * np.exp(-pause / tau) / -np.expm1(-period / tau)
    largest = now = start
    for part in use**2:
        now = part + (now - part) * fall
        largest = max(largest, now)
    return float(largest)


def _supply(arm: Arm, torque: Array, ends: Array, h: float, period: float) -> tuple[float, float]:
    drives = arm.drives
    losses = np.zeros(len(torque))
    for i in range(arm.n):
        copper = drives.resistance[i] * (torque[:, i] / drives.torque_constant[i]) ** 2
        losses += copper if np.isfinite(copper).all() else 0.0
    first = np.sum(torque * ends[:-1], axis=1) + losses
    last = np.sum(torque * ends[1:], axis=1) + losses
    # within a cycle the power goes evenly; what is below 0 is burnt
    up, down = np.maximum(first, last), np.minimum(first, last)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = up**2 / (2 * (up - down))
    part = np.where(up <= 0, 0.0, np.where(down >= 0, (up + down) / 2, crossing))
    return max(0.0, float(up.max())), float(np.sum(part) * h / period)
