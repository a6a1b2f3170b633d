"""Timing of paths of Lola 15 beside toppra and copp-py, in one run, judged by Algorithm 1.

The bars: 30 times the speed of toppra, which has torques but no friction, and a third of that of
copp-py, which has no torques. The table: how many cycles of each motion saturate with friction.

    python benchmarks/timing.py [--paths 10] [--rounds 7] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from erfd.bench.timing import run, text
from erfd.ground.files import write_text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    options = parser.parse_args()
    data = run(options.paths, options.rounds)
    print(text(data))
    if options.out:
        write_text(Path(options.out), json.dumps(data, indent=2) + "\n")
    return 1 if any(bar["met"] is False for bar in data["bars"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
