"""How much faster than real time a program is planned and verified (bar: 500 times, warm).

    python benchmarks/verify.py [PROGRAM.irl [ROBOT]]

Parsing, planning, Algorithm 1 with its record, and the verdict; without the trials of the advice.
Also the whole command in a process of its own, with kernels to compile (cold) and kept (warm): the
best of a few, and the processor's time, which other work on the machine disturbs less. Python's own
.pyc files must be there (PYTHONDONTWRITEBYTECODE unset, run twice).
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import erfd

WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)


def command(program: Path, robot: str, cache: str) -> tuple[float, float]:
    """Seconds of `erfd verify` with everything written: by the clock, and of the processor."""
    with tempfile.TemporaryDirectory() as out:
        begin, used = time.perf_counter(), processor_time()
        done = subprocess.run(
            [sys.executable, "-m", "erfd.cli", "verify", str(program), "--robot", robot,
             "--wrench", "100,100,-150", "--out", out],
            env={**os.environ, "ERFD_CACHE_DIR": cache}, capture_output=True, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - begin
        assert done.returncode in (0, 1), done.stderr
        assert (Path(out) / "report.html").exists()
        return seconds, processor_time() - used


def processor_time() -> float:
    """Seconds that the ended children have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best_of(runs: list[tuple[float, float]]) -> str:
    """The smallest of both times."""
    clock, used = (min(times) for times in zip(*runs, strict=True))
    return f"{clock:.2f} s ({used:.2f} s of the processor)"


def main() -> None:
    default = Path(__file__).parent.parent / "examples" / "lola15_demo.irl"
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    name = sys.argv[2] if len(sys.argv) > 2 else "lola15"
    robot, text = erfd.load(name), program.read_text(encoding="utf-8")
    found = erfd.verify(text, robot, wrench=WRENCH)
    best = float("inf")
    for _ in range(30):
        begin = time.perf_counter()
        erfd.verify(text, robot, wrench=WRENCH)
        best = min(best, time.perf_counter() - begin)
    ratio = found.seconds / best
    met = "met" if ratio >= 500 else "NOT met"
    print(f"{program.name}: {found.seconds:.2f} s of motion verified in {1e3 * best:.1f} ms,")
    print(f"{ratio:.0f} times faster than real time (bar 500: {met})")
    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(command(program, name, cache))
            warm += [command(program, name, cache) for _ in range(3)]
    print(f"the whole command: {best_of(cold)} cold, bar 3; {best_of(warm)} warm, bar 1")


if __name__ == "__main__":
    main()
