"""How fast can Lola 15 run this path, and what is every part of the time lost to?"""

import erfd

robot = erfd.load("lola15")
points = [
    [0.0, 0.2, -0.3, 0.0, -0.8, 0.0],
    [0.6, -0.1, 0.2, 0.4, -0.4, 0.7],
    [1.2, -0.6, 0.7, 0.9, 0.2, 1.5],
    [1.5, -0.8, 0.9, 1.0, 0.5, 2.0],
]  # rad; a spline goes through them

timing = erfd.fastest(robot, points)
print(f"{timing.seconds:.2f} s, and Algorithm 1 says: feasible is {timing.run.feasible}")
print(f"the spline is up to {timing.path.deviation:.2f} rad beside the lines between the points")
for sentence in timing.explain():
    print(f"  {sentence}")

for what, options in (
    ("with 10 kg", {"payload": erfd.Payload(10.0)}),
    ("with a tenth of every torque in reserve", {"margin": 0.1}),
    ("with the tool at 0.5 m/s at most", {"speed_max": 0.5}),
    ("within the joints' accelerations of the data sheet", {"accelerations": "joints"}),
):
    other = erfd.fastest(robot, points, **options)
    print(f"{other.seconds:.2f} s {what}: {other}")

# a program keeps its stops and waits; timing.trajectory runs in any cycle time
fine = erfd.fastest(robot, points, dt=0.001)
print(f"{len(fine.trajectory)} samples of {fine.trajectory.dt} s: {fine.seconds:.3f} s")
