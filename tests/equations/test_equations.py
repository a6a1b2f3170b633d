"""Closed-form equations: they are the numbers of the API, and those of the textbook."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import erfd
from erfd import Joint, Link, Pose, Robot
from erfd.equations import Equations, equations
from erfd.errors import InputError, MissingDependencyError

sympy = pytest.importorskip("sympy")

ROBOTS = ["two_link", "lola15", "stanford", "puma560", "centrifuge3", "sdt4"]
RIGHT = (0.0, math.pi / 2, -math.pi / 2, math.pi)


def first(robot: Robot, k: int) -> Robot:
    return replace(robot, joints=robot.joints[:k], links=robot.links[:k], drives=())


@lru_cache
def bundled(name: str, k: int) -> Equations:
    return equations(first(erfd.load(name), k))


def arm(kinds: str, seed: int, *, skew: bool = False, after: Pose | None = None) -> Robot:
    """Random lengths, masses and full inertias; right angles, or any with `skew`."""
    rng = np.random.default_rng(seed)
    joints, links = [], []
    for kind in kinds:
        theta, alpha = rng.uniform(-3, 3, 2) if skew else rng.choice(RIGHT, 2)
        d, a = rng.choice([0.0, 1.0], 2) * rng.uniform(-1, 1, 2)
        name = {"R": "revolute", "P": "prismatic"}[kind]
        joint = Joint(name, name, float(theta), float(d), float(a), float(alpha), after or Pose())
        root = rng.normal(size=(3, 3))
        second = root @ root.T
        inertia = (np.trace(second) * np.eye(3) - second).tolist()
        center = tuple(rng.uniform(-1, 1, 3).tolist())
        joints.append(joint)
        links.append(Link("link", float(rng.uniform(1, 5)), center, inertia))
    return Robot(f"{kinds}{seed}", tuple(joints), tuple(links))


def assert_agrees(found: Equations, robot: Robot, states: int = 3) -> None:
    """H, C and g of the API to 1e-12 of their size (or of 1: below that is rounding of zeros)."""
    rng = np.random.default_rng(robot.n)
    for q, qd in rng.uniform(-2, 2, (states, 2, robot.n)):
        expected = (
            erfd.mass_matrix(robot, q),
            erfd.coriolis_matrix(robot, q, qd),
            erfd.gravity_torque(robot, q),
        )
        for got, want in zip(found.evaluate(q, qd), expected, strict=True):
            assert got.shape == want.shape
            assert np.abs(got - want).max() <= 1e-12 * max(1.0, np.abs(want).max())


@pytest.fixture(scope="module")
def two_link() -> Equations:
    return equations(erfd.load("two_link"))


@pytest.mark.parametrize("joints", [1, 2, 3])
@pytest.mark.parametrize("name", ROBOTS)
def test_bundled_robots_agree_with_the_api(name: str, joints: int) -> None:
    robot = first(erfd.load(name), joints)
    assert_agrees(bundled(name, joints), robot)
    assert_agrees(equations(robot, numeric=True), robot)


@pytest.mark.parametrize("kinds", ["R", "P", "RP", "PR", "PP", "RPR", "PRP", "RRP", "RRR"])
def test_arms_of_any_joints_agree_with_the_api(kinds: str) -> None:
    robot = arm(kinds, 1)
    found = equations(robot)
    assert not found.H.atoms(sympy.Float)
    assert_agrees(found, robot)
    assert_agrees(equations(robot, numeric=True), robot)


@pytest.mark.parametrize("kinds", ["RR", "PR", "RP"])
def test_skew_angles_agree_with_the_api(kinds: str) -> None:
    robot = arm(kinds, 5, skew=True)
    found = equations(robot)
    assert "alpha1" in {s.symbol.name for s in found.symbols}
    assert_agrees(found, robot)
    assert_agrees(equations(robot, numeric=True), robot)


@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (math.pi / 2, 0.0, math.pi), (0.3, -0.7, 1.1)])
def test_transforms_after_a_joint_agree_with_the_api(rpy: tuple[float, float, float]) -> None:
    robot = arm("RR", 2, after=Pose((0.2, 0.0, -0.4), rpy))
    found = equations(robot)
    assert {"p_x1", "p_z1"} <= {s.symbol.name for s in found.symbols}
    assert "p_y1" not in {s.symbol.name for s in found.symbols}
    assert_agrees(found, robot)
    assert_agrees(equations(robot, numeric=True), robot)


@pytest.mark.parametrize(
    ("gravity", "names"),
    [
        ((0.0, 0.0, 0.0), set()),
        ((0.0, 9.0, 0.0), {"g"}),
        ((-3.0, 0.0, 0.0), {"g"}),
        ((1.0, 2.0, 0.0), {"g_x", "g_y"}),
    ],
)
def test_gravity_is_one_symbol_along_an_axis(
    gravity: tuple[float, float, float], names: set[str]
) -> None:
    robot = replace(erfd.load("two_link"), gravity=gravity, mount=Pose())
    found = equations(robot)
    values = {s.symbol.name: s.value for s in found.symbols if s.unit == "m/s2"}
    assert set(values) == names
    assert "g" not in values or values["g"] == max(map(abs, gravity))
    assert_agrees(found, robot)
    assert_agrees(equations(robot, numeric=True), robot)


def test_skew_arm_of_three_joints_agrees_with_the_api() -> None:
    robot = arm("RRR", 8)
    joints = tuple(replace(joint, alpha=0.4) for joint in robot.joints[:2])
    robot = replace(robot, joints=(*joints, robot.joints[2]))
    assert_agrees(equations(robot), robot, states=1)


def test_two_link_is_the_textbook(two_link: Equations) -> None:
    """Spong, Hutchinson & Vidyasagar, Robot Modeling and Control, planar elbow manipulator."""
    q1, q2, v1, v2 = sympy.symbols("q1 q2 qd1 qd2")
    m1, m2, l1, a2, i1, i2, g = sympy.symbols("m1 m2 a1 a2 I_zz1 I_zz2 g")
    r1, r2 = sympy.symbols("r1 r2")  # distances of the mass centres from the joints
    centers = {sympy.Symbol("c_x1"): r1 - l1, sympy.Symbol("c_x2"): r2 - a2}
    both = l1 * r2 * sympy.cos(q2)
    H = sympy.Matrix(
        [
            [m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * both) + i1 + i2, m2 * (r2**2 + both) + i2],
            [m2 * (r2**2 + both) + i2, m2 * r2**2 + i2],
        ]
    )
    h = -m2 * l1 * r2 * sympy.sin(q2)
    C = sympy.Matrix([[h * v2, h * (v1 + v2)], [-h * v1, 0]])
    far = m2 * r2 * g * sympy.cos(q1 + q2)
    G = sympy.Matrix([(m1 * r1 + m2 * l1) * g * sympy.cos(q1) + far, far])
    for found, expected in ((two_link.H, H), (two_link.C, C), (two_link.g, G)):
        difference = found.subs(centers) - expected
        assert difference.applyfunc(lambda x: sympy.expand(x, trig=True)).is_zero_matrix


def test_two_link_reads_like_the_textbook(two_link: Equations) -> None:
    lines = two_link.as_text().splitlines()
    bracket = "a1^2 + 2 a1 (a2 + c_x2) cos(q2) + (a2 + c_x2)^2"
    assert f"H11 = I_zz1 + I_zz2 + m1 (a1 + c_x1)^2 + m2 ({bracket})" in lines
    assert "C12 = -a1 m2 (a2 + c_x2) (qd1 + qd2) sin(q2)" in lines
    assert "g2 = g m2 (a2 + c_x2) cos(q1 + q2)" in lines


@pytest.mark.parametrize("name", ["two_link", "stanford"])
def test_rate_of_h_minus_2c_is_skew(name: str) -> None:
    found = bundled(name, 3)
    rate = sum(
        (found.H.diff(q) * v for q, v in zip(found.q, found.qd, strict=True)),
        sympy.zeros(*found.H.shape),
    )
    skew = rate - 2 * found.C
    assert (skew + skew.T).applyfunc(lambda x: sympy.expand(x, trig=True)).is_zero_matrix


def test_zero_parameters_vanish(two_link: Equations) -> None:
    state = {"q1", "q2", "qd1", "qd2"}
    values = {"a1", "a2", "m1", "m2", "c_x1", "c_x2", "I_zz1", "I_zz2", "g"}
    assert {s.symbol.name for s in two_link.symbols} == state | values
    used = two_link.H.free_symbols | two_link.C.free_symbols | two_link.g.free_symbols
    assert {s.name for s in used} <= state | values


def test_point_masses_have_no_inertia() -> None:
    robot = erfd.load("two_link")
    robot = replace(robot, links=tuple(Link(x.name, x.mass) for x in robot.links))
    found = equations(robot)
    a1, a2, m2 = sympy.symbols("a1 a2 m2")
    assert found.H[1, 1] == a2**2 * m2
    assert found.H[0, 1] == a2 * m2 * (a1 * sympy.cos(sympy.Symbol("q2")) + a2)
    assert_agrees(found, robot)


def test_numeric_keeps_only_the_state_as_symbols() -> None:
    robot = erfd.load("two_link")
    found = equations(robot, numeric=True)
    assert {s.symbol.name for s in found.symbols} == {"q1", "q2", "qd1", "qd2"}
    assert "H11 = 0.6 cos(q2) + 1.4127" in found.as_text().splitlines()
    assert r"H_{11} &= 0.6 \cos{\left(q_{2} \right)} + 1.4127" in found.as_latex()


def test_text_has_every_entry_once_and_every_symbol(two_link: Equations) -> None:
    text = two_link.as_text()
    names = re.findall(r"^(\w+) = ", text, re.MULTILINE)
    assert names == ["H11", "H12", "H22", "C11", "C12", "C21", "C22", "g1", "g2"]
    for quantity in two_link.symbols:
        assert re.search(rf"^{quantity.symbol} .*{quantity.meaning}$", text, re.MULTILINE)
    assert re.search(r"^c_x1 +-0.25 m ", text, re.MULTILINE)


@pytest.mark.parametrize("name", ROBOTS)
def test_latex_is_balanced(name: str) -> None:
    latex = bundled(name, 3).as_latex()
    bare = latex.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert latex.count("(") == latex.count(")")
    for left, right in ((r"\left", r"\right"), (r"\bigl", r"\bigr"), (r"\[", r"\]")):
        assert latex.count(left) == latex.count(right)
    begins, ends = (sorted(re.findall(rf"\\{x}{{(.*?)}}", latex)) for x in ("begin", "end"))
    assert begins == ends
    for line in latex.splitlines():  # \left and \right may not be torn apart by a line break
        assert line.count(r"\left") == line.count(r"\right")
    assert r"\dot{q}_{1}" in latex
    assert "_x" not in re.sub(r"_\{x", "", latex)


def test_more_than_three_joints_are_refused() -> None:
    with pytest.raises(InputError, match=r"'lola15': expected at most 3 joints .*, found 6$"):
        equations(erfd.load("lola15"))


def test_missing_sympy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingDependencyError, match=re.escape("pip install 'erfd[equations]'")):
        equations(erfd.load("two_link"))


def test_evaluate_refuses_other_lengths(two_link: Equations) -> None:
    with pytest.raises(InputError, match=r"qd: expected shape \(2,\), found \(3,\)"):
        two_link.evaluate([0, 0], [0, 0, 0])


def test_repr_is_one_line(two_link: Equations) -> None:
    assert repr(two_link) == "Equations('two_link', 2 joints, 13 symbols)"
