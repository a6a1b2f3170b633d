"""Runs to be written: motions too fast for their robots, and whether two runs are the same."""

from dataclasses import replace

import numpy as np

import erfd

PROGRAM = "MOVE TO p1  # schnell, 速く\nerfd-sha256:" + "0" * 64
RUNS: dict[str, erfd.Run] = {}


def make_run(name: str) -> erfd.Run:
    """A motion too fast for the robot, so that there are events; worked out once."""
    if name not in RUNS:
        robot = erfd.load(name)
        if not robot.drives:
            drives = tuple(erfd.Drive(ratio=10.0, torque_max=30.0) for _ in robot.joints)
            robot = replace(robot, drives=drives)
        s = np.linspace(0, 1, 61)
        s = 10 * s**3 - 15 * s**4 + 6 * s**5
        far = np.array([0.9, -0.6, 0.5, 0.8, 0.4, 1.2])[: robot.n]
        q = s[:, None] * far + np.array([max(0.0, j.position_min) for j in robot.joints])
        with erfd.backend("compiled"):
            RUNS[name] = erfd.achievable(robot, erfd.Trajectory(0.005 * np.arange(61), q))
    return RUNS[name]


def assert_same(found: erfd.Run, run: erfd.Run) -> None:
    assert list(found.data) == list(run.data)
    for name, array in run.data.items():
        assert found[name].dtype == np.float64
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes(), name
    assert found.events == run.events
    assert found.robot == run.robot
