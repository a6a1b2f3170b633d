"""How much faster than real time a program is planned and verified (bar: 500 times, warm).

    python benchmarks/verify.py [PROGRAM.irl [ROBOT]]

Parsing, planning, Algorithm 1 with its record, and the verdict; without the trials of the advice.
Also the whole command in a process of its own, with kernels to compile (cold) and kept (warm): the
best of a few, and the processor's time, which other work on the machine disturbs less. Python's own
.pyc files must be there (PYTHONDONTWRITEBYTECODE unset, run twice).

At last long programs: a chain of 2,000 blended lines (bar 3 s) and 8,000 short moves (bar 8 s) of
Lola 15, as a function call, beside half as many moves in the same run (bar 2.6 times) and the
whole command.
"""

import math
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


def long_program(moves: int, blend: str) -> str:
    """Lines of 1 cm on a circle of 13 cm, every second end 4 mm off: no two go straight on."""
    ready = "0, 20, -20, 0, -60, 0"
    robot = erfd.load("lola15")
    x, y, z = (
        1000
        * erfd.forward_kinematics(robot, [math.radians(float(a)) for a in ready.split(",")])[:3, 3]
    )
    rows = [f"move ptp joint(mainjoint({ready}));"]
    for k in range(1, moves + 1):
        a = math.pi * k / 40
        place = (
            f"{x + 130 * math.sin(a):.3f}, {y + 130 * (1 - math.cos(a)) + 4 * (k % 2):.3f}, {z:.3f}"
        )
        rows.append(f"move lin position({place}) speed=250 acc=2500 {blend};")
    return "\n".join(["program long;", "seq", *rows, "endseq", "endprogram", ""])


def long_programs() -> None:
    """Print the time for long programs, and how much more than half of them it is."""
    robot = erfd.load("lola15")
    for what, moves, blend, bar in (
        ("blended lines in one chain", 2000, "c_cp=3", 3),
        ("short moves with stops", 8000, "", 8),
    ):
        seconds = []
        for count in (moves // 2, moves):
            text = long_program(count, blend)
            erfd.verify(long_program(3, blend), robot)
            clock, used = time.perf_counter(), time.process_time()
            erfd.verify(text, robot)
            seconds.append((time.perf_counter() - clock, time.process_time() - used))
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "long.irl"
            program.write_text(text, encoding="utf-8")
            command(program, "lola15", folder)
            whole, _ = command(program, "lola15", folder)
        (_, half), (clock, used) = seconds
        print(f"{moves} {what}: {clock:.1f} s ({used:.1f} s of the processor, bar {bar}),")
        print(
            f"{used / half:.1f} times as long as half of them (bar 2.6); the command {whole:.1f} s"
        )


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
    long_programs()


if __name__ == "__main__":
    main()
