"""What a torque does to Lola 15: forward dynamics of one state and of a thousand."""

import numpy as np

import erfd

robot = erfd.load("lola15")
q = np.radians([44.1, 44.4, -32.7, -27.9, -47.3, 34.8])  # where the demonstration program starts
qd = np.array([0.5, -0.3, 0.4, 1.0, -0.8, 2.0])  # rad/s
wrench = [100.0, 100.0, -150.0, 0, 0, 0]  # N, N m: what the tool exerts on the work piece

hold = erfd.bias(robot, q, qd, wrench=wrench)  # torques that keep the velocities constant
u = hold + np.array([200.0, 150.0, 60.0, 10.0, 2.0, 0.1])  # N m, a little more than that
qdd = erfd.forward_dynamics(robot, q, qd, u, wrench=wrench)

print(f"{robot}: tool at {erfd.forward_kinematics(robot, q)[:3, 3].round(4)} m")
print("joint    q deg   qd rad/s     u' N m      u N m   qdd rad/s2")
for i in range(robot.n):
    row = (np.degrees(q[i]), qd[i], hold[i], u[i], qdd[i])
    print(f"{i + 1:5d} {row[0]:8.1f} {row[1]:10.2f} {row[2]:10.3f} {row[3]:10.3f} {row[4]:12.5f}")

back = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)
print(f"inverse dynamics gives u back to {abs(back - u).max():.1e} N m")

rng = np.random.default_rng(1)  # a whole batch: leading axes broadcast
many = rng.uniform(-np.pi, np.pi, (1000, 6))
fastest = erfd.forward_dynamics(robot, many, qd, u, wrench=wrench)
print(f"at 1000 random poses axis 6 accelerates with up to {abs(fastest[:, 5]).max():.0f} rad/s2")
