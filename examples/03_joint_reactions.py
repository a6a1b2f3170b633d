"""What the bearings of a centrifuge carry, and what its pilot feels."""

import numpy as np

import erfd

robot = erfd.load("centrifuge3")
t = np.linspace(0, 12, 241)[:, None]
speed = 2.0 * np.minimum(t / 8, 1)  # the arm reaches 2 rad/s in 8 s
q = np.hstack([np.where(t < 8, t**2 / 8, 8 + 2 * (t - 8)), 0 * t, 0 * t])
qd = np.hstack([speed, 0 * t, 0 * t])
qdd = np.hstack([np.where(t < 8, 0.25, 0.0), 0 * t, 0 * t])

forces, moments = erfd.joint_reactions(robot, q, qd, qdd)
print("  t s   arm bearing N   arm moment N m   roll bearing N")
for k in range(0, 241, 40):
    values = (
        np.linalg.norm(forces[k, 0]),
        np.linalg.norm(moments[k, 0]),
        np.linalg.norm(forces[k, 1]),
    )
    print(f"{t[k, 0]:5.1f} {values[0]:15.0f} {values[1]:16.0f} {values[2]:16.0f}")

_, linear = erfd.link_accelerations(robot, q, qd, qdd)
felt = linear[:, -1] - np.array(robot.gravity)
print(f"load at the gondola's origin at full speed: {np.linalg.norm(felt[-1]) / 9.81:.2f} g")
