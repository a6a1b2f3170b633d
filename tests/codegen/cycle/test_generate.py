"""Algorithm 1's cycle as C99: it agrees with `erfd.Achiever`, refuses nonsense, proves itself."""

import ctypes
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.codegen.cycle.references import RESULTS
from erfd.codegen.cycle.source import FIELDS
from erfd.robot.payload import payload_numbers
from support.arms import random_inertia
from support.built_step import (
    CASES,
    CC,
    DT,
    LOADED,
    STRICT,
    Built,
    built_of,
    compile_with,
    refused,
    run,
)
from support.plain_achiever import PlainAchiever


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{'-'.join(case[1])}")
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    if CC is None:
        pytest.skip("no C compiler (cc, gcc or clang) on the path")
    return built_of(*request.param, tmp_path_factory.mktemp("step"))


def hard_motion(
    robot: erfd.Robot, seed: int, cycles: int, fastest: float = 6.0
) -> tuple[np.ndarray, np.ndarray]:
    """A path that asks too much here and there: swings of random pace, with joints at rest."""
    rng = np.random.default_rng(seed)
    low = np.array([max(j.position_min, -1.5) for j in robot.joints])
    high = np.array([min(j.position_max, 1.5) for j in robot.joints])
    middle, width = (low + high) / 2, 0.45 * (high - low)
    pace = rng.uniform(0.5, fastest, robot.n) * (rng.random(robot.n) < 0.8)
    t = DT * np.arange(cycles + 1)[:, None]
    path = middle + width * np.sin(pace * t * (1 + t) + rng.uniform(-3, 3, robot.n))
    return path, np.diff(path, axis=0) / DT


def random_payload(rng: np.random.Generator, mass: float) -> erfd.Payload:
    heavy, center, inertia = random_inertia(rng)
    part = mass / heavy
    rows = tuple(tuple(part * x for x in row) for row in inertia)
    return erfd.Payload(mass, center, rows)


def side_by_side(
    built: Built,
    robot: erfd.Robot,
    parameters: Any,
    seed: int,
    cycles: int = 120,
    together: int = 20,
    planner_class: Any = erfd.Achiever,
    fastest: float = 6.0,
) -> Iterator[tuple[Any, Any, int]]:
    """Both do the same motion, each with its own state; every so often they meet on the path.

    The printed policy runs away, and roundings with it, so there they meet in every other cycle.
    """
    together = min(together, 2) if built.options.get("policy") == "printed" else together
    rng = np.random.default_rng(seed)
    path, rates = hard_motion(robot, seed, cycles, fastest)
    how = {k: v for k, v in built.options.items() if k not in LOADED}
    mass = 0.02 * sum(link.mass for link in robot.links)
    payload = None
    for k, asked in enumerate(zip(path[1:], rates, strict=True)):
        if k % together == 0:
            start = rates[k] * (rng.uniform(0.5, 1.1) if k else 0.0)
            planner = planner_class(robot, DT, q0=path[k], qd0=start, **how)
            state = built.state(path[k], start)
            payload = random_payload(rng, rng.uniform(0, mass))
        given, loads = list(asked), {}
        if built.options.get("wrench"):
            loads["wrench"] = rng.uniform(-1, 1, 6) * 3 * mass
            given.append(loads["wrench"])
        if built.options.get("payload"):
            loads["payload"] = payload
            given.append(payload_numbers(payload))
        wanted = planner.step(*asked, **loads)
        rounds, cycle = built.step(state, *given, parameters=parameters)
        assert list(state.q) == list(cycle.q)
        assert list(state.qd) == list(cycle.qd)
        yield wanted, cycle, rounds


def compared(pairs: Iterator[tuple[Any, Any, int]], policy: str, tolerance: float) -> np.ndarray:
    """All results agree, relative to the largest value; which motors were at their limits."""
    wanted, found, rounds = zip(*pairs, strict=True)
    for name in RESULTS:
        w, f = (np.array([np.array(getattr(c, name)) for c in x]) for x in (wanted, found))
        finite = np.isfinite(w)
        assert np.array_equal(w[~finite], f[~finite])
        assert np.abs(w[finite] - f[finite]).max() <= tolerance * np.abs(w[finite]).max(), name
    for name in ("side", "clipped"):
        assert [list(getattr(c, name)) for c in wanted] == [list(getattr(c, name)) for c in found]
    tight = np.array([list(c.side) for c in found]) != 0
    counted = np.array(rounds)
    assert (counted >= 0).all()
    if policy == "printed":
        assert not counted.any()
    else:
        assert not tight[counted == 0].any()
        assert counted.max() < 60  # a divided cycle has rounds for each of its parts
    return tight


def test_agrees_with_the_library(built: Built) -> None:
    """Cycle by cycle, each on its own state: 1e-9, and the same motors at the same limits."""
    pairs = side_by_side(built, built.robot, built.parameters(), 1)
    tight = compared(pairs, built.options.get("policy", ""), 1e-9)
    assert 0.02 < tight.mean() < 0.9


def test_agrees_with_changed_parameters(built: Built) -> None:
    """Another robot's friction and limits, without generating again."""
    rng = np.random.default_rng(2)
    drives = tuple(
        replace(
            drive,
            load_friction=rng.uniform(0, 0.6),
            coulomb=rng.uniform(0, 0.1) * min(drive.torque_max, 10.0),
            viscous=drive.viscous * rng.uniform(0, 3) + 1e-4,
            inertia=drive.inertia * rng.uniform(0.1, 5) + 1e-5,
            torque_max=drive.torque_max * rng.uniform(0.3, 1.5),
            speed_max=drive.speed_max * rng.uniform(0.3, 1.5),
        )
        for drive in built.robot.drives
    )
    joints = tuple(
        replace(
            joint,
            velocity_max=rng.uniform(1, 4),
            acceleration_max=rng.uniform(2, 20),
            position_min=joint.position_min * 0.95,
            position_max=joint.position_max * 0.95,
        )
        for joint in built.robot.joints
    )
    other = replace(built.robot, drives=drives, joints=joints)
    parameters = built.parameters()
    values = erfd.Achiever(other, DT, q0=hard_motion(other, 3, 1)[0][0]).values
    for member, name in FIELDS.items():
        if hasattr(parameters, member):
            getattr(parameters, member)[:] = values[name].tolist()
    tight = compared(
        side_by_side(built, other, parameters, 3), built.options.get("policy", ""), 1e-9
    )
    assert tight.any()


def test_agrees_with_plain_numpy(built: Built) -> None:
    """An independent text of the algorithm, cycle by cycle from the same state.

    Over many cycles its roundings would decide where friction points at a rotor that rests.
    """
    # the plain text takes no infinite torque limit: one that is never reached is the same
    drives = [replace(d, torque_max=min(d.torque_max, 1e9)) for d in built.robot.drives]
    robot = replace(built.robot, drives=tuple(drives))
    # so slow that no cycle is divided, of which the plain text knows nothing
    pairs = list(side_by_side(built, robot, built.parameters(), 4, 20, 1, PlainAchiever, 2.5))
    assert any(list(found.side) != [0] * robot.n for _, found, _ in pairs)
    for wanted, found, _ in pairs:
        for name in ("q", "qd"):
            assert np.abs(getattr(wanted, name) - np.array(getattr(found, name))).max() < 1e-9
        for name in ("side", "clipped"):
            assert list(getattr(wanted, name)) == list(getattr(found, name))


def test_parameters_are_the_robots(built: Built) -> None:
    parameters = built.parameters()
    drives, joints = built.robot.drives, built.robot.joints
    assert parameters.dt == DT
    for name in ("load_friction", "coulomb", "viscous", "inertia", "torque_max", "speed_max"):
        assert list(getattr(parameters, name)) == [getattr(d, name) for d in drives]
    for name in ("velocity_max", "position_min", "position_max"):
        assert list(getattr(parameters, name)) == [getattr(j, name) for j in joints]
    assert hasattr(parameters, "braking") == (built.options.get("follow") == "position")


def arguments_of(built: Built) -> list[list[float]]:
    q, n = hard_motion(built.robot, 5, 1)[0][0].tolist(), built.robot.n
    loads = [[1.0] * 6] if built.options.get("wrench") else []
    loads += [payload_numbers(erfd.Payload(0.1))] if built.options.get("payload") else []
    return [q, [0.1] * n, *loads]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(built: Built, wrong: float) -> None:
    given, n = arguments_of(built), built.robot.n
    at = np.array(given[0])
    for k, vector in enumerate(given):
        for i in range(len(vector)):
            spoiled = [list(v) for v in given]
            spoiled[k][i] = wrong
            refused(built, -1, built.state(at, 0 * at), spoiled, built.parameters())
    for member in ("q", "qd"):
        for i in range(n):
            state = built.state(at, 0 * at)
            getattr(state, member)[i] = wrong
            refused(built, -1, state, given, built.parameters())
    assert built.step(built.state(at, 0 * at), *given, parameters=built.parameters())[0] >= 0


def test_parameters_that_cannot_be_are_refused(built: Built) -> None:
    given, last = arguments_of(built), built.robot.n - 1
    state = built.state(np.array(given[0]), np.zeros(built.robot.n))
    members = [m for m in FIELDS if hasattr(built.parameters(), m)]
    cases = [(member, np.nan) for member in members]
    cases += [(member, -1e-9) for member in members if not member.startswith("position")]
    cases += [("load_friction", 1.0), ("coulomb", np.inf), ("inertia", np.inf)]
    cases += [("viscous", np.inf), ("torque_max", 0.0), ("position_max", -10.0)]
    for member, value in cases:
        parameters = built.parameters()
        parameters.position_min[last] = -10.0
        getattr(parameters, member)[last] = value
        refused(built, -1, state, given, parameters)
    for dt in (0.0, -0.01, np.nan, np.inf, 1e-320):
        parameters = built.parameters()
        parameters.dt = dt
        refused(built, -1, state, given, parameters)


def test_results_that_are_not_finite_are_refused(built: Built) -> None:
    given = arguments_of(built)
    state = built.state(np.array(given[0]), np.full(built.robot.n, 1e200))
    refused(built, -2, state, given, built.parameters())


def test_self_test_passes(built: Built) -> None:
    program = built.folder / "program"
    test = built.folder / f"{built.name}_test.c"
    compile_with(CC, *STRICT, built.object, test, "-lm", "-o", program)
    code, said = run(program)
    assert code == 0, said
    found = re.fullmatch(
        rf"{built.name}: (\d+) cycles, (\d+) with a motor at its limit, up to \d+ rounds, "
        r"largest relative error \d\.\de[-+]\d+\n",
        said,
    )
    assert int(found[1]) - 4 > int(found[2]) >= 8  # some of both kinds


def test_object_has_no_data_and_allocates_nothing(built: Built) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm (binutils) on the path")
    listed = subprocess.run([nm, built.object], capture_output=True, text=True, check=True).stdout
    rows = [line.split()[-2:] for line in listed.splitlines()]
    public = {name.lstrip("_") for kind, name in rows if kind == "T"}
    more = {f"{built.prefix}_payload"} if built.options.get("payload") else set()
    assert public == {built.name, f"{built.prefix}_parameters_init", *more}
    needed = {name.strip("_") for kind, name in rows if kind == "U"}
    math = {"sin", "cos", "sincos", "sincos_stret", "sqrt", "fabs", "copysign"}
    assert needed <= math | {"GLOBAL_OFFSET_TABLE", "stack_chk_fail"}
    assert {kind for kind, _ in rows} <= {"T", "t", "U", "r"}  # r: constants of the compiler


def test_payload_numbers(built: Built) -> None:
    if not built.options.get("payload"):
        assert "payload" not in built.header
        return
    rng = np.random.default_rng(6)
    function = built.library[f"{built.prefix}_payload"]
    vector = lambda values: (ctypes.c_double * len(values))(*values)  # noqa: E731
    for _ in range(20):
        carried = random_payload(rng, rng.uniform(0, 30))
        ten = vector([0.0] * 10)
        six = [carried.inertia[i][j] for i in range(3) for j in range(i, 3)]
        function(ctypes.c_double(carried.mass), vector(carried.center), vector(six), ten)
        assert np.allclose(ten, payload_numbers(carried), rtol=1e-14, atol=1e-14)


def test_header_documents(built: Built) -> None:
    text = built.header
    comment = text.partition("*/")[0]
    options = {"policy": "consistent", "follow": "velocity", **built.options}
    assert f"robot {built.robot.name} (" in comment
    assert f"erfd\n * {erfd.__version__}" in comment or f"erfd {erfd.__version__}" in comment
    assert f"Policy {options['policy']}, follow {options['follow']}" in comment
    prototype = text[text.index(f"int {built.name}(") :].partition(";")[0]
    names = re.findall(r"(\w+)(?:\[\d+\])?[,)]", prototype)
    assert re.findall(r"^ \*   (\w+)(?: \(\d+\))?:", comment, re.M) == names
    assert ("torque-speed curves" in comment) == (built.robot.name == "curved")
    assert max(map(len, text.splitlines())) <= 100
