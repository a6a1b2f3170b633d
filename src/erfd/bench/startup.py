"""Measure imports, the compilation (cold, then cached), and the memory of a batch.

Each is measured in a fresh process that gets the robot on its standard input.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
from typing import Any

from ..robot.model import Robot
from .measure import Effort

_START = """
import json, pickle, sys, time
last = time.perf_counter()
def lap():
    global last
    before, last = last, time.perf_counter()
    return last - before
times = {}
import erfd
times["import erfd"] = lap()
import numpy
times["import numpy"] = lap()
import erfd.mechanics.dynamics
times["import erfd.mechanics"] = lap()
import llvmlite.binding
times["import llvmlite"] = lap()
if COLD:
    import casadi
    times["import casadi"] = lap()
from erfd.kernels.compiler import host
host()
times["host"] = lap()
robot = pickle.load(sys.stdin.buffer)
from erfd.kernels.kernel import kernel
lap()
kernel(robot, "forward_dynamics")
times["kernel"] = lap()
zero = numpy.zeros(robot.n)
erfd.forward_dynamics(robot, zero, zero, zero)
times["first call"] = lap()
times["casadi loaded"] = "casadi" in sys.modules
print(json.dumps(times))
"""

_MEMORY = """
import json, pickle, sys
import numpy, erfd
def peak(key):
    try:
        with open("/proc/self/status") as file:
            return next(1024 * int(line.split()[1]) for line in file if line.startswith(key))
    except OSError:
        import resource
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return size if sys.platform == "darwin" else 1024 * size
robot = pickle.load(sys.stdin.buffer)
some = numpy.zeros((20000, robot.n))
erfd.forward_dynamics(robot, some, some, some)
del some
rng = numpy.random.default_rng(15)
try:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
except OSError:
    pass
before = peak("VmRSS")
arrays = [numpy.empty((COUNT, robot.n)) for _ in range(3)]
for array in arrays:
    rng.random(out=array)
result = erfd.forward_dynamics(robot, *arrays)
growth = peak("VmHWM") - before
needed = sum(a.nbytes for a in arrays) + result.nbytes
print(json.dumps({"states": COUNT, "growth": growth, "needed": needed, "extra": growth - needed}))
"""


def startup(robot: Robot, effort: Effort) -> dict[str, Any]:
    """Measure imports, cold compilation, cached load of forward dynamics in s, best of several."""
    cold, cached = [], []
    for _ in range(effort.starts):
        with tempfile.TemporaryDirectory(prefix="erfd-bench-") as folder:
            cold.append(_fresh("COLD = True\n" + _START, robot, folder))
            cached.append(_fresh("COLD = False\n" + _START, robot, folder))
    result = {"cold": _best(cold), "cached": _best(cached)}
    return result | {"imports": {k: v for k, v in result["cold"].items() if k.startswith("import")}}


def memory(robot: Robot, effort: Effort) -> dict[str, Any]:
    """Measure the peak of resident memory in bytes while a large batch runs on all cores."""
    with tempfile.TemporaryDirectory(prefix="erfd-bench-") as folder:
        return _fresh(f"COUNT = {effort.memory_states}\n{_MEMORY}", robot, folder)


def _best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The shortest time of every key, or the first gap."""
    failed = [run for run in runs if "gap" in run]
    return failed[0] if failed else {key: min(run[key] for run in runs) for key in runs[0]}


def _fresh(script: str, robot: Robot, folder: str) -> dict[str, Any]:
    """Run a script in a new process with its own cache folder: its JSON, or the gap."""
    environment = os.environ | {"ERFD_CACHE_DIR": folder, "ERFD_BACKEND": "compiled"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(robot),
        capture_output=True,
        env=environment,
        timeout=300,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        return {"gap": reason[-1]}
    result: dict[str, Any] = json.loads(done.stdout)
    return result
