"""Long trials in parts of at most an hour each, resumable: what was tried adds up from day to day.

`python tools/soak.py cycles` goes on with one part, without a name with all that are below their
goal, at most an hour each; `--list` says how far each is and how long it would take, `--table` also
dates and commits. What was tried here is in soak/;
`--keep` adds it to docs/reliability.json and the table to docs/reliability.md, which belong into a
commit: so counts add up, and seeds go on, in the next clone (one clone after the other).

A part is a selection of tests that draws others each time (ERFD_SEED), piece by piece; what fails
is kept with its seed and its output, so that it can be run again, and ends the part.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDER = TOP / "soak"
"""Counts since they were last kept, and what failed; git ignores it."""
KEPT = TOP / "docs" / "reliability.json"
"""Counts of all times."""
PAGE = TOP / "docs" / "reliability.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Part:
    """Tests, the variable that says how many trials they make, trials of a piece and in all."""

    unit: str
    tests: tuple[str, ...]
    variable: str
    piece: int
    goal: int


PARTS = {
    "cycles": Part(
        "cycles of Algorithm 1",
        ("tests/referee/test_many_cycles.py", "tests/achieve/test_random_cycles.py"),
        "ERFD_CYCLES", 20_000_000, 1_000_000_000,
    ),
    "programs": Part(
        "mutated programs", ("tests/lirl/test_fuzz.py",), "ERFD_FUZZ", 40_000, 1_000_000
    ),
    "referee": Part(
        "programs judged by the referee", ("tests/referee/test_verdicts.py",), "ERFD_REFEREE",
        1_400, 100_000,
    ),
    "frames": Part(
        "spoilt frames of a stream", ("tests/monitor/viewer/test_reader.py", "-k", "spoilt"),
        "ERFD_FUZZ", 100_000, 1_000_000,
    ),
    "poses": Part(
        "poses of each robot", ("tests/ik/test_inverse_kinematics.py", "tests/ik/test_numeric.py"),
        "ERFD_IK", 100_000, 1_000_000,
    ),
    "arms": Part(
        "arms of others, of example-robot-data", ("tests/robot/test_real_arms.py",), "ERFD_ARMS",
        17, 170,
    ),
    "kills": Part(
        "kills of what writes a file", ("tests/run/test_write.py", "-k", "killed"), "ERFD_KILLS",
        50, 200,
    ),
    "falls": Part(
        "arms too weak to stand still", ("tests/achieve/test_overpowered.py", "-k", "stand_still"),
        "ERFD_FALLS", 200_000, 10_000_000,
    ),
    "recorder-kills": Part(
        "kills of a recorder", ("tests/monitor/recording", "-k", "killed"), "ERFD_KILLS", 50, 200
    ),
    "worker-kills": Part(
        "kills of workers of a study", ("tests/studies/test_cluster.py", "-k", "killed"),
        "ERFD_WORKER_KILLS", 50, 200,
    ),
    "laws": Part(
        "times the examples of the planner's laws", ("tests/planning",), "ERFD_EXAMPLES", 2, 50
    ),
    "repairs": Part(
        "programs to be repaired", ("tests/verification/repair/test_repair.py", "-k", "random"),
        "ERFD_REPAIRS", 100, 3000,
    ),
    "command-lines": Part(
        "wrong command lines", ("tests/commands/test_wrong_lines.py",), "ERFD_COMMANDS", 250, 1_000
    ),
    "timing": Part(
        "paths of each robot beside a nonlinear program", ("tests/timing/test_witness.py",),
        "ERFD_PATHS", 5, 50,
    ),
    "memory": Part(
        "s of controller and viewers in flat memory", ("tests/monitor/test_soak.py",), "ERFD_SOAK",
        600, 7200,
    ),
    "studio-memory": Part(
        "s of the studio in flat memory", ("tests/studio/test_soak.py",), "ERFD_SOAK", 600, 7200
    ),
}  # fmt: skip


@dataclass
class Tally:
    """What a part has come to: trials and pieces done, s, trials by commit, what failed."""

    count: int = 0
    pieces: int = 0
    seconds: float = 0.0
    last: str = ""
    commits: dict[str, int] = field(default_factory=dict)
    failures: list[dict[str, object]] = field(default_factory=list)


def read_tallies(path: Path) -> dict[str, Tally]:
    """What was tried so far; nothing if there is no file yet."""
    if not path.exists():
        return {}
    return {
        name: Tally(**kept) for name, kept in json.loads(path.read_text(encoding="utf-8")).items()
    }


def write_tallies(path: Path, tallies: dict[str, Tally]) -> None:
    """Keep what was tried: written beside its place and renamed."""
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".part")
    text = json.dumps({name: asdict(t) for name, t in tallies.items()}, indent=1)
    beside.write_text(text + "\n", encoding="utf-8")
    beside.replace(path)


def added(kept: dict[str, Tally], new: dict[str, Tally]) -> dict[str, Tally]:
    """What both say, together."""
    together = {}
    for name in [*PARTS, *sorted({*kept, *new} - {*PARTS})]:
        one, other = kept.get(name, Tally()), new.get(name, Tally())
        commits = {
            c: one.commits.get(c, 0) + other.commits.get(c, 0)
            for c in {**one.commits, **other.commits}
        }
        together[name] = Tally(
            one.count + other.count, one.pieces + other.pieces, one.seconds + other.seconds,
            max(one.last, other.last), commits, [*one.failures, *other.failures],
        )  # fmt: skip
    return together


def keep(path: Path) -> None:
    """Add what was tried here to the counts of all times and their table; here begins anew."""
    together = added(read_tallies(KEPT), read_tallies(path))
    write_tallies(KEPT, together)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    beside = PAGE.with_suffix(".part")
    beside.write_text(f"{before}{BEGIN}\n\n{table(together)}\n\n{END}{after}", encoding="utf-8")
    beside.replace(PAGE)
    path.unlink(missing_ok=True)


def commit() -> str:
    """The short name of the commit that is tried, with a plus if the tree has changes."""

    def git(*words: str) -> str:
        return subprocess.run(("git", *words), cwd=TOP, capture_output=True, text=True).stdout

    changed = git("status", "--porcelain", "--untracked-files=no").strip()
    return git("rev-parse", "--short", "HEAD").strip() + ("+" if changed else "")


def run_piece(part: Part, seed: int, trials: int) -> tuple[bool, str]:
    """Whether the tests of a part pass with a seed, and what they print."""
    environment = dict(os.environ) | {"ERFD_SEED": str(seed), part.variable: str(trials)}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # small matrices: threads only wait for each other
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        f"--hypothesis-seed={seed}",
        *part.tests,
    ]
    done = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def go_on(name: str, path: Path, minutes: float) -> bool:
    """Run pieces of a part until its goal or its time is reached; whether all of them passed.

    No piece begins that would take longer than there is time, if it is like the one before.
    """
    part, begin, last = PARTS[name], time.monotonic(), 0.0
    while True:
        tally = added(read_tallies(KEPT), read_tallies(path))[name]
        if tally.count >= part.goal or time.monotonic() - begin + last > 60 * minutes:
            return True
        seed, trials = tally.pieces + len(tally.failures), min(part.piece, part.goal - tally.count)
        start = time.monotonic()
        passed, output = run_piece(part, seed, trials)
        seconds = last = time.monotonic() - start
        tallies = read_tallies(path)  # another part may run beside this one
        tally = tallies.setdefault(name, Tally())
        tally.last = date.today().isoformat()
        tally.seconds += seconds
        if passed:
            tally.count += trials
            tally.pieces += 1
            tally.commits[commit()] = tally.commits.get(commit(), 0) + trials
        else:
            path.parent.mkdir(exist_ok=True)
            kept = path.parent / f"{name}-{seed}.txt"
            kept.write_text(output)
            tally.failures.append({"seed": seed, "commit": commit(), "output": kept.name})
        write_tallies(path, tallies)
        print(f"{name}: {line(part, added(read_tallies(KEPT), tallies)[name])}", flush=True)
        if not passed:
            again = f"ERFD_SEED={seed} {part.variable}={trials} pytest {' '.join(part.tests)}"
            print(f"{name}: FAILED; {again}, see {kept}", flush=True)
            return False


def line(part: Part, tally: Tally) -> str:
    """What a part has come to, in a sentence."""
    count = len(tally.failures)
    bad = f", {count} piece{'s' * (count > 1)} failed" if count else ", none failed"
    return f"{tally.count:,} of {part.goal:,} {part.unit} in {tally.seconds / 60:.0f} min{bad}"


def to_go(part: Part, tally: Tally) -> str:
    """How long it is to the goal, at the speed so far."""
    if tally.count >= part.goal:
        return "at its goal"
    if not tally.count:
        return "never tried"
    return f"{(part.goal - tally.count) / tally.count * tally.seconds / 3600:.1f} h to go"


def listing(tallies: dict[str, Tally]) -> str:
    """The parts with what they have come to, and what is left, for a terminal."""
    wide = max(map(len, PARTS))
    rows = [(name, part, tallies.get(name, Tally())) for name, part in PARTS.items()]
    return "\n".join(
        f"{name:{wide}}  {line(part, tally)}; {to_go(part, tally)}" for name, part, tally in rows
    )


def table(tallies: dict[str, Tally]) -> str:
    """What was tried, as a table in Markdown."""
    rows = [
        "| part | tried | goal | failed | minutes | last | commit |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, part in PARTS.items():
        tally = tallies.get(name, Tally())
        rows.append(
            f"| `{name}`: {part.unit} | {tally.count:,} | {part.goal:,} | {len(tally.failures)} |"
            f" {tally.seconds / 60:.0f} | {tally.last} | {_newest(tally.commits)} |"
        )
    return "\n".join(rows)


def _newest(commits: dict[str, int]) -> str:
    """The commits that were tried last, and how many before."""
    names = list(commits)
    older = len(names) - 3
    return ", ".join(names[-3:]) + (f" and {older} before" if older > 0 else "")


def main(arguments: list[str]) -> int:
    """Go on with the parts that are named, or with all; exit code 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=60.0, help="of each part (60)")
    parser.add_argument("--list", action="store_true", help="the parts, and how far each is")
    parser.add_argument("--table", action="store_true", help="the same with dates and commits")
    parser.add_argument(
        "--keep", action="store_true", help="add what was tried here to docs/reliability.*"
    )
    options = parser.parse_args(arguments)
    path = FOLDER / "tallies.json"
    if options.keep:
        keep(path)
    if options.table or options.keep:
        print(table(added(read_tallies(KEPT), read_tallies(path))))
        return 0
    if options.list:
        print(listing(added(read_tallies(KEPT), read_tallies(path))))
        return 0
    if wrong := [name for name in options.parts if name not in PARTS]:
        parser.error(f"expected one of {', '.join(PARTS)}, found {wrong[0]}")
    if not 0 < options.minutes <= 60:
        parser.error(f"--minutes: expected more than 0 and at most 60, found {options.minutes:g}")
    passed = [go_on(name, path, options.minutes) for name in options.parts or PARTS]
    print(listing(added(read_tallies(KEPT), read_tallies(path))))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
