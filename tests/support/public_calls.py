"""A valid call of every public function, and what may be put in the place of an argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import erfd
from support.easy_program import EASY

JUNK: tuple[Any, ...] = (
    None, True, 3, -1, 1.5, float("nan"), float("inf"), 10**400, 1j, "text", "", b"bytes", [], (),
    {}, {"a": 1}, [1, "a"], [None], [[]], [[1.0], [2.0, 3.0]], object(), object, len, Path("none"),
    Path("/"), np.zeros(3), np.zeros((2, 2)), np.array("text"), np.array([1j]), range(3),
)  # fmt: skip
"""What nobody means, and some of what somebody may."""


@cache
def motion() -> erfd.Trajectory:
    """A short motion of the two-link arm."""
    t = 0.01 * np.arange(5)
    return erfd.Trajectory(t, 0.02 * t[:, None] * np.ones(2))


@cache
def valid_calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Public functions with arguments by name that they take."""
    arm, lola = erfd.load("two_link"), erfd.load("lola15")
    rest, wrench = [0.1, 0.2], [0.0] * 6
    q, qd, qdd = {"q": rest}, {"q": rest, "qd": rest}, {"q": rest, "qd": rest, "qdd": rest}
    pose = {"robot": arm, "pose": erfd.Pose((0.5, 0.5, 0.0)), "tool": None, "near": rest}
    simulated = {
        "robot": arm, "q0": rest, "qd0": rest, "input": rest, "steps": 3, "duration": None,
        "dt": 0.001, "method": "rk3", "kind": "torque", "wrench": wrench, "payload": None,
        "stops": "error", "record_every": 1, "progress": None,
    }  # fmt: skip
    cell = erfd.Cell("room", ())
    verification = erfd.verify(EASY, lola)
    kinematics = {
        "forward_kinematics": q | {"link": None}, "gravity_torque": q, "jacobian": q,
        "link_frames": q, "link_velocities": qd, "link_accelerations": qdd, "momentum": qd,
        "kinetic_energy": qd, "potential_energy": q, "coriolis_matrix": qd,
        "external_torque": q | {"wrench": wrench}, "mass_matrix": q | {"method": "auto"},
        "joint_reactions": qdd | {"wrench": wrench}, "config_of": q,
        "felt_load": qdd | {"link": 1, "point": (0.0, 0.0, 0.0)},
        "bias": qd | {"wrench": wrench, "method": "auto", "damping": False, "out": None},
        "inverse_dynamics": qdd | {"wrench": None, "method": "auto", "damping": False},
        "forward_dynamics": qd | {"u": rest, "wrench": None, "method": "auto", "damping": False},
        "terms": qd | {"method": "mrnea", "wrench": wrench},
        "rotor_mass_matrix": q | {"dt": 0.0, "torque_path": "virtual-work"},
        "rotor_bias": qdd | {"wrench": wrench, "dt": 0.0, "torque_path": "virtual-work"},
        "rotor_torque": qdd | {"wrench": wrench, "dt": 0.0, "friction": "dissipative"},
        "motor_torque": {"voltage": rest, "speed": rest, "limited": False},
        "motor_voltage": {"torque": rest, "speed": rest},
        "singularity": q | {"tool": None},
        "passages": {"q": np.zeros((4, 2)), "dt": 0.01, "tool": None},
        "operation_count": {"method": "auto", "quantity": "bias", "wrench": False},
    }  # fmt: skip
    kinematics["config_of"] = {"q": [0.1] * 6, "robot": lola}
    calls: dict[str, dict[str, Any]] = {
        name: {"robot": arm} | arguments for name, arguments in kinematics.items()
    }
    calls |= {
        "achievable": {
            "robot": arm, "trajectory": motion(), "policy": "consistent", "follow": "velocity",
            "torque_path": "virtual-work", "wrench": wrench, "payload": None, "q0": None,
            "qd0": None,
        },
        "achievable_variants": {
            "robot": arm, "trajectory": motion(), "payload": [1.0, 2.0], "wrench": None,
            "load_friction": None, "torque_max": None, "follow": "velocity", "q0": None,
        },
        "verify_many": {"programs": [EASY], "robots": [lola], "cluster": None, "payload": None},
        "study": {
            "what": motion(), "robot": arm, "vary": {"payload": "0..1"}, "samples": 2, "seed": 0,
            "sampling": "random", "confidence": 0.95, "precision": None, "cluster": None,
            "resume": False, "name": "", "tool": None, "wrench": wrench, "payload": None,
            "dt": None, "q0": None, "signals": None, "cell": None, "turning": None, "adapt": None,
            "follow": "velocity", "torque_path": "virtual-work", "pause": 0.0, "strict": False,
        },
        "Achiever": {"robot": arm, "dt": 0.01, "policy": "consistent", "q0": rest, "qd0": rest},
        "advise": {"verification": verification, "signals": None, "seconds": 0.0},
        "all_solutions": pose | {"turns": False}, "inverse_kinematics": pose | {"config": None},
        "branches": {"robot": lola, "poses": erfd.Pose((0.8, 0.4, 0.6)), "tool": None},
        "follow": {"robot": arm, "poses": [np.eye(4)], "q0": rest, "tool": None},
        "clearance": {"robot": arm, "cell": cell, "q": np.zeros((2, 2)), "progress": None},
        "motion_clearance": {
            "robot": arm, "cell": cell, "t": [0.0, 0.01], "q": np.zeros((2, 2)), "progress": None,
        },
        "self_clearance": {
        },
        "fastest": {
            "robot": lola, "path": [[0.0] * 6, [0.2] * 6], "wrench": wrench, "payload": None,
            "speed_max": None, "accelerations": "motors", "margin": 0.0, "start_speed": 0.0,
            "end_speed": 0.0, "dt": 0.01,
        },
        "repair": {
            "text": EASY, "robot": lola, "margin": 0.0, "payload_up_to": None, "seconds": 1.0,
            "name": "easy", "wrench": wrench, "payload": None,
        },
        "load": {
            "source": "lola15", "base": None, "tip": None, "locked": None, "packages": None,
            "nearest_physical": False, "within": None, "drives": None,
        },
        "load_cell": {"path": "none.toml", "enclosed": False},
        "plan": {
            "robot": lola, "steps": [], "dt": None, "q0": None, "tool": None, "payload": None,
            "turning": None, "adapt": None,
        },
        "read_input_schedule": {"path": "none", "n": 2}, "read_run": {"path": "none.parquet"},
        "read_signal_schedule": {"path": "none.csv"},
        "read_trajectory": {"path": "none.csv", "n": 2, "degrees": False},
        "read_motion": {
            "path": "none.csv", "robot": arm, "joints": None, "topic": None, "dt": 0.01,
        },
        "report_page": {"verification": verification, "advice": None, "figures": None},
        "save": {"robot": arm, "path": "none/robot.toml", "comment": ""},
        "write_run": {"run": verification.run, "path": "none/run.csv", "program": ""},
        "write_trajectory": {
            "trajectory": motion(), "path": "none/motion.csv", "joints": None, "topic": "/a",
        },
        "set_threads": {"count": 1},
        "simulate": simulated | {"control_dt": None, "rtol": 1e-9, "atol": 1e-11},
        "simulate_batch": simulated,
        "verify_motion": {
            "motion": verification.plan.trajectory, "robot": lola, "name": "easy", "degrees": False,
            "resample": True, "dt": None, "joints": None, "topic": None, "wrench": wrench,
            "payload": None, "cell": None, "pause": 0.0, "strict": False,
        },
        "verify": {
            "text": EASY, "robot": lola, "name": "easy", "tool": None, "wrench": wrench,
            "payload": None, "dt": None, "q0": None, "signals": None, "cell": None,
            "turning": None, "adapt": None, "pause": 0.0, "strict": False,
        },
        "Trajectory": {"t": [0.0, 0.1], "q": [rest, rest], "qd": None, "resample": False},
        "Payload": {"mass": 1.0, "center": (0.0, 0.0, 0.0)},
    }  # fmt: skip
    return {name: (getattr(erfd, name), arguments) for name, arguments in calls.items()}
