"""The same torques from every formulation of the papers, and what each of them costs."""

import numpy as np

import erfd
from erfd.dynamics.methods import METHODS, methods_for

robot = erfd.load("lola15")
rng = np.random.default_rng(2)
q, qd, qdd = rng.uniform(-1, 1, (3, robot.n))
reference = erfd.inverse_dynamics(robot, q, qd, qdd, method="ne_link")

print("inverse dynamics of Lola 15    difference   operations")
for method in methods_for("inverse_dynamics"):
    u = erfd.inverse_dynamics(robot, q, qd, qdd, method=method)
    count = erfd.operation_count(robot, method, "inverse_dynamics")
    error = abs(u - reference).max() / abs(reference).max()
    assert error < 1e-12, method
    print(f"  {method:10s} {METHODS[method][:40]:40s} {error:8.1e} {count.total:7d}")
