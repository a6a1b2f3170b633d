"""What the pages say of the demonstration is what the code finds now."""

import importlib.util
from functools import cache
from typing import Literal

import numpy as np
import pytest

import erfd
from erfd.cli import parser
from erfd.lirl import interpret, parse
from support.paths import DOCS, EXAMPLES, ROOT

pytestmark = pytest.mark.usefixtures("compiled")
FILE = EXAMPLES / "lola15_demo.irl"
FORCE = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
LOLA = erfd.load("lola15")
TURNINGS: tuple[Literal["smooth", "even"], ...] = ("smooth", "even")


@cache
def page(name: str) -> str:
    """A page in one line, its ends of lines as spaces."""
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


@cache
def verified(turning: Literal["even", "smooth"]) -> erfd.Verification:
    with erfd.backend("compiled"):
        return erfd.verify(FILE, LOLA, wrench=FORCE, turning=turning)


def strays(found: erfd.Verification) -> str:
    """By how much the tool leaves its path, mm."""
    return f"{1000 * found.run['deviation'][:, 0].max():.0f}"


def percent(found: erfd.Verification) -> int:
    override = erfd.advise(found).override
    assert override is not None
    return round(100 * override)


def test_as_it_is_written() -> None:
    found = verified("even")
    failures = [event for event in found.run.events if event.fails]
    short = [event for event in failures if event.kind == "torque limit"]
    *lines, last_but_one, last = found.bad_lines
    assert lines == list(range(lines[0], lines[-1] + 1))
    named = f"{lines[0]} to {lines[-1]}, {last_but_one} and {last}"
    text = page("verify.md")
    assert f"{len(found.moves)} moves, {found.seconds:.2f} s" in text
    assert f"there are {len(failures)} events in the lines {named}, and the tool strays" in text
    assert f"strays by up to {strays(found)} mm. At {percent(found)} % of the speed" in text
    assert f'found.run["u_a"].shape) # {found.run["u_a"].shape}' in text
    assert f"found.bad_lines) # {found.bad_lines}" in text
    errata = page("errata.md")
    assert f"saturates every motor, in {len(short)} spans of a few cycles" in errata
    assert {event.joint for event in short} == set(range(1, 7))
    assert f"leaves the path by up to {strays(found)} mm" in errata
    assert f"not reproduced: by {strays(found)} mm" in page("sources.md")


def test_with_smooth_turning() -> None:
    found = verified("smooth")
    assert all(event.kind == "joint speed limit" for event in found.run.events if event.fails)
    assert found.bad_lines == (29,)
    fast = np.abs(found.plan.trajectory.qd).max(axis=0)
    most = [joint.velocity_max for joint in LOLA.joints]
    text = page("verify.md")
    assert f"turn at {fast[3]:.1f} rad/s where {most[3]:g} are allowed" in text
    assert f"axis 5 at {fast[4]:.2f} instead of {most[4]:g}" in text
    assert f"At {percent(found)} % of the speed it is feasible" in text
    assert f"`erfd verify` advises {percent(found)} % of the speed" in page("repair.md")
    assert f"({strays(found)} with smooth turning)" in page("sources.md")
    assert f"by up to {strays(found)} mm for that alone" in page("errata.md")
    with np.errstate(invalid="ignore"):
        use = np.nanmax(np.abs(found.run["u_a"]) / found.run["u_a_max"])
    assert f"(with the force {100 * use:.0f} %)" in page("errata.md")


def test_fitted_to_the_axes() -> None:
    program = parse(FILE.read_text(encoding="utf-8"))
    smooth, even = (
        erfd.plan(LOLA, interpret(program, LOLA), turning=turning, adapt="axes").duration
        for turning in TURNINGS
    )
    plain = erfd.plan(LOLA, interpret(program, LOLA)).duration
    said = f"{smooth:.2f} s instead of {plain:.2f} with smooth turning, {even:.2f} s with even"
    assert said in page("planner.md")
    found = erfd.verify(FILE, LOLA, wrench=FORCE, turning="smooth", adapt="axes")
    assert found.feasible
    assert f"`--adapt axes` as it is, in {found.seconds:.2f} s" in page("verify.md")


def test_without_the_tool() -> None:
    found = erfd.verify(FILE, LOLA, tool=erfd.Pose(), wrench=FORCE, turning="smooth")
    (s6, s10) = found.plan.failures
    missed = f"{1000 * s6.distance:.1f} and {1000 * s10.distance:.1f} mm"
    assert f"{s6.name} and {s10.name} are out of reach by {missed}" in page("verify.md")
    said = f"{s6.name} by {1000 * s6.distance:.1f} mm and {s10.name} by {1000 * s10.distance:.1f}"
    assert said in page("planner.md")


def test_the_table_of_moves() -> None:
    """The page of the planner has the table that its script makes."""
    spec = importlib.util.spec_from_file_location("make_planner", DOCS / "make_planner.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    text = (DOCS / "planner.md").read_text(encoding="utf-8")
    assert make.measured(make.demonstration()) in text


def test_make_demo() -> None:
    """The listing as it is, then with smooth turning, then repaired: commands that can be given."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndemo:")[2]
    recipe = recipe.partition("\n\n")[0]
    lines = [line.strip() for line in recipe.splitlines() if "/erfd " in line]
    words = [line.partition("/erfd ")[2].partition(" || ")[0].split() for line in lines]
    asked = [parser(command[0]).parse_args(command) for command in words]
    assert [options.command for options in asked] == ["verify", "verify", "repair"]
    assert [getattr(options, "turning", None) for options in asked] == [None, "smooth", None]
    for options in asked:
        assert ROOT / str(options.program) == FILE
        assert options.wrench == "100,100,-150"
