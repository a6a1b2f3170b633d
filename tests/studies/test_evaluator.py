"""Rows of a study are what verifications of single variants say."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.studies.cycle_form import CycleForm
from erfd.studies.cycle_loop import VariantLoop
from erfd.verification.continuous import continuous_load

TWO = erfd.load("two_link")
VARY = {
    "payload": "uniform(0, 6)", "payload.x": "uniform(-0.2, 0.2)", "payload.inertia": "0..0.1",
    "friction": "uniform(0.5, 1.5)", "friction.2": "uniform(0, 2)", "wrench.fy": "-20..20",
    "wrench.mz": "-5..5", "torque.1": "uniform(0.5, 1.2)", "rotor_inertia": "0.5..2",
    "link.2.mass": "uniform(0.5, 8)", "link.1.x": "-0.2..0.2",
}  # fmt: skip


def swing(seconds: float, n: int = 2) -> erfd.Trajectory:
    """Both joints there and back."""
    t = 0.01 * np.arange(round(seconds / 0.01) + 1)
    way = 0.5 * (1 - np.cos(2 * np.pi * t / t[-1]))[:, None]
    return erfd.Trajectory(t, way * np.linspace(0.3, -0.2, n))


def limited(robot: erfd.Robot, scale: float = 1.0) -> erfd.Robot:
    """The robot with every limit of a continuous load there is, friction, and a curve."""
    drives = [
        replace(
            drive, torque_max=80 * scale, torque_rated=45 * scale, thermal_time_constant=3.0 + i,
            gear_torque_average=60 * scale, gear_torque_peak=90 * scale, resistance=0.4,
            torque_constant=0.7, voltage_max=60.0 * scale, load_friction=0.1, coulomb=1.0,
            viscous=0.2, inertia=0.05, ratio=1.0 + i,
            curve=((0.0, 80 * scale), (3.0, 70 * scale), (30.0, 5.0)) if i else (),
        )
        for i, drive in enumerate(robot.drives)
    ]  # fmt: skip
    return replace(robot, drives=tuple(drives), bus_power=5000.0 * scale)


def parts_of(run: erfd.Run, evaluator: Any, pause: float = 0.0) -> list[float]:
    """The continuous loads of a run as parts of their limits, in the order of a study."""
    rows = {(row.motor, row.quantity): row.part for row in continuous_load(run, pause).rows}
    return [rows[motor, quantity] for motor, quantity, _ in evaluator.loads]


@given(st.integers(0, 2**32), st.sampled_from([1.5, 3.0, 6.0]), st.booleans())
@settings(max_examples=3)
def test_rows_are_single_runs(seed: int, scale: float, resting: bool) -> None:
    """Verdict, peaks, RMS and loads beside Algorithm 1 on a robot that has a variant's numbers."""
    robot, motion = limited(TWO, scale), swing(0.6)
    if resting:  # the second joint stands: friction helps to hold it
        motion = erfd.Trajectory(motion.t, motion.q * [1.0, 0.0])
    found = erfd.study(motion, robot, vary=VARY, samples=2, seed=seed, pause=0.4)
    for k in range(2):
        run = found.run(k)
        loads = continuous_load(run, 0.4)
        assert found.rows.feasible[k] == (run.feasible and not loads.failures)
        assert found.rows.error[k] == ""
        if not run.feasible:
            first = min((e for e in run.events if e.fails), key=lambda e: e.start)
            assert found.rows.time[k] == pytest.approx(first.start, abs=1e-9)
            label = found.table["limit"][k]
            assert "torque" in label
            continue
        use = np.abs(run["u_a"][1:]) / run["u_a_max"][1:]
        assert np.minimum(found.rows.torque[k], 1) == pytest.approx(use.max(axis=0), abs=1e-9)
        rms = [row["torque_rms"] for row in run.summary()]
        assert found.rows.rms[k] == pytest.approx(np.array(rms) * math.sqrt(0.6 / 1.0), rel=1e-9)
        expected = parts_of(run, found.evaluator, 0.4)
        assert found.rows.loads[k] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        most = max([*found.rows.torque[k].tolist(), *expected])
        assert found.rows.margin[k] == pytest.approx(1 - most, abs=1e-9)


def test_rows_are_verifications_of_programs() -> None:
    """With what the program itself says of the payload, and what varies where it says nothing."""
    text = "program p; seq move ptp joint(mainjoint(40, -30)); payload 3;"
    text += " move ptp joint(mainjoint(0, 20)); endseq endprogram"
    robot = limited(TWO, 3.0)
    vary = {"payload": "0..12", "friction": "0.5..1.5", "wrench.fx": "-30..30"}
    found = erfd.study(text, robot, vary=vary, samples=6, seed=3)
    assert 0 < found.rows.feasible.sum() < 6
    for k in range(6):
        alone = found.verification(k)
        assert isinstance(alone, erfd.Verification)
        assert alone.feasible == found.rows.feasible[k]
        if not alone.feasible:
            continue
        peaks = [max(report.torque.max() for report in alone.moves)]
        assert found.rows.torque[k].max() == pytest.approx(peaks[0], abs=1e-9)
        moves = [report.torque.max() for report in alone.moves]
        assert found.rows.moves[k] == pytest.approx(moves, abs=1e-9)


def test_geometry_is_planned_anew() -> None:
    """A base that leans and a longer tool, each variant as its own verification says."""
    text = "program p; seq move ptp joint(mainjoint(40, -30)); endseq endprogram"
    vary = {"mount.roll": "0..1.5", "tool.x": "0..0.5", "payload": "0..3", "speed": "0.5..1.2"}
    found = erfd.study(text, TWO, vary=vary, samples=6, seed=1)
    feasible = [found.run(k).feasible and not continuous_load(found.run(k)).failures
                for k in range(6)]  # fmt: skip
    assert found.rows.feasible.tolist() == feasible
    assert len(set(feasible)) == 2


def test_a_cell_around_a_base_that_moves(tmp_path: Any) -> None:
    """Collisions of each variant as its own verification finds them, wherever the base stands."""
    cell = tmp_path / "cell.toml"
    cell.write_text(
        'name = "post"\nmount = { xyz = [0.1, 0.0, 0.0] }\n[[object]]\nname = "post"\n'
        'shape = "box"\nsize = [0.3, 0.3, 0.3]\nxyz = [0.9, 0.5, 0.0]\n'
    )
    text = "program p; seq move ptp joint(mainjoint(60, -20)); endseq endprogram"
    found = erfd.study(text, TWO, vary={"mount.x": "-0.6..0.4", "payload": "0..0.1"}, samples=6,
                       seed=2, cell=cell)  # fmt: skip
    alone = [found.verification(k) for k in range(6)]
    assert found.rows.feasible.tolist() == [one.feasible for one in alone]
    assert {bool(one.contacts) for one in alone} == {True, False}
    assert "collision" in found.table["limit"].tolist()


def test_what_was_not_checked_is_said_and_counts_strictly() -> None:
    """As a verification says it, continuous loads included."""
    text = "program p; seq move ptp joint(mainjoint(4, -3)); endseq endprogram"
    for robot in (TWO, limited(TWO, 6.0)):
        found = erfd.study(text, robot, vary={"payload": "0..0.1"}, samples=2, strict=True)
        alone = found.verification(0)
        assert found.evaluator.unchecked == alone.not_checked
        assert found.rows.feasible[0] == alone.feasible


def test_a_run_at_another_speed_has_the_payloads_of_the_program() -> None:
    text = "program p; seq move ptp joint(mainjoint(40, -30)); payload 1;"
    text += " move ptp joint(mainjoint(0, 20)); endseq endprogram"
    found = erfd.study(text, TWO, vary={"speed": "0.5..0.9", "payload": "0..1"}, samples=3)
    for k in range(3):
        run = found.run(k)
        assert set(run["payload"][:, 0].tolist()) == {1.0, found.variant(k)["payload"]}
        ok = run.feasible and not continuous_load(run).failures
        assert ok == found.rows.feasible[k]
    with pytest.raises(InputError, match="expected one payload throughout"):
        found.verification(0)


def test_one_bad_variant_is_a_marked_row(tmp_path: Any) -> None:
    path = tmp_path / "variants.csv"
    path.write_text("payload,friction\n1,1\n-2,1\n3,1e9\nx,1\n4,1\n")
    found = erfd.study(swing(0.3), limited(TWO), vary=path)
    assert found.rows.error.tolist() == [
        "", "payload: expected a number >= 0, found -2",
        "friction: expected a load friction below 1, found 1e+08",
        "payload: expected a number >= 0, found nan", "",
    ]  # fmt: skip
    assert found.table["limit"].tolist()[1:4] == ["error"] * 3
    assert found.errors == 3
    assert found.probability is None
    assert not found.rows.feasible[1:4].any()
    assert "3 could not be evaluated" in found.verdict


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("more", [False, True])
def test_machine_code_and_numpy_agree(more: bool) -> None:
    """Over random numbers, whatever the count of variants is to that of the lanes."""
    form = CycleForm(3, 2, True, more, more, more, more)
    rng = np.random.default_rng(5)
    table = rng.normal(size=(30, form.row_size))
    table[:, form.row["way"]] = rng.integers(-1, 2, (30, 3))
    table[:, form.row["rest"]] = table[:, form.row["way"]] == 0
    table[:, form.row["cycle"]] = np.arange(30)[:, None]
    lanes = rng.uniform(0.1, 3, (13, 15))
    arguments = (table, rng.normal(size=(13, 2)), lanes, rng.uniform(size=18), np.array([9, 30]))
    kept, uses = VariantLoop.of(form).run(*arguments)
    with erfd.backend("numpy"):
        same = VariantLoop.of(form).run(*arguments)
    assert np.allclose(kept[:, 3:], same[0][:, 3:], rtol=1e-12)  # uses are cleared by then
    assert np.allclose(uses, same[1], rtol=1e-12)
    assert (kept[:, -1] >= 0).any()
