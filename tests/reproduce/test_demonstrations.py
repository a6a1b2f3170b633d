"""The papers' machines on their own examples: what the sentences say is so."""

from __future__ import annotations

import numpy as np
import pytest

from erfd.commands.demo import NAMES
from erfd.reproduce.demonstrations import DEMONSTRATIONS, Shown

pytestmark = pytest.mark.usefixtures("compiled")


def made(name: str) -> tuple[Shown, dict[str, float]]:
    shown = DEMONSTRATIONS[name].make()
    return shown, {what: value for what, value, _ in shown.facts}


def test_names() -> None:
    assert tuple(DEMONSTRATIONS) == NAMES


def test_the_pilot_feels_the_tilt() -> None:
    shown, _ = made("sdt")
    assert shown.run.feasible
    load = shown.run["load"][1:]
    assert 0.2 < np.abs(load[:, :2]).max() < 0.5
    assert np.abs(np.linalg.norm(load, axis=1) - 1).max() < 0.02  # of the turning next to nothing


def test_three_plateaus_along_z() -> None:
    shown, facts = made("centrifuge")
    load = shown.run["load"]
    assert facts["largest load"] == pytest.approx(4.07, abs=0.01)
    steady = np.abs(load[:, :2]).max(axis=1) < 0.02 * load[:, 2]
    arm = np.abs(shown.run["qd"][:, 0]).round(3)
    fast = set(arm[steady & (load[:, 2] > 1.1)].tolist())
    assert len(fast) == 3  # three runs, each at a speed of its own
    for k in np.flatnonzero(steady & (load[:, 2] > 1.1))[::200]:
        sideways = 8.0 * arm[k] ** 2 / 9.81  # g, at the radius of the example
        assert load[k, 2] == pytest.approx(np.hypot(1, sideways), rel=0.02)


def test_the_arm_goes_on_when_volts_fall() -> None:
    shown, facts = made("cmu")
    run = shown.run
    half = len(run) // 2
    assert (run["q"][-1] > run["q"][half])[[0, 1, 2, 3, 5]].all()
    assert run["power"][-1].min() < 0  # a motor brakes
    apart = "voltages put in, and by InvArm (11) from the motion, apart by"
    assert facts[apart] < 1e-9


def test_algorithm_1_costs_a_lag() -> None:
    shown, facts = made("lola15")
    assert facts["cycles whose torque no motor has"] == 8
    assert 90 < facts["the tool leaves its path by"] < 100
    limits = np.array([drive.torque_max for drive in shown.run.robot.drives])
    assert (np.abs(shown.run["u_a"]) <= limits * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_sentence_names_pictures_that_are_there(name: str) -> None:
    pytest.importorskip("matplotlib")
    shown = DEMONSTRATIONS[name].make()
    files = set()
    for stem, draw in shown.figures.items():
        drawn = draw()
        parts = [f"{stem}-{part}" for part in drawn] if isinstance(drawn, dict) else [stem]
        files |= {f"{part}.png" for part in parts}
    words = DEMONSTRATIONS[name].look_at.replace(",", " ").replace("(", " ").replace(")", " ")
    named = {word.rstrip(".;:") for word in words.split() if ".png" in word}
    assert named
    assert named <= files
