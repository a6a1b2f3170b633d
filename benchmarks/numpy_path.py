"""The NumPy path beside Pinocchio, in one run: what one works with before kernels are compiled.

Usage: python benchmarks/numpy_path.py [ROBOT]. Prints a table; ratios above 1 are faster than Pinocchio.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

import erfd
from erfd.kernels.trace import trace

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from arms import Witness, random_state


def best_of(run: Callable[[], object], repeats: int = 5) -> float:
    """The shortest time in s."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    robot = erfd.load(sys.argv[1] if len(sys.argv) > 1 else "lola15")
    witness = Witness(robot)
    model, data = witness.model, witness.data
    print(f"{robot}, Pinocchio {pin.__version__}, NumPy {np.__version__}")
    print("forward dynamics         N     ns each   Pinocchio ns    ratio")
    for count in (1, 10, 1000, 100_000):
        q, qd, u, _ = random_state(1, robot.n, count)
        own = best_of(lambda: erfd.forward_dynamics(robot, q, qd, u)) / count  # noqa: B023
        some = range(min(count, 2000))
        peer = best_of(lambda: [pin.aba(model, data, q[k], qd[k], u[k]) for k in some]) / len(some)  # noqa: B023
        print(f"{count:26d} {own * 1e9:11.0f} {peer * 1e9:14.0f} {peer / own:8.2f}")
    for method in ("fast", "aba", "mrnea", "lagrange"):
        trace.cache_clear()
        seconds = best_of(lambda: (trace.cache_clear(), trace(robot, "forward_dynamics", method)), 3)  # noqa: B023
        print(f"tracing {method}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
