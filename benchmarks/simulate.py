"""Forward simulation beside MuJoCo's rollout: `python benchmarks/simulate.py [--json]`.

The bar: at least 15 times its rate in steps of rk4, one arm, one core, without friction.
"""

import json
import sys

from rich.console import Console

import erfd
from erfd.bench.machine import describe
from erfd.bench.simulate import measure
from erfd.report.tables.table import print_table

WORDS = {
    "mujoco": "MuJoCo rollout, RK4",
    "loop": "compiled loop, joint torques",
    "friction": "the same with gears, rotors, friction and stiction",
    "lanes": "joint torques, as many arms as lanes, each",
    "motion": "erfd.simulate_batch of one, the motion only",
    "call": "erfd.simulate, all columns recorded",
}


def main() -> int:
    data = measure(erfd.load("lola15"))
    if "--json" in sys.argv:
        print(json.dumps({**describe(), **data}, indent=1))
        return 0 if data["met"] in (None, True) else 1
    if data["ratio"] is None:
        print("MuJoCo is not installed: no ratios (pip install 'erfd[peers]')")
    rows = []
    for name, words in WORDS.items():
        if name in data["us"]:
            ratio = f"{data['ratio'][name]:.1f} x" if data["ratio"] else "-"
            bar = f">= {data['bar']:g}" if name == "loop" else ""
            met = {True: "yes", False: "NO", None: ""}[data["met"]] if name == "loop" else ""
            rows.append((words, f"{data['us'][name]:.3f}", ratio, bar, met))
    columns = ("Lola 15, rk4, dt = 1 ms, one core", "us a step", "ratio", "bar", "met")
    print_table(Console(), "Forward simulation", columns, rows, left=(0, 3, 4))
    if data["difference"] is not None:
        print(f"largest difference of q after {data['steps']} steps: {data['difference']:.1e} rad")
    return 0 if data["met"] in (None, True) else 1


if __name__ == "__main__":
    sys.exit(main())
