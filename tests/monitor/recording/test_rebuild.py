"""Runs made of recordings: all that was streamed, to the last bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.monitor import Command, Controller, Publisher
from erfd.monitor.controller.controller import COLUMNS
from erfd.monitor.controller.source import PlayedMotion
from erfd.monitor.protocol import JOINT_UNITS, OTHER_UNITS, Column, Hello, column
from erfd.monitor.recording.rebuild import recordings, robot_of, run_of
from erfd.monitor.viewer.reader import Batch, Message, Restart
from erfd.report.curves.curves import DIAGRAMS, available, curves
from erfd.robot.payload import payload_numbers
from erfd.robot.readers.toml import toml_text
from erfd.run.run_file import RunFile
from erfd.run.write import read_run, write_parquet
from support.motions import lola_motion
from support.recordings import batch_of, hello_of


def test_histories() -> None:
    """A new session and a new beginning are recordings of their own; those without samples none."""
    one, two = hello_of(1), hello_of(2)
    event = Message("event", {"type": "event", "text": "a"})
    items = [one, batch_of(0, 3), event, batch_of(3, 2), Restart(), batch_of(0, 2), two, Restart()]
    found = recordings([*items, batch_of(5, 1)])
    assert [(r.hello.session, len(r.t)) for r in found] == [(1, 5), (1, 2), (2, 1)]
    assert found[0].numbers.tolist() == [0, 1, 2, 3, 4]
    assert found[0].messages == ({"type": "event", "text": "a"},)


def controller_rows(seconds: float, wrench: list[float], loads: tuple) -> tuple:
    """What a controller streams of a motion: hello and one batch."""
    robot, motion = erfd.load("lola15"), lola_motion(seconds)
    lines = np.arange(len(motion.q), dtype=float)
    controller = Controller(
        robot, PlayedMotion("m", motion.q, motion.dt, lines, loads), wrench=wrench
    )
    rows = [controller.cycle([Command("start")])[0]]
    while controller.player.mode != "done":
        rows.append(controller.cycle()[0])
    with Publisher("cell", robot, dt=0.01, columns=COLUMNS) as publisher:
        hello = publisher.hello
    table = np.array([np.concatenate([np.ravel(row[k]) for k in COLUMNS]) for row in rows])
    count = np.arange(len(table))
    return hello, Batch(count, motion.t[1:], table.astype(float))


@pytest.mark.parametrize("seconds", [0.9, 2.0])
@pytest.mark.usefixtures("compiled")
def test_a_recording_is_the_run(seconds: float) -> None:
    """All quantities that Algorithm 1 gives come back from the stream, torque parts included."""
    motion = lola_motion(seconds)
    wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
    body = ((0.1, 0.01, 0.0), (0.01, 0.1, 0.0), (0.0, 0.0, 0.1))
    load = erfd.Payload(3.0, (0.0, 0.0, 0.1), body)
    loads = (None,) * 40 + (load,) * (len(motion) - 40)
    hello, batch = controller_rows(seconds, wrench, loads)
    (recording,) = recordings([hello, batch])
    run = run_of(recording)
    assert run.robot == erfd.load("lola15")
    wanted = erfd.achievable(run.robot, motion, wrench=wrench, payload=loads)
    assert set(wanted.data) <= set(run.data)
    for name, values in wanted.data.items():
        # the stream begins with the end of the first cycle; up to 200 cycles of rounding
        assert np.allclose(run[name], values[1:], rtol=1e-9, atol=1e-7), name
    assert len(run.events) == len(wanted.events)
    assert [e.kind for e in run.events] == [e.kind for e in wanted.events]
    assert np.array_equal(run["line"], np.arange(1, len(run) + 1))
    # what was streamed is kept to the last bit
    for name, place in hello.places.items():
        if name != "pose":
            assert np.array_equal(run[name].reshape(len(run), -1), batch.rows[:, place]), name


@pytest.mark.usefixtures("compiled")
def test_gaps_are_not_filled() -> None:
    """Samples that never came are not made up, and their neighbours are computed without them."""
    hello, batch = controller_rows(0.9, [0.0] * 6, (None,) * 91)
    keep = np.r_[0:20, 33:34, 40:90]
    cut = Batch(batch.numbers[keep], batch.t[keep], batch.rows[keep])
    (whole,), (gappy,) = recordings([hello, batch]), recordings([hello, cut])
    a, b = run_of(whole), run_of(gappy)
    assert np.array_equal(b["t"], batch.t[keep])
    for name in set(a.data) - {"energy"}:  # which is a sum over all
        # the state before a gap's end is q - q' dt, not the sample itself: rounding, times K
        assert np.allclose(b[name], a[name][keep], rtol=1e-9, atol=1e-9), name


@pytest.mark.usefixtures("compiled")
def test_a_plain_stream_becomes_a_run() -> None:
    """Only q streamed: velocities, accelerations and motor torques follow from the model."""
    robot, motion = erfd.load("lola15"), lola_motion(2.0)
    hello = Hello("real", 6, 0.01, (column("q", 6),), 1, "lola15")
    batch = Batch(np.arange(len(motion)), motion.t, motion.q)
    (recording,) = recordings([hello, batch])
    assert robot_of(hello) == robot  # by its name
    run = run_of(recording)
    wanted = erfd.achievable(robot, motion)
    for name in ("qd", "qdd", "u", "u_a", "power", "pose"):
        # what was before the first sample is unknown, so its cycle and the next may differ
        assert np.allclose(run[name][2:], wanted[name][2:], rtol=1e-9, atol=1e-8), name
    assert run.feasible


@pytest.mark.usefixtures("compiled")
def test_torques_know_wrench_and_payload() -> None:
    """Streamed with q, they are part of the motor torques that follow from the model."""
    robot, motion = erfd.load("lola15"), lola_motion(2.0)
    wrench = [50.0, -30.0, 80.0, 4.0, 0.0, 1.0]
    load = erfd.Payload(3.0, (0.0, 0.0, 0.1))
    loads = (None,) * 60 + (load,) * (len(motion) - 60)
    columns = (column("q", 6), column("wrench", 6), column("payload", 6))
    hello = Hello("real", 6, 0.01, columns, 1, "lola15")
    numbers = np.array([payload_numbers(payload) for payload in loads])
    rows = np.hstack([motion.q, np.tile(wrench, (len(motion), 1)), numbers])
    (recording,) = recordings([hello, Batch(np.arange(len(motion)), motion.t, rows)])
    run = run_of(recording)
    wanted = erfd.achievable(robot, motion, wrench=wrench, payload=loads)
    assert wanted.feasible
    for name in ("u", "u_a"):
        assert np.allclose(run[name][2:], wanted[name][2:], rtol=1e-9, atol=1e-8), name


def test_streams_that_cannot_be_a_run() -> None:
    nobody = Hello("x", 2, 0.01, (column("q", 2),), 1)
    (recording,) = recordings([nobody, batch_of(0, 3, 2)])
    with pytest.raises(InputError, match="x: expected a stream that describes its robot; name one"):
        run_of(recording)
    with pytest.raises(InputError, match="x: expected q of 6 joints, found n = 2"):
        run_of(recording, erfd.load("lola15"))


@pytest.mark.parametrize("drives", [True, False])
def test_names_that_a_run_means_otherwise(tmp_path: Path, drives: bool) -> None:
    """Whatever a controller calls its columns, the run can be drawn, and they are in it."""
    robot = erfd.load("two_link")
    robot = robot if drives else replace(robot, drives=())
    t = 0.01 * np.arange(30)
    made = erfd.achievable(erfd.load("two_link"), erfd.Trajectory(t, np.zeros((30, 2)))).data
    foreign = (made.keys() | set(DIAGRAMS)) - JOINT_UNITS.keys() - OTHER_UNITS.keys() - {"t"}
    for size in (1, 5):
        names = tuple(Column(name, ("x",) * size) for name in sorted(foreign))
        hello = Hello("x", 2, 0.01, (column("q", 2), *names), 1, "two_link", model=toml_text(robot))
        rows = np.random.default_rng(size).random((30, hello.width))
        run = run_of(recordings([hello, Batch(np.arange(30), t, rows)])[0])
        write_parquet(run, tmp_path / "x.parquet")
        file = RunFile(tmp_path / "x.parquet")
        for name in available(run.data):
            curves(file, name)
        for c in names:
            kept = run.data.get(f"{c.name}_streamed", run.data.get(c.name))
            assert np.array_equal(kept, rows[:, hello.places[c.name]])


def test_a_robot_without_drives(tmp_path: Path) -> None:
    """Its motors are unknown; its motion is kept all the same."""
    arm = erfd.load("two_link")
    from dataclasses import replace

    bare = replace(arm, drives=(), name="bare")
    (recording,) = recordings([Hello("x", 2, 0.01, (column("q", 2),), 1), batch_of(0, 9, 2)])
    run = run_of(recording, bare)
    from erfd.run.write import write_run

    write_run(run, tmp_path / "bare.parquet")
    assert np.array_equal(read_run(tmp_path / "bare.parquet")["q"], batch_of(0, 9, 2).rows)
    assert run["pose"].shape == (9, 4, 4)
