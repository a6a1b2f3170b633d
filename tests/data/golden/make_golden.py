"""Make every kind of file that this version of erfd writes, for versions to come to read.

    python tests/data/golden/make_golden.py

writes tests/data/golden/<short commit>/ anew, with what is in the files beside them, in
expected.json. No test runs it: files of an old version are made by that version, once. It needs
`erfd[all]`, git, and a tree without changes in src. Commands run inside the new folder, so that no
path of the machine gets into a file; the end looks for one all the same.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import erfd

# not of the public API; under these names in the version that this script lies beside
from erfd.monitor import Column, Publisher
from erfd.report.wording.texts import Words
from erfd.report.wording.verdict import headline
from erfd.run.parquet import read_run_program
from erfd.studio.jobs.verification import work
from erfd.studio.runs.facts import kept_facts
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.restore import restore
from erfd.studio.runs.store import About, Store
from erfd.studio.session import Session, Setup
from erfd.studio.studio import Studio

HERE = Path(__file__).resolve().parent
PROGRAM = """{ Out, wait for a part, carry it home. }
program Reach;

var
  joint: home = joint(mainjoint(0, 0));
  signal in bool: ready;
  signal in real: pressure = 1.5;
  signal out bool: gripper;
endvar

seq
  move ptp joint(mainjoint(40, 120)) speed_ptp=0.8 c_ptp;
  move ptp joint(mainjoint(60, 60)) speed_ptp=0.8;
  wait for ready and pressure > 2;
  gripper := true;
  payload 1.5 at (0, 0, 50);
  move ptp home speed_ptp=0.5;
endseq
endprogram
"""
HEAVY = """program Heavy;
seq
  payload 2 at (0, 0, 80);
  move ptp joint(mainjoint(60));
  payload none;
  move ptp joint(mainjoint(0));
endseq
endprogram
"""
SIGNALS = """# when the part is there
time,signal,value
0.2,Pressure,2.5
1.2,ready,true
1.9,ready,false
"""
CELL = """name = "room"
[mount]
xyz = [0.0, 0.1, 0.3]
[[object]]
name = "bench"
shape = "box"
size = [0.4, 0.4, 0.05]
xyz = [1.2, 0.0, 0.1]
rpy = [0.0, 0.0, 15.0]
color = "#b08968"
touching = ["arm"]
[[object]]
name = "post"
shape = "capsule"
radius = 0.05
length = 0.6
xyz = [0.38, 0.32, 0.1]
[[object]]
shape = "mesh"
file = "block.stl"
scale = 0.5
convex = true
xyz = [0.0, -2.0, 0.0]
"""
CORNERS = (
    ("0 0 0", "0 1 0", "1 0 0"),
    ("0 0 0", "1 0 0", "0 0 1"),
    ("0 0 0", "0 0 1", "0 1 0"),
    ("1 0 0", "0 1 0", "0 0 1"),
)
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"
BLOCK = "solid b\n" + "".join(FACET.format(*corners) for corners in CORNERS) + "endsolid b\n"
PARTS = """format = 1
name = "pendulum"
angle_unit = "deg"
[material.paint]
density = 1300.0
[part.weight]
color = "#c8372d"
[[part.weight.section]]
name = "ball"
shape = "sphere"
radius = 0.05
material = "steel"
[[part.weight.section]]
name = "bore"
shape = "cylinder"
radius = 0.01
length = 0.1
axis = [1.0, 0.0, 0.0]
material = "steel"
hole = true
[[part.weight.section]]
name = "coat"
shape = "sphere"
radius = 0.0502
inner_radius = 0.05
material = "paint"
[[joint]]
name = "hinge"
alpha = 90.0
a = 0.6
position = [-170.0, 170.0]
velocity = 4.0
acceleration = 30.0
[[base.part]]
name = "bracket"
[[base.part.section]]
shape = "prism"
points = [[-0.1, 0.02], [0.1, 0.02], [0.0, 0.15]]
length = 0.04
material = "cast-iron"
[[link]]
name = "rod"
frame = { xyz = [-0.6, 0.0, 0.0], rpy = [0.0, 90.0, 0.0] }
[[link.part]]
name = "tube"
[[link.part.section]]
shape = "cylinder"
radius = 0.012
inner_radius = 0.01
length = 0.6
xyz = [0.0, 0.0, 0.3]
material = "aluminium"
[[link.part]]
use = "weight"
name = "lower weight"
xyz = [0.0, 0.0, 0.55]
[[drive]]
ratio = 20.0
inertia = 1e-4
torque_max = 1.6
"""
SHELL = """theta = 0.1 -0.2
omega = 0.3 0.1
alpha = 1 -2
f_hand = 0 5 0
DACTimePeriod = 0.004
inverse_arm
save session.sim
f_hand = 0 0 0
inverse_arm rows.txt
rows.out
simulate
new
yes
yes
rows.schedule
open_output_file simulation.txt
print_simulation
0
0.1
0.02
close_output_file
write_graphic_file simulation.jsonl
0.02
quit
"""
ROWS = """# t, theta, omega, alpha
0.0   0 0       0 0     2 1
0.05  0.01 0    0.1 0   2 1
0.1   0.02 0.01 0.2 0.1 2 -1
"""


def all_features() -> erfd.Robot:
    """A robot that has everything a robot file can say; its angles are not round in degrees."""
    visuals = (
        erfd.Visual(
            "cylinder", (0.05, 0.3), erfd.Pose((0.0, 0.0, 0.15), (0.1, 0.2, 0.3)), "#aa0011"
        ),
        erfd.Visual("box", (0.1, 0.2, 0.3)),
        erfd.Visual("sphere", (0.07,), erfd.Pose((0.1, 0.0, 0.0))),
        erfd.Visual("capsule", (0.02, 0.4), color="#0011aa"),
        erfd.Visual("prism", (0.05, 0.0, 0.0, 0.2, 0.0, 0.0, 0.1)),
    )
    tensor = ((0.05, 0.001, -0.002), (0.001, 0.06, 0.003), (-0.002, 0.003, 0.04))
    return erfd.Robot(
        name="all_features",
        title='Arm with "everything", 100 % of it: ünïts',
        source="round numbers",
        illustrative=("masses", "drives"),
        gravity=(0.0, 0.1, -9.80665),
        mount=erfd.Pose((0.1, 0.2, 0.3), (0.01, 0.02, 0.03)),
        base=erfd.Pose((0.0, 0.0, 0.5), (0.0, 0.4, 0.0)),
        tool=erfd.Pose((0.0, 0.05, 0.1), (math.pi / 2, 0.0, -0.7)),
        joints=(
            erfd.Joint(
                "turn",
                theta=0.3,
                d=0.4,
                a=0.1,
                alpha=-math.pi / 2,
                position_min=-math.inf,
                position_max=2.7,
                velocity_max=3.1,
                acceleration_max=12.5,
                jerk_max=90.0,
                damping=0.7,
            ),
            erfd.Joint(
                "swing",
                a=0.45,
                after=erfd.Pose((0.0, 0.02, 0.3), (0.0, 0.1, 0.0)),
                position_min=-1.9,
                position_max=1.8,
            ),
            erfd.Joint(
                "slide",
                "prismatic",
                theta=0.2,
                d=0.25,
                position_min=-0.1,
                position_max=0.6,
                velocity_max=0.9,
            ),
        ),
        links=(
            erfd.Link("column", 12.0, (0.01, 0.02, -0.1), tensor, visuals),
            erfd.Link(
                "boom", 6.5, (-0.2, 0.0, 0.0), ((0.01, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
            ),
            erfd.Link("ram", 2.25, visuals=(visuals[1],)),
        ),
        drives=(
            erfd.Drive(
                101.0,
                (0.0, 2.5, 0.0),
                0.12,
                0.05,
                0.001,
                0.0002,
                3.0,
                1.2,
                400.0,
                0.6,
                0.11,
                48.0,
                ((0.0, 3.0), (250.0, 2.5), (400.0, 0.5)),
            ),
            erfd.Drive(-80.0, (1.0 / 3.0, 0.0, 0.0), inertia=1e-4, torque_max=2.0),
            erfd.Drive(250.0),
        ),
        base_visuals=(visuals[0], visuals[4]),
    )


def small_arm() -> erfd.Robot:
    """A joint that turns and one that slides, with gears that are coupled; for all short runs."""
    rod = ((0.004, 0.0, 0.0), (0.0, 0.12, 0.001), (0.0, 0.001, 0.12))
    drive = {"viscous": 2e-5, "speed_max": 500.0, "resistance": 0.8, "torque_constant": 0.12}
    curve = ((0.0, 1.2), (200.0, 1.1), (500.0, 0.4))
    return erfd.Robot(
        name="small_arm",
        title="Swinging arm with a ram",
        mount=erfd.Pose((0.0, 0.0, 0.8), (math.pi / 2, 0.0, 0.0)),
        tool=erfd.Pose((0.0, 0.0, 0.05)),
        joints=(
            erfd.Joint(
                "swing",
                alpha=math.pi / 2,
                position_min=-1.0,
                position_max=2.0,
                velocity_max=3.0,
                acceleration_max=15.0,
            ),
            erfd.Joint(
                "ram",
                "prismatic",
                d=0.5,
                position_min=-0.05,
                position_max=0.3,
                velocity_max=0.6,
                acceleration_max=3.0,
            ),
        ),
        links=(
            erfd.Link(
                "arm",
                4.0,
                (0.0, 0.01, 0.2),
                rod,
                (erfd.Visual("box", (0.06, 0.06, 0.5), erfd.Pose((0.0, 0.0, 0.2))),),
            ),
            erfd.Link(
                "ram",
                1.5,
                (0.0, 0.0, -0.1),
                ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.001)),
                (erfd.Visual("cylinder", (0.02, 0.4), erfd.Pose((0.0, 0.0, -0.2)), "#c8372d"),),
            ),
        ),
        drives=(
            erfd.Drive(
                60.0,
                (0.0, 4.0),
                0.1,
                0.01,
                inertia=1e-4,
                curve=curve,
                torque_max=1.2,
                voltage_max=60.0,
                **drive,
            ),
            erfd.Drive(
                400.0,
                (1.5, 0.0),
                0.05,
                0.005,
                inertia=5e-5,
                torque_max=0.3,
                torque_rated=0.1,
                **drive,
            ),
        ),
        base_visuals=(erfd.Visual("box", (0.2, 0.2, 0.1), erfd.Pose((0.0, 0.0, -0.1))),),
    )


def run(line: str, *, codes: tuple[int, ...] = (0,), text: str = "", where: str = ".") -> str:
    """The output of an erfd command."""
    command = [sys.executable, "-m", "erfd", *line.split()]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=where)
    if done.returncode not in codes:
        raise SystemExit(f"erfd {line}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def started(line: str) -> Iterator[subprocess.Popen]:
    """An erfd command in the background; it is killed at the end, if it still runs."""
    command = [sys.executable, "-m", "erfd", *line.split()]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def until(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("waited too long")
        time.sleep(0.01)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def make_robots() -> None:
    Path("robots").mkdir()
    erfd.save(all_features(), "robots/all_features.toml", comment="Everything.\n100 %")
    erfd.save(small_arm(), "robots/small_arm.toml")
    erfd.save(erfd.load("two_link"), "robots/two_link.toml")
    Path("robots/pendulum.parts.toml").write_text(PARTS)
    run("parts build robots/pendulum.parts.toml -o robots/pendulum.toml")
    Path("cell").mkdir()
    Path("cell/room.toml").write_text(CELL)
    Path("cell/block.stl").write_text(BLOCK)


def make_runs() -> None:
    """What verify, achieve and simulate keep, and exports of it."""
    arm = "robots/small_arm.toml"
    Path("programs").mkdir()
    for name, text in (("reach", PROGRAM), ("heavy", HEAVY)):
        Path(f"programs/{name}.irl").write_text(text)
        run(f"lirl format programs/{name}.irl --write")
    Path("programs/reach.signals.csv").write_text(SIGNALS)
    run(
        f"verify programs/reach.irl --robot {arm} --dt 0.05 --wrench 3,0,-5,0,0.1,0"
        " --payload 0.5,0,0,0.02 --cell cell/room.toml --out verify",
        codes=(0, 1),
    )
    run(
        "verify programs/heavy.irl --robot robots/pendulum.parts.toml --dt 0.02 --out verify_heavy",
        codes=(1,),
    )
    t = 0.04 * np.arange(21)
    s = t / t[-1]
    q = np.outer(10 * s**3 - 15 * s**4 + 6 * s**5, [1.5, 0.28])
    move = erfd.Trajectory(t, q)
    rows = np.hstack([t[:, None], move.q, move.qd]).tolist()
    lines = ["t,q1,q2,qd1,qd2", *(",".join(map(repr, row)) for row in rows)]
    Path("trajectory.csv").write_text("\n".join(lines) + "\n")
    run(f"achieve {arm} trajectory.csv --wrench 0,20,-15 --out achieve", codes=(1,))
    found = erfd.read_run("achieve/run.parquet")
    for suffix in ("csv", "mcap"):
        erfd.write_run(found, f"achieve/run.{suffix}", program="program Of_an_export;")
    schedule = "# V\nlinear\n0.0 0 0\n0.2, 45, 3\n0.4  45 -2\n0.6  0 0\n"
    Path("push.schedule").write_text(schedule)
    Path("held.schedule").write_text("held\n0 1 2\n0.1 -1 0.5  # a jump\n0.25 0 0\n")
    run(
        f"simulate {arm} --voltage push.schedule --q0 28.6478897565,0.1 --stops inelastic"
        " --every 20 --payload 0.5 --wrench 1,0,0 --out simulate"
    )
    for path in [p for p in Path().rglob("*") if p.suffix in (".png", ".svg", ".html")]:
        path.unlink()  # written, never read
    for path in Path().glob("*/plots"):
        path.rmdir()


def make_shell() -> None:
    Path("shell").mkdir()
    Path("shell/rows.txt").write_text(ROWS)
    run("sim two_link --dt 0.002", text=SHELL, where="shell")


def make_journals() -> None:
    """Recordings whose recorder was killed, and the runs that come out of them."""
    Path("monitor").mkdir()
    port = free_port()
    url = f"ws://127.0.0.1:{port}"
    journal = Path("monitor/shift.parquet.journal")
    plays = "controller programs/heavy.irl --robot robots/pendulum.toml --dt 0.05 --wrench 2,0,0"
    with started(f"monitor record {url} --out {journal.with_suffix('')}"):
        for moments in (5_000, 2_500):  # a controller that is started anew: two histories
            before = size(journal)
            with started(f"{plays} --wait --once --port {port}"):
                until(lambda before=before: size(journal) > before)
                run(f"controller --command start --port {port}")
                begun = size(journal)
                until(lambda begun=begun, moments=moments: size(journal) > begun + moments)
    with journal.open("r+b") as file:
        file.truncate(size(journal) - 100)  # killed amid a record

    def publish(publisher: Publisher, columns: list[str]) -> None:
        for k in range(20):
            q = [0.1 + 0.02 * k, -0.3 * math.sin(0.2 * k)]
            values = {"q": q, "grip": [35.0 + k], "power": [12.5 * k], "line": [float(k // 5)]}
            if k != 12:  # a sample that never came
                publisher.publish({name: values[name] for name in columns}, t=0.02 * k)
            else:
                publisher._count += 1
            if k == 7:
                publisher.event("door open", "alarm", kind="door", joint=2)
        publisher.status("running", speed=80.0)

    own = (Column("grip", ("mm",)), Column("power", ("W",)), "line")
    passive = dataclasses.replace(erfd.load("two_link"), name="passive", drives=(), base_visuals=())
    erfd.save(passive, "robots/passive.toml")
    for name, robot, columns in (("own", passive, ("q", *own)), ("bare", None, ("q",))):
        journal = Path(f"monitor/{name}.parquet.journal")
        kind = {"robot": robot, "n": None if robot else 2}
        program = "program Streamed;" if robot else ""
        with (
            Publisher("cell 1", dt=0.02, columns=columns, program=program, **kind) as publisher,
            started(f"monitor record {publisher.url} --out {journal.with_suffix('')}"),
        ):
            until(lambda journal=journal: size(journal) > 0)
            hello = size(journal)
            publish(publisher, ["q", "grip", "power", "line"] if robot else ["q"])
            until(lambda journal=journal, hello=hello: size(journal) > hello)
            time.sleep(0.5)
    run("monitor recover monitor/shift.parquet.journal")
    run("monitor recover monitor/own.parquet.journal")
    run(
        "monitor recover monitor/bare.parquet.journal --robot robots/passive.toml"
        " --out monitor/bare.csv"
    )


def make_kept() -> None:
    """Kept runs of the studio: of its own files, and of a recording that was cut off."""
    store = Store("runs")
    session = Session("golden")
    for name in ("robots/small_arm.toml", "cell/room.toml", "cell/block.stl"):
        shutil.copy(name, session.folder)
    setup = Setup("small_arm.toml", "room.toml", [0.0, 0.1, 0.4, 90.0, 0.0, 30.0])
    setup.payload, setup.wrench = [0.5, 0.0, 0.01, 0.02], [1.0, 2.0, 3.0, 0.0, 0.0, 0.4]
    setup.dt, setup.signals = 0.04, SIGNALS
    text = Path("programs/reach.irl").read_text()
    draft = {"text": text, "setup": dataclasses.asdict(setup) | {"robot": "two_link", "cell": ""}}
    Path("draft.json").write_text(json.dumps(draft) + "\n")
    run_id, part = store.new()
    request = {
        "id": run_id,
        "name": "Reach, with a part",
        "folder": str(part),
        "program": text,
        "setup": dataclasses.asdict(setup),
        "robot_file": str(session.folder / "small_arm.toml"),
        "cell_file": str(session.folder / "room.toml"),
        "enclosed": True,
        "advice": True,
    }
    about = work(request, lambda part, stage: None)
    for name in ("moves", "notes", "failures", "contacts"):
        about[name] = tuple(about[name])
    store.keep(part, About(**about))
    session.close()
    _, part = store.new()
    shutil.copy("monitor/own.parquet.journal", part / "run.parquet.journal")
    Studio(store).keep_left()


def listed(value: Any) -> Any:
    """A robot as nested dictionaries; numbers that JSON does not have are texts."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.compare]
        return {name: listed(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [listed(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def told(path: Path) -> dict[str, Any]:
    """What is in a run file."""
    found = erfd.read_run(path)
    quantities = {
        name: [
            list(values.shape),
            float(values.sum()) if np.isfinite(values).all() else None,
            sha256(np.ascontiguousarray(values, "<f8").tobytes()).hexdigest()[:20],
        ]
        for name, values in found.data.items()
    }
    return {
        "robot": found.robot.name,
        "points": len(found),
        "feasible": found.feasible,
        "end": found["q"][-1].tolist(),
        "events": [str(event) for event in found.events],
        "event_values": [listed(event) for event in found.events],
        "program": read_run_program(path),
        "quantities": quantities,
    }


def expected() -> dict[str, Any]:
    """What this version finds in the files that it has made."""
    files = sorted(Path().rglob("*.parquet"))
    robots = sorted(Path("robots").glob("*.toml"))
    signals = erfd.read_signal_schedule("programs/reach.signals.csv")
    times = [0.0, 0.1, 0.2, 1.0, 1.2, 1.8, 1.9, 5.0]
    store, kept = Store("runs"), {}
    for about in store.list():
        shown = OpenRun(store.path(about.id), about)
        session = Session("expected")
        restore(session, shown.file, about.settings)
        kept[about.id] = {
            "about": dataclasses.asdict(about),
            "verdict": headline(Words("en"), kept_facts(about, shown.file)),
            "diagrams": list(shown.diagrams),
            "setup": dataclasses.asdict(session.setup),
            "cell": [] if session.cell is None else [thing.name for thing in session.cell.things],
        }
        session.close()
    script = Path("shell/session.sim").read_text() + "show\nforward_arm\n"
    instants = [0.0, 0.03, 0.1, 0.25, 0.5, 9.0]
    inputs = {
        path: erfd.read_input_schedule(path, 2).at(instants).tolist()
        for path in ("push.schedule", "held.schedule", "shell/rows.schedule")
    }
    return {
        "runs": {str(path): told(path) for path in files},
        "robots": {str(path): listed(erfd.load(path)) for path in robots},
        "signals": {
            "times": times,
            "changes": [[c.time, c.signal, c.value] for c in signals.changes],
            "values": {name: [signals.of(name).at(t) for t in times] for name in signals.signals},
        },
        "schedules": {"times": instants, "values": inputs},
        "kept": kept,
        "shell": [json.loads(x)["data"] for x in run("sim --json", text=script).splitlines()],
        "recover": {
            name: json.loads(
                run(
                    f"monitor recover monitor/{name}.parquet.journal --robot robots/{robot}.toml"
                    " --out again.csv --json"
                )
            )
            for name, robot in (("shift", "pendulum"), ("own", "passive"), ("bare", "passive"))
        },
    }


def lines_of(value: Any, depth: int = 3) -> str:
    """JSON with a line for each entry down to some depth, and no more."""
    if depth and isinstance(value, dict):
        entries = [f"{json.dumps(k)}: {lines_of(v, depth - 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(entries) + "\n}"
    return json.dumps(value, allow_nan=False)


def main() -> None:
    git = ["git", "-C", str(HERE), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    folder = HERE / commit[:7]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    for make in (make_robots, make_runs, make_shell, make_journals, make_kept):
        make()
        print(make.__name__, flush=True)
    found = expected()
    for path in Path().glob("again*"):
        path.unlink()
    head = {"commit": commit, "erfd": erfd.__version__}
    Path("expected.json").write_text(lines_of(head | found) + "\n")
    Path("README.md").write_text(README.format(commit=commit, version=erfd.__version__))
    places = [str(HERE).encode(), b"/tmp/", b"/home/", b"/root/", str(Path.home()).encode() + b"/"]
    for path in [p for p in Path().rglob("*") if p.is_file()]:
        for place in places:
            if place in path.read_bytes():
                raise SystemExit(f"{path} has {place.decode()} in it")


README = """# Files of erfd {version}, commit {commit}

Written by `make_golden.py` of that commit and never changed since. `tests/golden` reads
them with the code of today. `expected.json` is what the version that wrote them found in them:
robots as numbers, events as sentences, of every quantity of a run its shape, sum and the first
digits of its SHA-256 (little-endian float64).

| file | made by |
|---|---|
| `robots/*.toml` | `erfd.save`; `two_link.toml` and `passive.toml` are in degrees |
| `robots/pendulum.toml` | `erfd parts build` of `pendulum.parts.toml` (by hand) |
| `cell/` | by hand |
| `programs/` | `erfd lirl format`; the signals by hand |
| `verify/` | `erfd verify --out`, with payload, wrench, signals and cell |
| `verify_heavy/` | the same of a program that is not feasible |
| `achieve/` | `erfd achieve --out` of `trajectory.csv` (by hand); exported as CSV and MCAP |
| `simulate/` | `erfd simulate --voltage push.schedule --out`; up to a stop |
| `*.schedule` | by hand |
| `shell/session.sim` | `save` of `erfd sim` |
| `shell/rows.out`, `rows.schedule` | `inverse_arm rows.txt` |
| `shell/simulation.txt` | `open_output_file`, `print_simulation` |
| `shell/simulation.jsonl` | `write_graphic_file` |
| `monitor/shift.parquet.journal` | a controller, started twice; killed amid a record |
| `monitor/own.parquet.journal` | a publisher with quantities of its own; a sample is missing |
| `monitor/bare.parquet.journal` | a publisher that does not describe its robot |
| `monitor/` (the rest) | `erfd monitor recover` |
| `runs/` | the studio: a run with robot, cell and signals of a user; a recording cut off |
| `draft.json` | what the studio's editor keeps in the browser |

Plots and `report.html` are not here: nothing reads them.
"""

if __name__ == "__main__":
    main()
