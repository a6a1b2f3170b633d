"""Runs as MCAP files, read by MCAP's own reader."""

import json
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

import erfd
from erfd.run.mcap import quaternions
from erfd.run.write import write_mcap
from support.written_runs import PROGRAM

pytestmark = pytest.mark.usefixtures("compiled")


def test_mcap_reads_back(run: erfd.Run, tmp_path: Path) -> None:
    limits = np.where(np.arange(6) == 2, np.inf, run["u_a_max"])
    unlimited = erfd.Run(run.robot, run.data | {"u_a_max": limits}, run.events)
    write_mcap(unlimited, tmp_path / "run.mcap", program=PROGRAM)
    topics: dict[str, list[tuple[int, dict]]] = {}
    names = {}
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages():
            body = json.loads(message.data)
            topics.setdefault(channel.topic, []).append((message.log_time, body))
            names[channel.topic] = schema.name
            layout = json.loads(schema.data)["properties"]
            assert set(body) <= set(layout)
            stamp = body["timestamp"]
            assert stamp["sec"] * 10**9 + stamp["nsec"] == message.log_time
        (attachment,) = reader.iter_attachments()
        (about,) = reader.iter_metadata()
    assert names == {
        "/joint_states": "foxglove.JointStates",
        "/joint_states_given": "foxglove.JointStates",
        "/motor_states": "erfd.MotorStates",
        "/tool": "foxglove.PoseInFrame",
        "/deviation": "erfd.Deviation",
        "/events": "foxglove.Log",
    }
    times = [when for when, _ in topics["/joint_states"]]
    assert times == [round(t * 1e9) for t in run["t"]]
    joints = [body["joints"] for _, body in topics["/joint_states"]]
    assert [j["name"] for j in joints[0]] == [j.name for j in run.robot.joints]
    for key, name in (("position", "q"), ("velocity", "qd"), ("effort", "u")):
        assert np.array_equal([[j[key] for j in row] for row in joints], run[name])
    motors = [body["motors"] for _, body in topics["/motor_states"]]
    assert np.array_equal([[m["torque"] for m in row] for row in motors], run["u_a"])
    assert "torque_max" not in motors[9][2]
    assert motors[9][1]["torque_max"] == run["u_a_max"][9, 1]
    place = [list(body["pose"]["position"].values()) for _, body in topics["/tool"]]
    assert np.array_equal(place, run["pose"][:, :3, 3])
    assert [body["message"] for _, body in topics["/events"]] == [str(e) for e in run.events]
    (tmp_path / "robot.toml").write_bytes(attachment.data)
    assert erfd.load(tmp_path / "robot.toml") == run.robot
    assert about.metadata["program"] == PROGRAM


def test_mcap_times_are_never_negative(run: erfd.Run, tmp_path: Path) -> None:
    early = erfd.Run(run.robot, run.data | {"t": run["t"] - 1.0}, ())
    write_mcap(early, tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary.statistics.message_start_time == 0


def test_quaternions_turn_as_the_matrices_do() -> None:
    """Random ones, and half turns about each axis, where the scalar part is zero."""
    rng = np.random.default_rng(3)
    turns = np.linalg.qr(rng.normal(size=(200, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    turns[:4] = [np.diag(d) for d in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    found = quaternions(turns)
    xyz, w = found[:, :3], found[:, 3:]
    v = rng.normal(size=(200, 3))
    turned = v + 2 * np.cross(xyz, np.cross(xyz, v) + w * v)
    assert np.abs(turned - np.einsum("kij,kj->ki", turns, v)).max() < 1e-13
