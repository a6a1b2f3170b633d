"""What the page is fed with: decimated curves, packets, felt loads, kept runs."""

import json
import struct
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import erfd
from erfd.errors import ErfdError, InputError
from erfd.mechanics.felt_load import G, felt_load
from erfd.report.comparison import differences
from erfd.report.curves.curves import NAMES, available, curves
from erfd.report.curves.decimate import decimate, thin
from erfd.run.run import Run
from erfd.run.run_file import RunFile
from erfd.run.write import read_run, write_parquet
from erfd.studio.browser.packet import pack
from erfd.studio.browser.scene_data import STICK, has_shapes, poses_of, scene_of
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About, Store
from erfd.studio.teach import home, joint_text, move_text, target_text, typed_pose
from erfd.studio.wording.phrases import event_text, verdict
from erfd.studio.wording.texts import LANGUAGES, Words

LOLA = erfd.load("lola15")


def motion(seconds: float, dt: float = 0.01) -> erfd.Trajectory:
    start = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
    goal = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])
    t = dt * np.arange(round(seconds / dt) + 1)
    s = t / t[-1]
    return erfd.Trajectory(t, start + (10 * s**3 - 15 * s**4 + 6 * s**5)[:, None] * (goal - start))


@pytest.fixture(scope="module")
def run() -> Run:
    return erfd.achievable(LOLA, motion(0.9), wrench=[100.0, 100.0, -150.0, 0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def kept(run, tmp_path_factory) -> RunFile:
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    write_parquet(run, path, program="program p;")
    return RunFile(path)


@given(st.integers(1, 400), st.integers(1, 3), st.integers(2, 120), st.integers(0, 2**31))
def test_decimation_keeps_every_extreme(size, columns, points, seed):
    rng = np.random.default_rng(seed)
    t, values = np.arange(size) * 0.01, rng.normal(size=(columns, size))
    fewer, kept = decimate(t, values, points)
    assert len(fewer) == kept.shape[1] <= max(points, 2) + 2
    assert (np.diff(fewer) > 0).all()
    np.testing.assert_array_equal(kept.max(axis=1), values.max(axis=1))
    np.testing.assert_array_equal(kept.min(axis=1), values.min(axis=1))
    # and within any window of one group's length there is nothing that is not in the data
    assert np.isin(kept, values).all()


@given(st.integers(1, 10**7), st.integers(2, 500))
def test_thinning_keeps_both_ends(size, points):
    rows = thin(size, points)
    assert rows[0] == 0
    assert rows[-1] == size - 1
    assert len(rows) <= max(points, 1)
    assert (np.diff(rows) > 0).all()


@given(st.lists(st.integers(0, 50), max_size=4), st.text(max_size=30))
def test_packets_are_aligned(sizes, word):
    arrays = {f"a{k}": np.arange(n, dtype="<f4") for k, n in enumerate(sizes)}
    data = pack({"word": word}, **arrays)
    (length, _) = struct.unpack_from("<II", data)
    header = json.loads(data[8 : 8 + length])
    place = 8 + -(-length // 8) * 8
    for entry, (name, array) in zip(header["arrays"], arrays.items(), strict=True):
        assert entry == {"name": name, "kind": "f4", "length": array.size}
        np.testing.assert_array_equal(np.frombuffer(data, "<f4", array.size, place), array)
        place += -(-array.nbytes // 8) * 8
    assert place == len(data)


def test_a_run_file_is_the_run(run, kept):
    assert len(kept) == len(run)
    assert kept.events == run.events
    assert kept.robot == run.robot
    assert kept.program == "program p;"
    for name, array in run.data.items():
        np.testing.assert_array_equal(kept[name], array)
    with pytest.raises(InputError, match="expected one of"):
        kept["nothing"]


def test_damaged_files_are_a_sentence(kept, tmp_path):
    data = kept.path.read_bytes()
    for k, wrong in enumerate((b"", b"PAR1", data[:-8], data[: len(data) // 2] + b"PAR1")):
        path = tmp_path / f"{k}.parquet"
        path.write_bytes(wrong)
        with pytest.raises(ErfdError):
            RunFile(path)
    flipped = bytearray(data)
    flipped[len(data) // 3] ^= 1
    (tmp_path / "flipped.parquet").write_bytes(flipped)
    with pytest.raises(InputError, match="damaged or changed"):
        RunFile(tmp_path / "flipped.parquet")
    with pytest.raises(InputError, match="cannot be read"):
        RunFile(tmp_path / "none.parquet")


@pytest.mark.parametrize("name", NAMES)
def test_every_diagram_of_a_run_can_be_drawn(run, kept, name):
    if name not in available(run.data):
        assert name in ("voltage", "current")
        return
    for joints in (None, [0], [1, 4]):
        found = curves(kept, name, joints=joints, parts=True)
        assert found.values.shape == (len(found.lines), len(run))
        assert np.isfinite(found.values).all()
        window = curves(kept, name, joints=joints, parts=True, first=0.3, last=0.5)
        assert window.t[0] <= 0.3
        assert window.t[-1] >= 0.5
        assert len(window.t) <= 23
        row = int(np.searchsorted(found.t, window.t[3]))
        same = [line.kind != "limit" for line in found.lines]
        np.testing.assert_allclose(
            window.values[same, 3], found.values[same, row], rtol=1e-12, atol=1e-12
        )


def test_parts_add_up_to_the_torque(kept):
    found = curves(kept, "u", joints=[2], given=False, limits=False, parts=True)
    by = {line.of: values for line, values in zip(found.lines, found.values, strict=True)}
    whole = sum(by[f"u_{part}"] for part in ("inertial", "coriolis", "gravity", "external"))
    np.testing.assert_allclose(by["u"], whole, atol=1e-9 * np.abs(whole).max())


def test_diagrams_that_do_not_exist(kept):
    with pytest.raises(InputError, match="diagram: expected one of"):
        curves(kept, "x")
    with pytest.raises(InputError, match="joints: expected"):
        curves(kept, "q", joints=[6])


def test_at_rest_the_tool_feels_gravity_and_a_fall_takes_it_away():
    rng = np.random.default_rng(4)
    q, zero = rng.uniform(-2, 2, (20, 6)), np.zeros((20, 6))
    load = felt_load(LOLA, q, zero, zero)
    turn = erfd.forward_kinematics(LOLA, q)[:, :3, :3]
    np.testing.assert_allclose(np.einsum("kij,kj->ki", turn, load), [[0, 0, 1]] * 20, atol=1e-12)
    falling = replace(LOLA, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(felt_load(falling, q, zero, zero), 0, atol=1e-12)


def test_the_load_is_the_second_derivative_of_the_tool():
    """Against differences of the tool's position; their error is of the order of h^2."""
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1, 1, (3, 6))
    h = 1e-4
    at = [erfd.forward_kinematics(LOLA, q + s * qd + s * s / 2 * qdd) for s in (-h, 0.0, h)]
    a = (at[0][:3, 3] - 2 * at[1][:3, 3] + at[2][:3, 3]) / h**2
    expected = at[1][:3, :3].T @ (a - LOLA.gravity) / G
    np.testing.assert_allclose(felt_load(LOLA, q, qd, qdd), expected, atol=1e-5)


def shown_run(run: Run, path: Path) -> OpenRun:
    write_parquet(run, path)
    return OpenRun(path, About("", "x", "", "", True, 0.0, 0))


def test_a_force_over_time_is_shown_as_it_was(tmp_path):
    way = motion(0.9)
    push = np.zeros((len(way), 6))
    push[:, 2] = 200 * np.sin(np.linspace(0, np.pi, len(way)))
    shown = shown_run(erfd.achievable(LOLA, way, wrench=push), tmp_path / "run.parquet")
    np.testing.assert_array_equal(shown.force(np.arange(len(way))), push[:, :3])
    assert shown.force_max == push.max()


def test_a_force_that_is_not_told_is_found_again(run, tmp_path):
    data = {name: run[name] for name in run.data if name != "wrench"}
    shown = shown_run(Run(LOLA, data, run.events), tmp_path / "run.parquet")
    rows = np.arange(1, len(run))
    found = shown.force(rows)
    away = np.abs(found - [100.0, 100.0, -150.0]).max(axis=1)
    # exact but near singular positions, where joint torques do not tell
    assert np.median(away) < 1e-6
    assert shown.force_max == pytest.approx(np.linalg.norm([100.0, 100.0, -150.0]), rel=1e-3)


def test_thinned_paths_lose_no_limited_stretch(run, tmp_path):
    """One row at a limit among a hundred thousand is still on the path."""
    size = 100_000
    data = {name: run[name][:1].repeat(size, axis=0) for name in ("q", "q_given", "saturated")}
    data["t"] = np.arange(size) * 0.001
    data["saturated"] = np.zeros((size, 6))
    data["saturated"][54_321, 2] = 1
    write_parquet(Run(LOLA, data, ()), tmp_path / "long.parquet")
    shown = OpenRun(tmp_path / "long.parquet", About("", "x", "", "", True, 0.0, 0))
    packet = shown.path()
    (length, _) = struct.unpack_from("<II", packet)
    entries = json.loads(packet[8 : 8 + length])["arrays"]
    assert [e["name"] for e in entries] == ["t", "found", "given", "limited"]
    count = entries[3]["length"]
    flags = np.frombuffer(packet, np.uint8, count, len(packet) - -(-count // 8) * 8)
    assert flags.sum() == 1
    with pytest.raises(InputError, match="rows: expected"):
        shown.poses(0, 50_000, 10)


def test_a_run_does_not_differ_from_itself(kept):
    rows = differences(kept, kept)
    assert len(rows) == 6 + 2 * 6
    assert all(float(row["difference"].split()[0]) == 0 for row in rows)


def keep(store: Store, run: Run, name: str) -> About:
    run_id, part = store.new()
    write_parquet(run, part / "run.parquet")
    return store.keep(part, About(run_id, name, "2024-01-01", "lola15", False, 0.9, len(run)))


def test_kept_runs_are_there_after_a_restart(run, tmp_path):
    store = Store(tmp_path / "runs")
    names = ["../../etc/passwd", "šta god", "a" * 500]
    ids = [keep(store, run, name).id for name in names]
    again = Store(tmp_path / "runs")
    assert {about.name for about in again.list()} == set(names)
    assert all(place.name in ids for place in (tmp_path / "runs").iterdir())
    assert read_run(again.path(ids[0])).events == run.events
    assert again.rename(ids[1], "new").name == again.about(ids[1]).name == "new"
    again.delete(ids[0])
    assert len(Store(tmp_path / "runs").list()) == 2
    (tmp_path / "runs" / ids[1] / "about.json").write_text("{")  # damaged: the other is still there
    assert [about.id for about in again.list()] == [ids[2]]
    assert again.damaged() == (ids[1],)
    (tmp_path / "runs" / ids[2] / "run.parquet").unlink()
    assert again.list() == []
    assert set(again.damaged()) == {ids[1], ids[2]}


def test_a_list_that_is_asked_for_again_knows_what_has_changed(run, tmp_path):
    """Remembered entries are those of the disk: renamed or deleted by another studio, too."""
    one, two = Store(tmp_path), Store(tmp_path)
    first, second = keep(one, run, "first"), keep(one, run, "second")
    assert len(one.list()) == len(two.list()) == 2
    two.rename(first.id, "another name")
    assert {about.name for about in one.list()} == {"another name", "second"}
    two.delete(second.id)
    assert [about.name for about in one.list()] == ["another name"]


def test_a_folder_that_cannot_be_written_is_a_sentence(run, tmp_path):
    store = Store(tmp_path / "runs")
    kept = keep(store, run, "x")
    run_id, part = store.new()
    (tmp_path / "runs").rename(tmp_path / "away")
    (tmp_path / "runs").write_text("a file in its place")
    assert store.list() == []
    with pytest.raises(InputError, match="no run can be kept: Not a directory"):
        store.new()
    with pytest.raises(InputError, match="cannot be written"):
        store.keep(part, replace(kept, id=run_id))
    with pytest.raises(InputError, match="expected a kept run, found none"):
        store.delete(kept.id)


def test_what_is_not_finished_is_not_listed(tmp_path):
    store = Store(tmp_path)
    _, part = store.new()
    assert store.list() == []
    store.drop(part)
    assert list(tmp_path.iterdir()) == []
    store.drop(Path("/tmp"))  # not its own: left alone
    assert Path("/tmp").exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_about_a_run(kept, language):
    words = Words(language)
    shown = OpenRun(kept.path, About("", "x", "", "lola15", False, 0.9, len(kept)))
    assert "5" in verdict(words, shown)  # the motor that is longest at its limit
    for event in kept.events:
        text = event_text(words, event)
        assert f"{event.joint}" in text
        assert f"{event.start:.2f}-{event.end:.2f} s" in text
    with pytest.raises(InputError, match="language"):
        Words("xx")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31))
def test_a_taught_move_leads_back_to_where_it_was_taught(seed):
    from erfd.lirl.interpreter.interpret import interpret
    from erfd.lirl.parser.parse import parse
    from erfd.planning.planner import plan

    rng = np.random.default_rng(seed)
    low = np.array([j.position_min for j in LOLA.joints])
    high = np.array([j.position_max for j in LOLA.joints])
    q = np.clip(rng.uniform(-1, 1, 6), 0.9 * low, 0.9 * high)
    q[4] = np.copysign(max(abs(q[4]), 0.2), q[4])  # away from the wrist's singular position
    for kind in ("ptp", "joint"):
        text = f"program p;\nseq\n{move_text(kind, LOLA, q)}\nendseq\nendprogram\n"
        steps = interpret(parse(text), robot_name="lola15", n=6)
        planned = plan(LOLA, steps)
        assert not planned.failures
        # the text has four digits: 0.1 um and 0.0001 degrees, times how the arm enlarges them
        np.testing.assert_allclose(planned.trajectory.q[-1], q, atol=2e-4)


@pytest.mark.parametrize("name", erfd.robots())
def test_a_robot_without_shapes_is_drawn_from_joint_to_joint(name):
    """Each stick ends where two neighbouring frames are, however the joints that turn stand."""
    robot = erfd.load(name)
    assert has_shapes(robot)
    assert scene_of(robot)["links"][1][0]["color"] != STICK
    bare = replace(robot, links=tuple(replace(link, visuals=()) for link in robot.links))
    assert not has_shapes(bare)
    links = scene_of(bare)["links"]
    assert len(links) == robot.n + 2
    q = np.where([joint.revolute for joint in robot.joints], 0.7, home(robot))
    places = poses_of(bare, q)[0]
    for i, (stick,) in enumerate(links[1:], 1):
        half = np.array([0, 0, stick["size"][1] / 2, 1])
        ends = [np.array(stick["pose"]) @ (half * [1, 1, sign, 1]) for sign in (-1, 1)]
        turn = Rotation.from_quat(places[i, 3:])
        at = [turn.apply(end[:3]) + places[i, :3] for end in ends]
        np.testing.assert_allclose(at, [places[i - 1, :3], places[i, :3]], atol=1e-9)


@pytest.mark.parametrize("name", erfd.robots())
def test_every_bundled_robot_can_be_taught(name):
    """A taught move is reached, and the arm comes to stand there as it stood (ptp, joint).

    Six joints may come back on another branch of the same pose; fewer must come back themselves.
    """
    from erfd.lirl.interpreter.interpret import interpret
    from erfd.lirl.parser.parse import parse
    from erfd.planning.planner import plan

    robot = erfd.load(name)
    rng = np.random.default_rng(7)
    bound = 2.0
    low = np.array([max(j.position_min, -bound) for j in robot.joints])
    high = np.array([min(j.position_max, bound) for j in robot.joints])
    slides = [i + 1 for i, joint in enumerate(robot.joints) if not joint.revolute]
    for _ in range(4):
        q = low + rng.uniform(0.1, 0.9, robot.n) * (high - low)
        for kind in ("ptp", "joint", "lin"):
            # a line from where it is reached by its joints: nothing but the place is asked for
            first = f"{move_text('joint', robot, q)}\n" if kind == "lin" else ""
            text = f"program p;\nseq\n{first}{move_text(kind, robot, q)}\nendseq\nendprogram\n"
            steps = interpret(parse(text), robot_name=name, n=robot.n, prismatic=slides)
            planned = plan(robot, steps)
            assert not planned.failures, (kind, planned.failures[0].sentence)
            found = planned.trajectory.q[-1]
            # 0.0001 degrees over the length of the arm
            reach = 2e-6 * max(1.0, np.abs(erfd.forward_kinematics(robot, q)[:3, 3]).max())
            pose = erfd.forward_kinematics(robot, found) - erfd.forward_kinematics(robot, q)
            np.testing.assert_allclose(pose, 0, atol=2 * reach)
            if robot.n < 6:
                np.testing.assert_allclose(found, q, atol=2e-6)


def test_taught_texts():
    q = np.zeros(6)
    x, y, z, a, b, c = typed_pose(LOLA, q)
    pose = erfd.Pose((x / 1000, y / 1000, z / 1000), tuple(np.radians([c, b, a])))
    matrix = erfd.forward_kinematics(LOLA, q)
    np.testing.assert_allclose(pose.rotation, matrix[:3, :3], atol=1e-12)
    assert target_text(LOLA, q).startswith("robtarg(((1375, -120, 835), (")
    assert joint_text(LOLA, q) == "joint(mainjoint(0, 0, 0, 0, 0, 0))"


def test_memory_is_given_back_after_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all pages that went, and again when their threads have ended; cycles are gone then."""
    from erfd.studio import studio as place
    from erfd.studio.runs.store import Store
    from erfd.studio.server.memory import give_back

    calls: list[int] = []
    monkeypatch.setattr(place, "give_back", lambda: calls.append(1))
    here = place.Studio(Store(tmp_path))
    here.tidy()
    assert not calls
    here.let_go()
    for _ in range(4):
        here.tidy()
    assert len(calls) == 2
    session = here.sessions.of("tab")
    here.tidy()
    assert len(calls) == 2
    session.seen -= 60  # nobody looks any more: it rests, once
    for _ in range(4):
        here.tidy()
    assert len(calls) == 4

    class Ring:
        """Holds itself."""

    ring = Ring()
    ring.self = ring  # type: ignore[attr-defined]
    alive = weakref.ref(ring)
    del ring
    give_back()
    assert alive() is None
