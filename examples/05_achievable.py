"""Can Lola 15 do that motion? Algorithm 1 says what its motors achieve of it, and why not more."""

import numpy as np

import erfd

robot = erfd.load("lola15")
start = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
goal = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])
wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]  # N and N m, by the tool on its surroundings


def point_to_point(seconds: float, dt: float = 0.01) -> erfd.Trajectory:
    t = dt * np.arange(round(seconds / dt) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5  # rests at both ends
    return erfd.Trajectory(t, start + s[:, None] * (goal - start))


for seconds in (0.9, 1.8):
    run = erfd.achievable(robot, point_to_point(seconds), wrench=wrench)
    away = 1000 * run["deviation"][:, 0]
    verdict = "can be done" if run.feasible else f"is too fast: {len(run.events)} events"
    print(f"in {seconds} s it {verdict}; the tool is at most {away.max():.0f} mm off its path")
    for event in run.events:
        print(f"  {event}")
    for row in run.summary():
        torque, speed = row["torque_peak"] / row["torque_max"], row["speed_peak"] / row["speed_max"]
        print(f"  motor {row['motor']}: {torque:4.0%} of its torque, {speed:4.0%} of its speed")
