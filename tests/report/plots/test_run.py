"""Figures show the data of the run, limits where drives have them, and bands where it failed."""

import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.errors import InputError, MissingDependencyError
from erfd.report.plots import layout as plot_parts
from erfd.report.plots import run as plots

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]


def smooth(start: list[float], goal: list[float], seconds: float) -> erfd.Trajectory:
    t = 0.01 * np.arange(round(seconds / 0.01) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return erfd.Trajectory(t, np.array(start) + np.outer(s, np.subtract(goal, start)))


MOVE = smooth([0.0, 0.2, -0.3, 0.0, -0.8, 0.0], [1.5, -0.8, 0.9, 1.0, 0.5, 2.0], 0.9)


@cache
def too_fast() -> erfd.Run:
    return erfd.achievable(LOLA, MOVE, wrench=WRENCH)


@cache
def stanford() -> erfd.Run:
    """An arm with a prismatic joint, the third."""
    return erfd.achievable(
        erfd.load("stanford"),
        smooth([0.0, -1.2, 0.4, 0.0, 0.4, 0.0], [1.2, -0.6, 0.7, 1.0, 0.9, 1.0], 1.2),
    )


@cache
def small() -> erfd.Run:
    return erfd.achievable(erfd.load("two_link"), smooth([0.1, 0.1], [2.0, 1.5], 0.5))


def line(ax: Any, label: str) -> Any:
    (found,) = [x for x in ax.get_lines() if x.get_label() == label]
    return found.get_ydata()


def drawn(figure: Any) -> Any:
    figure.draw_without_rendering()  # nothing in it warns or fails
    return figure


def limits_of(ax: Any) -> list[Any]:
    return [x.get_ydata() for x in ax.get_lines() if x.get_color() == plot_parts.LIMIT]


def programmed(name: str, run: erfd.Run) -> np.ndarray:
    if name == "qdd":
        return np.diff(run["qd_given"], axis=0) / 0.01
    return run[f"{name}_given"]


def test_motor_torques() -> None:
    run = too_fast()
    axes = drawn(plots.plot_motor_torques(run)).axes
    assert len(axes) == 6
    failing = {event.kind for event in run.events if event.fails}
    assert failing == {"torque limit", "motor speed limit"}
    for i, ax in enumerate(axes):
        assert ax.get_title(loc="left") == f"motor {i + 1}"
        assert np.array_equal(line(ax, "achieved"), run["u_a"][1:, i])
        assert np.array_equal(line(ax, "wanted"), run["u_a_wanted"][1:, i])
        low, high = limits_of(ax)
        assert (high == LOLA.drives[i].torque_max).all()
        assert (low == -LOLA.drives[i].torque_max).all()
        bands = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
        events = [e for e in run.events if e.joint == i + 1 and e.kind == "torque limit"]
        assert np.allclose(bands, [(e.start, e.end) for e in events]) if events else not bands
    assert len(axes[0].patches) == 2
    assert axes[0].get_ylabel() == "$u_a$ (N m)"
    assert axes[-1].get_xlabel() == "time (s)"


def test_a_stall_has_its_own_band() -> None:
    weak = replace(LOLA.drives[1], torque_max=0.5)
    robot = replace(LOLA, drives=(LOLA.drives[0], weak, *LOLA.drives[2:]))
    t = 0.01 * np.arange(20)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.repeat([[0, 0.9, 0, 0, 0, 0]], 20, axis=0)))
    figure = drawn(plots.plot_motor_torques(run))
    assert [len(ax.patches) for ax in figure.axes] == [0, 1, 0, 0, 0, 0]
    assert "cannot hold" in [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize(
    ("plot", "name", "unit"),
    [
        (plots.plot_accelerations, "qdd", "rad/s²"),
        (plots.plot_velocities, "qd", "rad/s"),
        (plots.plot_positions, "q", "rad"),
    ],
)
def test_programmed_and_achieved(plot: Any, name: str, unit: str) -> None:
    run = too_fast()
    figure = plot(run)
    assert len(figure.axes) == 6
    for i, ax in enumerate(figure.axes):
        given = programmed(name, run)
        achieved = run[name][-len(given) :]
        rounding = 1e-9 * np.abs(np.stack([given, achieved])).max()  # is drawn as zero
        for label, values in (("programmed", given[:, i]), ("achieved", achieved[:, i])):
            assert np.abs(line(ax, label) - values).max() <= rounding
        assert len(ax.patches) == sum(event.joint == i + 1 for event in run.events)
    assert figure.axes[0].get_ylabel().endswith(f"({unit})")
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(words) == len(set(words))
    assert {"programmed", "achieved", "at its torque limit"} < set(words)


def test_velocity_limits_are_the_tighter_ones() -> None:
    """Joint 1 is bound by its motor, joint 4 by itself; no achieved velocity is beyond (18)."""
    axes = plots.plot_velocities(too_fast()).axes
    for i, speed in ((0, 2.749), (3, LOLA.joints[3].velocity_max)):
        assert limits_of(axes[i])[1] == pytest.approx(speed, abs=1e-3)
    for i, ax in enumerate(axes):
        low, high = limits_of(ax)
        rate = too_fast()["qd"][:, i]
        assert ((low <= rate + 1e-9) & (rate <= high + 1e-9)).all()


def test_joint_torques() -> None:
    run = too_fast()
    axes = drawn(plots.plot_joint_torques(run)).axes
    assert len(axes) == 6
    for i, ax in enumerate(axes):
        for label in ("RNEA (link frames)", "mRNEA"):
            assert np.allclose(line(ax, label), run["u"][1:, i], rtol=0, atol=1e-8)


def test_joint_torques_with_a_payload() -> None:
    payload = erfd.Payload(8.0, (0.02, 0.0, 0.05))
    carried = [None] * 45 + [payload] * (len(MOVE) - 45)
    run = erfd.achievable(LOLA, MOVE, payload=carried)
    for figure in (plots.plot_joint_torques(run), plots.plot_joint_torques(run, payload=carried)):
        assert np.allclose(line(figure.axes[1], "mRNEA"), run["u"][1:, 1], rtol=0, atol=1e-8)
    with pytest.raises(InputError, match="payload: expected what the run was made with"):
        plots.plot_joint_torques(run, payload=erfd.Payload(7.0))
    with pytest.raises(InputError, match="payload: expected one or 91, found 2"):
        plots.plot_joint_torques(run, payload=[None, payload])


def test_path() -> None:
    run = too_fast()
    space, speed, away = drawn(plots.plot_path(run)).axes
    found = run["pose"][:, :3, 3]
    (line3d,) = [x for x in space.get_lines() if x.get_label() == "achieved"]
    assert np.array_equal(np.transpose(line3d.get_data_3d()), found)
    pace = np.linalg.norm(np.diff(found, axis=0), axis=1) / 0.01
    assert np.allclose(line(speed, "achieved"), pace)
    assert np.allclose(away.get_lines()[0].get_ydata(), 1000 * run["deviation"][:, 0])
    assert [len(ax.patches) for ax in (speed, away)] == [2, 2]
    labels = [speed.get_ylabel(), away.get_ylabel(), space.get_zlabel()]
    assert labels == ["tool speed (m/s)", "deviation (mm)", "z (m)"]


def test_reactions_and_power() -> None:
    run = too_fast()
    axes = np.reshape(drawn(plots.plot_reactions(run)).axes, (6, 2))
    for i in range(6):
        for column, name in enumerate(("force", "moment")):
            for k, axis in enumerate("xyz"):
                assert np.array_equal(line(axes[i, column], axis), run[name][1:, i, k])
    assert [ax.get_ylabel() for ax in axes[0]] == ["force (N)", "moment (N m)"]
    *motors, total, energy = drawn(plots.plot_power(run)).axes
    for i, ax in enumerate(motors):
        assert np.array_equal(ax.get_lines()[0].get_ydata(), run["power"][1:, i])
        assert np.array_equal(line(energy, f"motor {i + 1}"), run["energy"][:, i])
    assert np.allclose(total.get_lines()[0].get_ydata(), run["power"][1:].sum(axis=1))
    assert [ax.get_ylabel() for ax in (total, energy)] == ["power (W)", "energy (J)"]


def test_prismatic_joints_have_their_units() -> None:
    run = stanford()
    wanted = {
        plots.plot_joint_torques: ("N m", "N"),
        plots.plot_positions: ("rad", "m"),
        plots.plot_velocities: ("rad/s", "m/s"),
        plots.plot_accelerations: ("rad/s²", "m/s²"),
    }
    for plot, (turning, sliding) in wanted.items():
        found = [ax.get_ylabel().split("(")[1].rstrip(")") for ax in plot(run).axes]
        assert found == [turning, turning, sliding, turning, turning, turning]
    assert plots.plot_motor_torques(run).axes[2].get_ylabel() == ""  # that of the row: N m


@pytest.mark.parametrize(("name", "columns"), [("two_link", 2), ("centrifuge3", 2), ("sdt4", 2)])
def test_small_robots(name: str, columns: int) -> None:
    robot = erfd.load(name)
    run = erfd.achievable(robot, smooth([0.1] * robot.n, [0.2] * robot.n, 0.3))
    for plot in plots.PLOTS.values() if name == "two_link" else ():
        drawn(plot(run))
    axes = plots.plot_motor_torques(run).axes
    assert len({ax.get_position().x0.round(3) for ax in axes}) == columns


def test_the_trainer() -> None:
    robot = erfd.load("sdt4")
    t = np.linspace(0, 3, 61)
    angle = np.outer(t, [0.5, 0.8, 0.6, 0.9])
    q, qd, qdd = np.sin(angle), np.cos(angle), -np.sin(angle)
    axes = np.reshape(drawn(plots.plot_sdt(robot, t, q, qd, qdd)).axes, (4, 2))
    u = erfd.inverse_dynamics(robot, q, qd, qdd)
    for i, (left, right) in enumerate(axes):
        for label in ("torque: RNEA", "torque: mRNEA"):
            assert np.allclose(line(left, label), u[:, i], rtol=0, atol=1e-8)
        assert np.array_equal(line(right, "acceleration: given"), qdd[:, i])
        assert np.allclose(line(right, "acceleration: recovered"), qdd[:, i])
    with pytest.raises(InputError, match=r"motion: expected t \(N,\) and qdd \(N, 4\)"):
        plots.plot_sdt(robot, t[1:], q, qd, qdd)


def test_saving(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt
    from matplotlib.image import imread

    saved = plots.save_all(small(), tmp_path / "figures")
    assert [path.stem for path in saved] == list(plots.PLOTS)
    assert sorted((tmp_path / "figures").iterdir()) == sorted(saved)  # nothing half-written
    for path in saved:
        height, width, _ = imread(path).shape
        assert 700 < width < 2000
        assert 400 < height < 2000
    assert not plt.get_fignums()


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_figure_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second = (
        plots.save_figure(plots.plot_power(small()), tmp_path / f"{k}{suffix}").read_bytes()
        for k in range(2)
    )
    assert first == second
    if suffix == ".svg":
        assert b"<svg" in first
        assert not re.search(rb"<dc:date>|20\d\d-\d\d-\d\d", first)


def test_wrong_files(tmp_path: Path) -> None:
    figure = plots.plot_positions(too_fast())
    with pytest.raises(InputError, match=r"a\.jpg: expected a name ending in \.png or \.svg"):
        plots.save_figure(figure, tmp_path / "a.jpg")
    with pytest.raises(InputError, match=r"a\.png: cannot be written: No such file"):
        plots.save_figure(figure, tmp_path / "none" / "a.png")
    with pytest.raises(InputError, match=r"suffix: expected one of \.png, \.svg, found '\.pdf'"):
        plots.save_all(too_fast(), tmp_path, suffix=".pdf")
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(InputError, match=r"taken\.png: cannot be written: Is a directory"):
        plots.save_figure(figure, tmp_path / "taken.png")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.png"]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    run = too_fast()
    for name in ("matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="pip install 'erfd\\[plots\\]'"):
        plots.plot_positions(run)


def test_a_panel_shows_no_last_digits() -> None:
    """A torque that does not change by more than rounding, and one that is nothing but that."""
    still = np.tile([0.1, 0.4, -0.3, 0.2, 0.5, 0.0], (30, 1))
    still[:, 0] += 0.1 * np.arange(30) ** 2 / 900
    run = erfd.achievable(LOLA, erfd.Trajectory(0.01 * np.arange(30), still))
    for plot in (plots.plot_joint_torques, plots.plot_accelerations, plots.plot_motor_torques):
        for ax in plot(run).axes:
            low, high = ax.get_ylim()
            assert high - low > 1e-9
            assert high - low >= 1e-6 * max(abs(low), abs(high))
