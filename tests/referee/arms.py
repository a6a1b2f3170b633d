"""The arms of the trials: each as a text, read once by ERFD and once by the referee."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tomlkit

import erfd
from erfd import Drive, Robot

from .rules.arm import Arm, read_toml, read_urdf

BUNDLED = Path(erfd.__file__).parent / "robot" / "data"
DATA = Path(__file__).parent / "data"

RATED: dict[str, dict[str, Any]] = {
    "lola15": {
        "mount": {"xyz": [0.0, 0.0, 1.0], "rpy": [20.0, -15.0, 70.0]},
        "bus_power": 4000.0,
        "drive": {
            "coulomb": [0.3, 0.5, 0.3, 0.04, 0.04, 0.03],
            "torque_rated": [9.0, 20.0, 9.0, 1.4, 1.2, 1.2],
            "thermal_time_constant": [600.0, 30.0, 2.0, 60.0, 0.5, None],
            "gear_torque_peak": [1500.0, 3500.0, 1500.0, 300.0, 500.0, 120.0],
            "gear_torque_average": [None, 2000.0, 900.0, 150.0, None, 60.0],
            "resistance": [0.3, 0.2, 0.3, 1.1, 1.1, 1.1],
            "torque_constant": [0.6, 0.7, 0.6, 0.3, 0.3, 0.3],
            "voltage_max": [320.0, 320.0, 320.0, 120.0, 120.0, 120.0],
            "curve": [[[0.0, 17.8], [200.0, 17.8], [329.0, 9.0]]] + 5 * [None],
        },
        "joint": {"damping": [20.0, 25.0, 10.0, 2.0, 1.0, 0.5]},
    },
    "puma560": {
        "cycle_time": 0.005,
        "bus_power": 500.0,
        "drive": {
            "load_friction": [0.1, 0.1, 0.15, 0.0, 0.2, 0.2],
            "speed_max": [85.0, 138.0, 110.0, 290.0, 280.0, 300.0],
            "coupling": [None, None, None, None, [0, 0, 0, -0.9, 0, 0], [0, 0, 0, -0.3, 12.0, 0]],
            "torque_rated": [0.7, 0.8, 0.6, 0.1, 0.09, 0.08],
            "curve": [None, [[0.0, 1.7], [60.0, 1.7], [130.0, 1.0]]] + 4 * [None],
        },
    },
    "stanford": {
        "mount": {"rpy": [0.0, 90.0, 0.0]},
        "drive": {
            "ratio": [40.0, 50.0, 60.0, 20.0, -20.0, 15.0],
            "coupling": [None, None, None, None, [0, 0, 0, 4.0, 0, 0], None],
            "inertia": [5e-4, 9e-4, 2e-4, 2e-4, 0.0, 1e-4],
            "torque_max": [1.6, 2.6, 4.0, 0.6, 0.6, 0.4],
            "speed_max": [58.0, 74.0, 47.0, 79.0, 79.0, 59.0],
            "load_friction": [0.1, 0.2, 0.3, 0.1, 0.2, 0.1],
            "coulomb": [0.02, 0.03, 0.2, 0.01, 0.01, 0.0],
            "viscous": [1e-4, 1e-4, 1e-3, 5e-5, 0.0, 5e-5],
        },
    },
}
"""What is added to a bundled robot: keys of its file, per drive or joint (None: left as it is)."""


@dataclass(frozen=True)
class Pair:
    """One arm twice: as ERFD reads it and as the referee does."""

    name: str
    robot: Robot
    arm: Arm


NAMES = ("lola15", "puma560", "stanford", "seven", *(f"{name} rated" for name in RATED))


def changed(text: str, changes: dict[str, Any]) -> str:
    """The text of a robot file with other keys."""
    file = tomlkit.parse(text)
    for key, value in changes.items():
        if key not in ("drive", "joint"):
            file[key] = value
            continue
        for name, values in value.items():
            for table, number in zip(file[key], values, strict=True):  # type: ignore[arg-type]
                if number is not None:
                    table[name] = number
    if "mount" in changes or "bus_power" in changes or "cycle_time" in changes:
        # top-level keys have to stand before the tables
        top = {k: v for k, v in file.unwrap().items() if not isinstance(v, (dict, list))}
        rest = {k: v for k, v in file.unwrap().items() if k not in top}
        return tomlkit.dumps(top | rest)
    return tomlkit.dumps(file)


@cache
def pair(name: str) -> Pair:
    """The arm of a name, read twice."""
    if name == "seven":
        urdf, drives = ((DATA / f"seven.{kind}").read_text() for kind in ("urdf", "toml"))
        return Pair(name, _with_drives(drives), read_urdf(urdf, drives))
    base, _, rated = name.partition(" ")
    text = (BUNDLED / f"{base}.toml").read_text(encoding="utf-8")
    if rated:
        text = changed(text, RATED[base])
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{base}.toml"
        path.write_text(text, encoding="utf-8")
        return Pair(name, erfd.load(path), read_toml(text))


def _with_drives(text: str) -> Robot:
    file = tomllib.loads(text)
    robot = erfd.load(DATA / "seven.urdf")
    drives = tuple(
        Drive(**{key: _frozen(value) for key, value in table.items()}) for table in file["drive"]
    )
    joints = tuple(
        replace(joint, acceleration_max=a)
        for joint, a in zip(robot.joints, file["accelerations"]["joint"], strict=True)
    )
    return replace(robot, joints=joints, drives=drives)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
