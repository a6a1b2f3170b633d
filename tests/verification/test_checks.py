"""What a verification looks at, at which step, and what it suspects of its input."""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.drives.drives import Drives
from erfd.errors import InputError
from erfd.robot.model import Link, Visual
from erfd.robot.payload import with_payload
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.checks import cannot_hold, holdable_masses, not_checked, static_loads
from erfd.verification.tables import advice_lines, verification_data
from support.easy_program import EASY
from support.languages import said
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")
BOX = erfd.Cell("box", (erfd.cell.CellObject("box", Visual("box", (9.0, 9.0, 9.0))),))
"""All of the arm is inside of it."""


def poses(robot: erfd.Robot, count: int) -> np.ndarray:
    die = np.random.default_rng(3)
    low, high = (
        np.array([np.clip(getattr(joint, name), -3, 3) for joint in robot.joints])
        for name in ("position_min", "position_max")
    )
    return die.uniform(low, high, (count, robot.n))


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford"])
def test_standing_loads_are_those_of_inverse_dynamics(name: str) -> None:
    """Payload and wrench as forces at the tool, against the arm with a heavier last link."""
    robot = replace(erfd.load(name), mount=erfd.Pose((0, 0, 1), (0.3, -0.8, 0.2)))
    q, wrench = poses(robot, 50), [10.0, -20.0, 30.0, 1.0, 2.0, -3.0]
    carried = [None, erfd.Payload(7.0, (0.1, -0.05, 0.2))] * 25
    found = static_loads(robot, q, carried, wrench)
    still = np.zeros_like(q)
    for k in (0, 1):
        arm = with_payload(robot, carried[k])
        u = erfd.inverse_dynamics(arm, q[k::2], still[k::2], still[k::2], wrench=wrench)
        np.testing.assert_allclose(found[k::2], Drives.of(robot).load(u), rtol=1e-9, atol=1e-9)


def test_the_mass_that_can_be_held_is_where_holding_ends() -> None:
    """At every pose it holds a little less, and not a little more."""
    q, at = poses(LOLA, 40), (0.1, 0.0, 0.3)
    most = holdable_masses(LOLA, q, erfd.Payload(1.0, at))
    assert (most > 0).all()
    for factor, holds in ((0.999, True), (1.001, False)):
        carried = [erfd.Payload(factor * mass, at) for mass in most.tolist()]
        assert (cannot_hold(LOLA, q, carried, None).any(axis=1) != holds).all()


@pytest.mark.parametrize("dt", [4.0, 0.11, 1e-6, 0.0, -0.01, float("nan"), float("inf")])
def test_a_step_that_cannot_be_meant(dt: float) -> None:
    with pytest.raises(InputError, match=r"dt: expected a time from 1e-05 to 0.1 s \(shorter"):
        verify(EASY, LOLA, dt=dt)


@pytest.mark.parametrize(
    ("cycle", "dt", "step"),
    [(0.01, None, 0.01), (0.01, 0.01, 0.01), (0.01, 0.004, 0.01 / 3), (0.01, 0.001, 0.001),
     (0.004, None, 0.004), (0.004, 0.01, 0.004), (0.004, 0.1, 0.004)],
)  # fmt: skip
def test_the_step_is_a_whole_part_of_the_controllers_cycle(
    cycle: float, dt: float | None, step: float
) -> None:
    found = verify(EASY, replace(LOLA, cycle_time=cycle), dt=dt)
    assert found.run["t"][1] == pytest.approx(step, rel=1e-9)
    told = [sentence for line, sentence in found.warnings if line == 0]
    longer = dt is not None and dt > cycle
    assert any("is longer than the controller's cycle: computed at" in s for s in told) == longer
    for sentence in told:
        said(sentence)


def test_a_program_too_long_for_its_step() -> None:
    text = "program p; seq move ptp joint(mainjoint(10)); wait 30 sec; endseq"
    with pytest.raises(InputError, match=r"dt: expected at least 6.09e-05 s for a program of 30"):
        verify(text, LOLA, dt=1e-5)


def test_a_coarse_cycle_is_said() -> None:
    """Few points on a move, or a long way between two of them."""
    short = "program p; seq move ptp joint(mainjoint(0.5)); endseq"
    told = [sentence for _, sentence in verify(short, replace(LOLA, cycle_time=0.1)).warnings]
    assert any(s.startswith("a move of ") and s.endswith("are coarse for it") for s in told)
    far = "program p; seq move ptp joint(mainjoint(90)); endseq"
    told = [sentence for _, sentence in verify(far, replace(LOLA, cycle_time=0.1)).warnings]
    rough = [s for s in told if s.startswith("joint 1 goes")]
    assert len(rough) == 1
    said(rough[0])
    assert not any("coarse" in sentence for _, sentence in verify(far, LOLA).warnings)


@pytest.mark.parametrize("mass", [5000.0, 20_000.0, 1e6])
@pytest.mark.parametrize("program", [EASY, DEMO])
def test_any_payload_gets_its_verdict_soon(mass: float, program: str) -> None:
    """With a word about its unit, and no speed looked for where the arm cannot hold itself."""
    begin = time.monotonic()
    found = verify(program, LOLA, payload=erfd.Payload(mass))
    advice = advise(found)
    assert time.monotonic() - begin < 10
    assert not found.feasible
    (suspicion,) = [s for _, s in found.warnings if "(grams) meant?" in s]
    assert f"a payload of {mass:.6g} kg is" in suspicion
    assert f"was {mass / 1000:.4g} kg" in suspicion
    said(suspicion)
    assert advice.cannot_hold
    assert advice.override is None
    assert any("cannot hold the arm on its path" in line for line in advice_lines(found, advice))


def test_a_payload_of_a_sane_size_is_not_suspected() -> None:
    for mass in (0.1, 10.0, 60.0):
        found = verify(EASY, LOLA, payload=erfd.Payload(mass))
        assert not any("meant" in sentence for _, sentence in found.warnings)


def test_trials_end_when_their_time_is_up() -> None:
    """And the advice says so instead of a speed that was not found."""
    found = verify(DEMO, LOLA, dt=1e-3)
    begin = time.monotonic()
    advice = advise(found, seconds=0.0)
    assert time.monotonic() - begin < 2
    assert not advice.complete
    assert advice.override is None
    assert any("in the time for it" in line for line in advice_lines(found, advice))
    said(advice.margin)


def test_what_cannot_be_checked_is_said() -> None:
    bare = replace(
        LOLA,
        links=tuple(replace(link, visuals=()) for link in LOLA.links),
        joints=tuple(replace(joint, acceleration_max=np.inf) for joint in LOLA.joints),
        drives=tuple(
            replace(d, load_friction=0.0, coulomb=0.0, viscous=0.0, inertia=0.0)
            if i < 2
            else replace(d, torque_max=np.inf)
            for i, d in enumerate(LOLA.drives)
        ),
    )
    assert list(not_checked(bare, None)) == [
        "collisions not checked (no cell)",
        "torque of motors 3, 4, 5, 6 not checked (no torque_max)",
        "friction of motors 1, 2 not checked (none in the robot's file)",
        "rotor inertia of motors 1, 2 not checked (none in the robot's file)",
        "acceleration of all joints not checked (no limit)",
    ]
    assert next(iter(not_checked(bare, BOX))) == "collisions not checked (the robot has no shapes)"
    drawn_freely = "self-collision not checked (the robot's shapes are illustrative)"
    half = replace(LOLA, links=(replace(LOLA.links[0], visuals=()), *LOLA.links[1:]))
    assert list(not_checked(half, BOX)) == [
        f"collisions of {LOLA.links[0].name} not checked (no shapes)",
        drawn_freely,
    ]
    assert list(not_checked(LOLA, BOX)) == [drawn_freely]
    for sentence in (*not_checked(bare, None), *not_checked(bare, BOX), *not_checked(half, BOX)):
        said(sentence)


def test_links_without_mass_are_named(tmp_path: Path) -> None:
    """A URDF for pictures alone weighs nothing: any motor holds it, and the verdict says why."""
    light = [replace(link, mass=0.0, inertia=Link("none", 0.0).inertia) for link in LOLA.links]
    bare = replace(LOLA, links=tuple(light))
    (all_links,) = [s for s in not_checked(bare, None) if s.startswith("weight")]
    assert all_links == "weight and inertia of all links not checked (no mass in the robot's file)"
    found = verify(EASY, bare)
    assert found.feasible
    assert all_links in found.not_checked_line
    assert not verify(EASY, bare, strict=True).feasible
    some = replace(LOLA, links=(*LOLA.links[:4], light[4], LOLA.links[5]))
    (one,) = [s for s in not_checked(some, None) if s.startswith("weight")]
    assert one.startswith(f"weight and inertia of {light[4].name} not checked (no mass")
    for sentence in (all_links, one):
        said(sentence)
    path = tmp_path / "pictures.urdf"
    path.write_text(
        '<robot name="pictures"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="0.001" velocity="2"/></joint></robot>'
    )
    assert any(
        s.startswith("weight and inertia of all") for s in not_checked(erfd.load(path), None)
    )
    assert not any(s.startswith("weight") for s in not_checked(LOLA, None))


def test_a_robot_without_shapes_in_a_closed_box() -> None:
    """Its verdict says that collisions were not looked for; strictly, it fails."""
    pytest.importorskip("coal")
    bare = replace(LOLA, links=tuple(replace(link, visuals=()) for link in LOLA.links))
    found = verify(EASY, bare, cell=BOX)
    assert found.feasible
    assert "collisions not checked (the robot has no shapes)" in found.not_checked_line
    assert not verify(EASY, LOLA, cell=BOX).feasible
    strictly = verify(EASY, bare, cell=BOX, strict=True)
    assert not strictly.feasible
    assert "collisions not checked" in strictly.verdict


def test_the_command_says_what_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "easy.irl"
    program.write_text(EASY, encoding="utf-8")
    words = ["verify", str(program), "--robot", "lola15", "--no-advice"]
    assert main(words) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "collisions not checked (no cell)" in shown
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert "collisions not checked (no cell)" in data["not_checked"]
    assert main([*words, "--strict", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["strict"] is True
    assert data["verdict"].startswith("not feasible: collisions not checked")
    assert main([*words, "--payload", "5000"]) == 1
    assert "(grams) meant?" in " ".join(capsys.readouterr().out.split())
    assert json.dumps(verification_data(verify(EASY, LOLA), None), allow_nan=False)
