"""Motions from runs of ERFD, Parquet, NPZ, ROS 2 YAML and bags."""

from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import erfd
from erfd.errors import InputError
from support.motion_writing import COMMAND, smooth, write_command, write_states

LOLA = erfd.load("lola15")
T = 0.01 * np.arange(40)
Q = smooth(T, 6, 0.3)
JOINTS = [f"axis {i}" for i in range(1, 7)]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_run_gives_the_motion_that_was_asked(tmp_path: Path, suffix: str) -> None:
    """Too fast a motion, so that the achieved one is another; done again it is the same run."""
    fast = smooth(T, 6, 9.0)
    asked = erfd.Trajectory(T, fast - fast[0])
    run = erfd.achievable(LOLA, asked)
    erfd.write_run(run, tmp_path / f"run.{suffix}")
    reading = erfd.read_motion(tmp_path / f"run.{suffix}", LOLA)
    assert not np.array_equal(run["q"], asked.q)
    for name in ("t", "q", "qd"):
        assert np.array_equal(getattr(reading.trajectory, name), getattr(asked, name))
    assert "q_given" in reading.notes[0]
    again = erfd.achievable(LOLA, reading.trajectory)
    assert np.array_equal(again["q"], run["q"])


def test_parquet_of_others(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"note": ["x"] * len(T), "time": T})
    for i, joint in enumerate(JOINTS):
        frame[f"{joint}.position"] = Q[:, i]
    frame.to_parquet(tmp_path / "a.parquet")
    assert np.array_equal(erfd.read_motion(tmp_path / "a.parquet", LOLA).trajectory.q, Q)
    dated = frame.assign(time=pandas.to_datetime(frame["time"] + 1.7e9, unit="s"))
    dated.to_parquet(tmp_path / "d.parquet")
    reading = erfd.read_motion(tmp_path / "d.parquet", LOLA)
    assert np.array_equal(reading.trajectory.q, Q)
    assert any("times since 1970" in note for note in reading.notes)
    frame.loc[3, "axis 2.position"] = np.nan
    frame.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: row 4: axis 2\.position: expected a finite"):
        erfd.read_motion(tmp_path / "b.parquet", LOLA)
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"c\.parquet: cannot be read as Parquet"):
        erfd.read_motion(tmp_path / "c.parquet", LOLA)


def test_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=T, q=Q, gains=np.ones((6, 2)), comment="text")
    assert np.array_equal(erfd.read_motion(tmp_path / "a.npz", LOLA).trajectory.q, Q)
    np.savez(tmp_path / "b.npz", t=T, **{joint: Q[:, i] for i, joint in enumerate(JOINTS)})
    assert np.array_equal(erfd.read_motion(tmp_path / "b.npz", LOLA).trajectory.q, Q)
    np.savez(tmp_path / "c.npz", t=T, q=np.hstack([Q, Q]))
    with pytest.raises(InputError, match="6 joints, found q12: the motion of another robot"):
        erfd.read_motion(tmp_path / "c.npz", LOLA)
    np.savez(tmp_path / "d.npz", t=np.array([{}], dtype=object))
    (tmp_path / "e.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:900])
    for name in ("d.npz", "e.npz"):
        with pytest.raises(InputError, match=f"{name}: cannot be read as NPZ"):
            erfd.read_motion(tmp_path / name, LOLA)


@pytest.mark.parametrize("turn", range(6))
def test_the_points_of_a_command_are_joined_as_its_controller_does(
    tmp_path: Path, turn: int
) -> None:
    """Cubics through positions and velocities, whatever the order of the joints in the file."""
    pytest.importorskip("ruamel.yaml")
    t = np.array([0.0, 0.3, 1.1, 1.5])
    q, qd = smooth(t, 6), np.vstack([np.zeros(6), smooth(t[1:3] + 1, 6), np.zeros(6)])
    order = np.roll(np.arange(6), turn)
    joints = [JOINTS[i] for i in order]
    path = write_command(tmp_path / "a.yaml", joints, t, q[:, order], qd[:, order])
    reading = erfd.read_motion(path, LOLA)
    found = reading.trajectory
    assert found.dt == pytest.approx(LOLA.cycle_time)
    curve = CubicHermiteSpline(t, q, qd)
    assert np.allclose(found.q, curve(np.minimum(found.t, 1.5)), rtol=0, atol=1e-9)
    assert any("through cubics between the points" in note for note in reading.notes)
    straight = erfd.read_motion(write_command(path, joints, t, q[:, order]), LOLA).trajectory
    lines = np.stack([np.interp(straight.t, t, q[:, j]) for j in range(6)], axis=-1)
    assert np.allclose(straight.q, lines, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1", "expected one JointTrajectory .joint_names, points., found none"),
        ("joint_names: 3\npoints: []", "joint_names: expected a list of names, found 3"),
        ("joint_names: [axis 1]\npoints: [{positions: [1, 2], time_from_start: 0}]",
         "point 1: positions: expected 1 numbers, found 2"),
        ("joint_names: [axis 1]\npoints: [{positions: [1], time_from_start: soon}]",
         "point 1: time_from_start: expected a time, found 'soon'"),
        ("joint_names: [a, b]\npoints: [{positions: [1, 2], time_from_start: 0}]",
         "expected axis 1, .*found the joints a, b"),
        ("{", "cannot be read as YAML"),
    ],
)  # fmt: skip
def test_wrong_yaml(tmp_path: Path, text: str, sentence: str) -> None:
    pytest.importorskip("ruamel.yaml")
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError, match=sentence):
        erfd.read_motion(tmp_path / "a.yaml", LOLA)


@pytest.mark.parametrize("mcap", [True, False])
def test_a_bag_of_joint_states(tmp_path: Path, mcap: bool) -> None:
    """With jitter, dates, a gripper beside the arm, and the joints of each message in any order."""
    pytest.importorskip("rosbags")
    draw = np.random.default_rng(7)
    t = T + draw.uniform(-0.002, 0.002, len(T))
    stamps = [1_763_000_000 * 10**9 + round(x * 1e9) for x in t]
    q = np.column_stack([smooth(t, 6, 0.3), 0 * t])
    write_states(tmp_path / "bag", [*JOINTS, "gripper"], stamps, q, mcap=mcap)
    reading = erfd.read_motion(tmp_path / "bag", LOLA)
    found = reading.trajectory
    assert np.abs(found.q - smooth(found.t + t[0], 6, 0.3)).max() < 1e-7
    assert any("passed over: gripper" in note for note in reading.notes)
    (file,) = (p for p in (tmp_path / "bag").iterdir() if p.suffix in (".mcap", ".db3"))
    alone = file.rename(tmp_path / f"alone{file.suffix}")  # without its metadata.yaml
    if mcap:
        assert np.array_equal(erfd.read_motion(alone, LOLA).trajectory.q, found.q)
    alone.write_bytes(alone.read_bytes()[:300])
    with pytest.raises(InputError, match="cannot be read as a bag"):
        erfd.read_motion(alone, LOLA)


def test_the_topic_of_a_bag(tmp_path: Path) -> None:
    pytest.importorskip("rosbags")
    stamps = [round(1e9 * (1 + t)) for t in T]
    bag = write_states(tmp_path / "bag", JOINTS, stamps, Q, topics=("/left", "/right"))
    with pytest.raises(InputError, match=r"expected one topic .*, found /left, /right; `topic` ch"):
        erfd.read_motion(bag, LOLA)
    assert np.array_equal(erfd.read_motion(bag, LOLA, topic="/left").trajectory.q, Q)
    with pytest.raises(InputError, match=r"topic: expected one with .*, found '/up'"):
        erfd.read_motion(bag, LOLA, topic="/up")
    with pytest.raises(InputError, match=r"none\.mcap: no such file"):
        erfd.read_motion(tmp_path / "none.mcap", LOLA)


def test_a_command_in_a_bag(tmp_path: Path) -> None:
    """The same points as in YAML give the same motion."""
    pytest.importorskip("rosbags")
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    t = np.array([0.0, 0.5, 1.25])
    q, qd = smooth(t, 6), np.zeros((3, 6))
    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = store.types
    none = np.zeros(0)
    points = [
        kinds["trajectory_msgs/msg/JointTrajectoryPoint"](
            q[k], qd[k], none, none,
            kinds["builtin_interfaces/msg/Duration"](int(t[k]), round(t[k] % 1 * 1e9)),
        ) for k in range(3)
    ]  # fmt: skip
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](0, 0), "")
    message = kinds[COMMAND](header, JOINTS, points)
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/command", COMMAND, typestore=store)
        writer.write(connection, 1, store.serialize_cdr(message, COMMAND))
    yaml = write_command(tmp_path / "a.yaml", JOINTS, t, q, qd)
    found = [erfd.read_motion(p, LOLA).trajectory for p in (tmp_path / "bag", yaml)]
    assert np.array_equal(found[0].q, found[1].q)
    assert np.array_equal(found[0].qd, found[1].qd)


def test_files_that_want_all_memory(tmp_path: Path) -> None:
    """Aliases of YAML in aliases, a pause of years, a header of a petabyte: a sentence, at once."""
    pytest.importorskip("ruamel.yaml")
    lines = ["a0: &a0 [1, 2]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    with pytest.raises(InputError, match="expected one JointTrajectory"):
        erfd.read_motion(tmp_path / "a.yaml", LOLA)
    rows = [f"{t},0,0,0,0,0,0" for t in ("0", "1e-6", "2e-6", "3e-6", "1e7")]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    with pytest.raises(InputError, match=r"expected at most 20,000,000 steps, found 1e.07 s in"):
        erfd.read_motion(tmp_path / "a.csv", LOLA)
    np.savez(tmp_path / "b.npz", t=T, q=Q)
    with pytest.raises(InputError, match="expected at most 20,000,000 positions, found more"):
        erfd.read_motion(tmp_path / "b.npz", LOLA, dt=1e-9)
