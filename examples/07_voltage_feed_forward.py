"""Voltages of the Inverse Arm drive the Forward Arm (CMU report): alone, and beside feedback.

The controller does not know of the payload that the arm carries in the second and third run.
"""

import numpy as np

import erfd

robot = erfd.load("cmu_dd")
K = np.array(robot.gear_matrix)
inertia, viscous = (
    np.array([getattr(drive, name) for drive in robot.drives]) for name in ("inertia", "viscous")
)
seconds, dt = 1.5, 0.001
t = dt * np.arange(round(seconds / dt) + 1)
s = t[:, None] / seconds
way = np.array([0.6, 0.4, -0.5, 0.7, 0.3, -0.6])
q = way * (10 * s**3 - 15 * s**4 + 6 * s**5)
qd = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / seconds
qdd = way * (60 * s - 180 * s**2 + 120 * s**3) / seconds**2

# Inverse Arm: torques of the joints, of the motors, and the voltages that give them
torque = np.linalg.solve(K.T, erfd.inverse_dynamics(robot, q, qd, qdd, damping=True).T).T
torque += inertia * (qdd @ K.T) + viscous * (qd @ K.T)
voltage = erfd.motor_voltage(robot, torque, qd @ K.T)
half = (voltage[1:] + voltage[:-1]) / 2  # each is held for a step: the mean of its ends
gain = 10.0 * np.array([d.torque_constant for d in robot.drives])  # V a rad/s


def feedback(time: float, now: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The same voltages, and more of them where the arm lags behind."""
    k = min(round(time / dt), len(half) - 1)
    return half[k] + gain * (20 * (q[k] - now) + (qd[k] - rate))


load = erfd.Payload(2.0)
for name, source, payload in (
    ("feed-forward alone", half, None),
    ("feed-forward, 2 kg that it does not know", half, load),
    ("the same with feedback", feedback, load),
):
    run = erfd.simulate(
        robot, q[0], qd[0], source, duration=seconds, dt=dt, kind="voltage", payload=payload,
        stops=None,
    )  # fmt: skip
    error = np.degrees(np.abs(run["q"] - q))
    print(f"{name}: at most {error.max():.3f} deg off, {error[-1].max():.3f} deg at the end")
    print(f"  up to {np.abs(run['voltage']).max():.1f} V and {np.abs(run['current']).max():.1f} A")
