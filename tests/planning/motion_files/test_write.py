"""Trajectories written for others and read back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.motion_writing import smooth

LOLA = erfd.load("lola15")
NAMES = ["base", "lift", "elbow.1", "roll joint", "back\\slash", "tip"]


@given(
    dt=st.sampled_from([0.001, 0.004, 0.01, 1 / 30]),
    speed=st.sampled_from([1e-7, 0.5, 3.0]),
    names=st.permutations(NAMES),
    start=st.sampled_from([0.0, 5.0]),
)
def test_it_reads_back(
    tmp_path_factory, dt: float, speed: float, names: list, start: float
) -> None:
    """CSV to the last bit; YAML in positions and in what the controller passes through."""
    folder = tmp_path_factory.mktemp("out")
    t = start + dt * np.arange(25)
    q = smooth(t, 6, speed)
    rates = np.vstack([np.full(6, 0.1), np.diff(q, axis=0) / ((t[-1] - t[0]) / 24)])
    written = erfd.Trajectory(t, q, rates)
    for name in ("a.csv", "a.yaml"):
        erfd.write_trajectory(written, folder / name, joints=names)
    exact = erfd.read_motion(folder / "a.csv", LOLA, joints=names)
    for name in ("t", "q", "qd"):
        assert np.array_equal(getattr(exact.trajectory, name), getattr(written, name))
    assert not exact.changed
    command = erfd.read_motion(folder / "a.yaml", LOLA, joints=names, dt=dt).trajectory
    assert np.allclose(command.t, t - start, rtol=0, atol=1e-8)
    # 2 ns of time at the motion's speed, and what is gone over in them
    assert np.abs(command.q[:25] - q).max() < 1e-7
    assert np.array_equal(command.qd[0], written.qd[0])


@pytest.mark.parametrize("name", ["a.mcap", "bag"])
def test_a_bag_reads_back_as_the_yaml_does(tmp_path: Path, name: str) -> None:
    t = 1 / 30 * np.arange(25)
    q = smooth(t, 6)
    written = erfd.Trajectory(t, q, np.gradient(q, 1 / 30, axis=0), resample=True)
    found = []
    for file in ("a.yaml", name):
        erfd.write_trajectory(written, tmp_path / file, joints=NAMES)
        found.append(erfd.read_motion(tmp_path / file, LOLA, joints=NAMES, dt=0.01).trajectory)
    assert np.abs(found[1].q - found[0].q).max() < 1e-15
    assert np.abs(found[1].qd - found[0].qd).max() < 1e-12
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.yaml", name])


def test_a_bag_has_the_schema_of_ros_2(tmp_path: Path) -> None:
    """By the reader of MCAP itself: type, schema, topic; and the message by another reader."""
    reader = pytest.importorskip("mcap.reader")
    rosbags = pytest.importorskip("rosbags.highlevel")
    t = 0.01 * np.arange(5)
    written = erfd.Trajectory(t, smooth(t, 2))
    erfd.write_trajectory(written, tmp_path / "a.mcap", joints=["a", "b"], topic="/arm/command")
    with (tmp_path / "a.mcap").open("rb") as file:
        ((schema, channel, _),) = list(reader.make_reader(file).iter_messages())
    assert schema.name == "trajectory_msgs/msg/JointTrajectory"
    assert schema.encoding == "ros2msg"
    assert b"MSG: trajectory_msgs/JointTrajectoryPoint" in schema.data
    assert (channel.topic, channel.message_encoding) == ("/arm/command", "cdr")
    erfd.write_trajectory(written, tmp_path / "bag", joints=["a", "b"])
    with rosbags.AnyReader([tmp_path / "bag"]) as bag:
        ((connection, _, raw),) = list(bag.messages())
        message = bag.deserialize(raw, connection.msgtype)
    assert message.joint_names == ["a", "b"]
    assert [p.time_from_start.nanosec for p in message.points] == [k * 10**7 for k in range(5)]
    assert np.array_equal([p.positions for p in message.points], written.q)


@pytest.mark.parametrize(
    ("name", "topic", "sentence"),
    [
        ("here", "/a", "here: expected a new folder for the bag, found one that is there"),
        ("no/a.mcap", "/a", "a.mcap: cannot be written: No such file or directory"),
        ("a.mcap", "two words", "topic: expected a name such as /joint_trajectory_controller"),
    ],
)
def test_bags_that_cannot_be_written(tmp_path: Path, name: str, topic: str, sentence: str) -> None:
    (tmp_path / "here").mkdir()
    motion = erfd.Trajectory([0.0, 0.1], np.zeros((2, 2)))
    with pytest.raises(InputError) as found:
        erfd.write_trajectory(motion, tmp_path / name, topic=topic)
    assert sentence in str(found.value)
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_without_names_they_are_numbers(tmp_path: Path) -> None:
    t = 0.01 * np.arange(9)
    written = erfd.Trajectory(t, smooth(t, 6))
    erfd.write_trajectory(written, tmp_path / "a.csv")
    assert np.array_equal(erfd.read_trajectory(tmp_path / "a.csv", 6).q, written.q)


@pytest.mark.parametrize("joints", [["a"], ["a", "a"], ["a", "b,c"], ["a", ""], "ab", [1, 2]])
def test_names_that_cannot_be(tmp_path: Path, joints: object) -> None:
    motion = erfd.Trajectory([0.0, 0.1], np.zeros((2, 2)))
    with pytest.raises(InputError, match="joints: expected 2 different names"):
        erfd.write_trajectory(motion, tmp_path / "a.csv", joints=joints)
    with pytest.raises(InputError, match=r"expected a name that ends in one of \.csv"):
        erfd.write_trajectory(motion, tmp_path / "a.txt")
