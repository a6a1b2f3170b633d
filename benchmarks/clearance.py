"""How long collisions on the demonstration take: at its samples, and between them, too.

    python benchmarks/clearance.py

Both in one run, the best of some; the first call of each is not counted.
"""

import time
from collections.abc import Callable
from pathlib import Path

import erfd
from erfd.studio.examples import example_cells


def best(call: Callable[[], object], times: int = 10) -> float:
    """The shortest time of some calls, ms."""
    call()
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        found.append(1e3 * (time.perf_counter() - begin))
    return min(found)


def main() -> None:
    program = Path(__file__).parent.parent / "examples" / "lola15_demo.irl"
    cell = erfd.load_cell(example_cells()["lola15_workshop"])
    found = erfd.verify(program.read_text(encoding="utf-8"), erfd.load("lola15"), cell=cell)
    robot, t, q = found.robot, found.run["t"], found.run["q"]
    shapes = sum(len(link.visuals) for link in robot.links)
    print(f"{len(t)} samples, {shapes} shapes, {len(cell.things)} objects")
    print(f"at the samples:      {best(lambda: erfd.clearance(robot, cell, q)):6.1f} ms")
    print(f"between them, too:   {best(lambda: erfd.motion_clearance(robot, cell, t, q)):6.1f} ms")


if __name__ == "__main__":
    main()
