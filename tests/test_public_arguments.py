"""Arguments of the public functions: what is taken in many forms, and what nobody can mean."""

import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import ErfdError, InputError
from support.easy_program import EASY
from support.public_calls import JUNK, motion, valid_calls

pytestmark = pytest.mark.usefixtures("compiled")
FUNCTIONS = {
    name for name in erfd.__all__ if inspect.isfunction(getattr(erfd, name))
} - {"robots", "backend"}  # fmt: skip
CLASSES = {"Achiever", "Trajectory", "Payload"}
UNPRINTED = {"save", "verify", "repair", "Achiever", "read_motion"}
"""Functions whose results show the path or nothing, or that are asked below."""
CALLBACKS = {"progress", "input"}
"""A function with other parameters is the caller's own TypeError."""


def test_every_public_function_is_tried() -> None:
    assert {*FUNCTIONS, *CLASSES} == set(valid_calls())


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *CLASSES}))
def test_a_wrong_argument_is_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands in the place of an argument: a result, or an error of ours, one line long."""
    monkeypatch.chdir(tmp_path)
    function, arguments = valid_calls()[name]
    for key in arguments:
        for value in JUNK:
            if key in CALLBACKS and callable(value):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    function(**arguments | {key: value})
                except ErfdError as error:
                    said = str(error).replace(repr(value)[:40], "it")  # an array has lines itself
                    if "\n" in said and name != "verify":  # which lists the mistakes of a program
                        pytest.fail(f"{name}({key}={value!r:.60}): {said}")
                except Exception as error:
                    pytest.fail(f"{name}({key}={value!r:.60}): {type(error).__name__}: {error}")
    erfd.set_threads(None)


def test_a_robot_is_a_robot_a_name_or_a_file(tmp_path: Path) -> None:
    """The same numbers, whichever of them is given, from every function with a robot."""
    seen = []
    for name, (function, arguments) in valid_calls().items():
        if "robot" not in arguments or name in UNPRINTED:
            continue
        robot = arguments["robot"]
        path = tmp_path / f"{robot.name}.toml"
        erfd.save(robot, path)
        wanted = repr(function(**arguments))
        for other in (robot.name, path, str(path)):
            assert repr(function(**arguments | {"robot": other})) == wanted, (name, other)
        seen.append(name)
    assert len(seen) > 30
    assert erfd.Achiever("two_link", 0.01).robot == erfd.load("two_link")


def test_a_program_is_a_text_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "easy.irl"
    path.write_text(EASY)
    wanted = erfd.verify(EASY, "lola15")
    assert wanted.name == "the program"
    for given in (path, str(path)):
        found = erfd.verify(given, "lola15")
        assert (found.name, found.text) == ("easy", EASY)
        assert np.array_equal(found.run["u_a"], wanted.run["u_a"])
    with pytest.raises(InputError, match=r"none\.irl: no such file"):
        erfd.verify(Path("none.irl"), "lola15")
    with pytest.raises(InputError, match="expected a program, found a folder"):
        erfd.verify(tmp_path, "lola15")


def test_a_payload_is_a_payload_or_its_mass() -> None:
    """In kg at the tool point, in every function that takes one; one for each point, too."""
    five = erfd.Payload(5.0)
    verified = [erfd.verify(EASY, "lola15", payload=p).run["u_a"] for p in (five, 5, 5.0)]
    light = [erfd.achievable("two_link", motion(), payload=p)["u_a"] for p in (five, 5.0, [5] * 5)]
    start = ("two_link", [0, 0], [0, 0], [0, 0])
    moved = [erfd.simulate(*start, steps=5, payload=p)["q"] for p in (five, np.float64(5))]
    for same in (verified, light, moved):
        assert all(np.array_equal(same[0], other) for other in same[1:])
    batch = [erfd.simulate_batch(*start, steps=5, payload=p).q for p in (five, 5)]
    assert np.array_equal(*batch)
    for wrong, sentence in (
        (-1, "payload: mass: expected a mass >= 0 kg, found -1"),
        ("5 kg", "payload: expected an erfd.Payload or a mass in kg, found '5 kg'"),
        (True, "payload: expected an erfd.Payload or a mass in kg, found True"),
    ):
        with pytest.raises(ErfdError, match=sentence):
            erfd.achievable("two_link", motion(), payload=wrong)


def test_a_cell_is_a_cell_or_its_file(tmp_path: Path) -> None:
    pytest.importorskip("coal")
    path = tmp_path / "room.toml"
    path.write_text('[[object]]\nshape = "box"\nsize = [1.0, 1.0, 1.0]\nxyz = [9.0, 0.0, 0.5]\n')
    cell = erfd.load_cell(path)
    q = np.zeros((2, 6))
    distances = [erfd.clearance("lola15", c, q).distances for c in (cell, path, str(path))]
    assert all(np.array_equal(distances[0], other) for other in distances)
    found = [erfd.verify(EASY, "lola15", cell=c).clearance for c in (cell, path)]
    assert found[0] is not None
    assert found[0].smallest == found[1].smallest
