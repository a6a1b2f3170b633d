"""Inverse kinematics of the Puma 560 in batch beside robotics-toolbox-python's ik_LM, in one run.

The bar: at least 30 times its rate, on one core, one solution within the limits for each pose.

    python benchmarks/ik.py [--poses 100000] [--rounds 5] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from erfd.bench.ik import run, text
from erfd.ground.files import write_text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=100_000)
    parser.add_argument("--peer-poses", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    options = parser.parse_args()
    data = run(options.poses, options.peer_poses, options.rounds)
    print(text(data))
    if options.out:
        write_text(Path(options.out), json.dumps(data, indent=2) + "\n")
    return 1 if data["bar"]["met"] is False else 0


if __name__ == "__main__":
    sys.exit(main())
