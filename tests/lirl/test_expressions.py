"""Expressions against Python's arithmetic, NumPy's matrices and SciPy's rotations."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from erfd.lirl import ProgramError
from erfd.lirl import syntax as tree
from erfd.lirl.checker.expressions import Typer
from erfd.lirl.checker.scope import Scopes
from erfd.lirl.functions import FUNCTIONS
from erfd.lirl.interpreter.evaluate import Evaluator
from erfd.lirl.operators import TABLE, resolve
from erfd.lirl.parser.parse import parse_with_mistakes
from erfd.lirl.types import UNKNOWN, fits
from erfd.lirl.values import Frame, Orientation, Position, RobTarget, kind_of
from erfd.lirl.words import MEMBERS, PRECEDENCE, TYPES
from support.lirl_programs import results, steps_of, value

FAST = settings(max_examples=60, deadline=None)
moderate = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
points = st.tuples(moderate, moderate, moderate)
angles = st.tuples(*[st.floats(-180, 180).map(lambda x: round(x, 2))] * 3)
frames = st.tuples(points, angles)


def expression(text: str) -> tree.Expression:
    program, mistakes, _ = parse_with_mistakes(f"program p; seq x := {text}; endseq")
    assert not mistakes
    statement = program.body[0]
    assert isinstance(statement, tree.Assign)
    return statement.value


def constant(text: str) -> object:
    """The value of an expression without names; the checker has to know its type."""
    node = expression(text)
    scopes = Scopes(set())
    kind = Typer(scopes).type(node)
    assert not scopes.mistakes
    found = Evaluator().value(node)
    assert kind_of(found) == kind
    return found


# numbers and truths: a random sum in both languages

PYTHON = {"div": "//", "mod": "%", "=": "==", "<>": "!=", "xor": "!="}


@st.composite
def sums(draw, kind: str = "int", depth: int = 0) -> tuple[str, str]:
    """An expression of ints, reals or truths: its text, and the same in Python."""
    if depth > 3 or draw(st.integers(0, 2)) == 0:
        if kind == "bool":
            return draw(st.sampled_from([("true", "True"), ("false", "False")]))
        number = draw(st.integers(0, 50) if kind == "int" else st.floats(0.01, 50))
        return f"{number!r}", f"{number!r}"
    if kind == "bool":
        if draw(st.booleans()):
            word = draw(st.sampled_from(["and", "or", "xor"]))
            (a, pa), (b, pb) = draw(sums("bool", depth + 1)), draw(sums("bool", depth + 1))
            return f"({a}) {word} not ({b})", f"({pa}) {PYTHON.get(word, word)} (not ({pb}))"
        word = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]))
        (a, pa), (b, pb) = draw(sums("int", depth + 1)), draw(sums("real", depth + 1))
        return f"{a} {word} {b}", f"({pa}) {PYTHON.get(word, word)} ({pb})"
    terms = draw(st.lists(sums(kind, depth + 1), min_size=2, max_size=4))
    words = draw(st.lists(st.sampled_from("+-*"), min_size=len(terms) - 1, max_size=len(terms) - 1))
    if kind == "real" and draw(st.booleans()):
        words[0] = "/"
        terms[1] = ("7.25", "7.25")
    flat = depth == 0 or draw(st.booleans())
    text, python = terms[0]
    text, python = (f"({text})", f"({python})")
    for word, (a, b) in zip(words, terms[1:], strict=True):
        text, python = f"{text} {word} ({a})", f"{python} {word} ({b})"
    sign = draw(st.sampled_from(["", "-"]))
    inner = (f"{sign}{text}", f"{sign}{python}")
    return inner if flat else (f"({inner[0]})", f"({inner[1]})")


@FAST
@given(st.data(), st.sampled_from(["int", "real", "bool"]))
def test_sums_as_in_python(data: st.DataObject, kind: str) -> None:
    text, python = data.draw(sums(kind))
    expected = eval(python)
    try:
        found = value(text, kind)
    except ProgramError as error:  # a step on the way left the range of int
        sentence = error.mistakes[0].sentence
    else:
        sentence = ""
    if sentence:
        assert "larger than" in sentence
        return
    assert found == expected  # the same operations in the same order: not one bit differs
    assert type(found) is {"int": int, "real": float, "bool": bool}[kind]


@FAST
@given(st.integers(-(10**6), 10**6), st.integers(-50, 50).filter(bool))
def test_div_and_mod(a: int, b: int) -> None:
    quotient, rest = results(f"r1 := ({a}) div ({b}); r2 := ({a}) mod ({b});", "int", "int")
    assert quotient == math.trunc(a / b)
    assert rest == math.fmod(a, b)
    assert quotient * b + rest == a


@FAST
@given(st.floats(0.01, 100), st.floats(-8, 8))
def test_powers(a: float, b: float) -> None:
    assert value(f"{a!r} ** {b!r}") == a**b


@FAST
@given(st.floats(-1e6, 1e6))
def test_functions_of_one_number(x: float) -> None:
    text = f"({x!r})"
    r = math.radians(x)
    near = {"abs": 1e-9}  # sine of x degrees: x in degrees is reduced first, so it loses nothing
    assert value(f"sin{text}") == pytest.approx(math.sin(math.fmod(r, 2 * math.pi)), **near)
    assert value(f"cos{text}") == pytest.approx(math.cos(math.fmod(r, 2 * math.pi)), **near)
    assert value(f"atan{text}") == math.degrees(math.atan(x))
    assert value(f"abs{text}") == abs(x)
    assert value(f"floor{text}", "int") == math.floor(x)
    assert value(f"ceil{text}", "int") == math.ceil(x)
    assert value(f"trunc{text}", "int") == math.trunc(x)
    assert abs(value(f"round{text}", "int") - x) <= 0.5
    assert value(f"min({x!r}, 3, 7.5)") == min(x, 3, 7.5)
    assert value(f"max({x!r}, 3, 7.5)") == max(x, 3, 7.5)
    if x >= 0:
        assert value(f"sqrt{text}") == math.sqrt(x)
    if abs(x) < 700:
        assert value(f"exp{text}") == math.exp(x)
        assert value(f"ln(exp{text})") == pytest.approx(x, abs=1e-9)
    unit = x / 1e6
    assert value(f"asin({unit!r})") == math.degrees(math.asin(unit))
    assert value(f"acos({unit!r})") == math.degrees(math.acos(unit))
    assert value(f"atan2({x!r}, 2)") == math.degrees(math.atan2(x, 2))


@pytest.mark.parametrize("quarter", range(-8, 9))
def test_right_angles_are_exact(quarter: int) -> None:
    exact = [0, 1, 0, -1]
    assert value(f"sin({90 * quarter})") == exact[quarter % 4]
    assert value(f"cos({90 * quarter})") == exact[(quarter + 1) % 4]


# geometry


def matrix(frame: tuple) -> np.ndarray:
    """A frame as a 4 x 4 matrix, by SciPy."""
    (x, y, z), abc = frame
    found = np.eye(4)
    found[:3, :3] = Rotation.from_euler("ZYX", abc, degrees=True).as_matrix()
    found[:3, 3] = x, y, z
    return found


def found_matrix(result: object) -> np.ndarray:
    assert isinstance(result, Frame)
    return matrix((result.pos, result.ori))


@FAST
@given(frames, frames, points)
def test_frames_as_matrices(a: tuple, b: tuple, p: tuple) -> None:
    A, B = matrix(a), matrix(b)
    near = {"abs": 1e-9}  # lengths to 1e3, rounding 1e-16 of them, some operations
    assert found_matrix(constant(f"pose{a} * pose{b}")) == pytest.approx(A @ B, **near)
    assert found_matrix(constant(f"inverse(pose{a})")) == pytest.approx(np.linalg.inv(A), **near)
    assert found_matrix(constant(f"{b} + position{p}"))[:3, 3] == pytest.approx(
        B[:3, 3] + p, **near
    )
    shifted, rotated = constant(f"shift({a}, {p})"), constant(f"rotate(pose{a}, {b[1]})")
    assert shifted.pos == pytest.approx((A @ [*p, 1])[:3], **near)
    assert found_matrix(rotated)[:3, :3] == pytest.approx(A[:3, :3] @ B[:3, :3], **near)
    assert constant(f"pose{a} * position{p}") == pytest.approx((A @ [*p, 1])[:3], **near)
    assert constant(f"orientation{a[1]} * position{p}") == pytest.approx(A[:3, :3] @ p, **near)
    turned = constant(f"orientation{a[1]} * orientation{b[1]}")
    assert matrix((p, turned))[:3, :3] == pytest.approx(A[:3, :3] @ B[:3, :3], **near)
    target = constant(f"pose{a} * robtarg({b}, 3)")
    assert isinstance(target, RobTarget)
    assert found_matrix(Frame(target.pos, target.ori)) == pytest.approx(A @ B, **near)
    assert target.config == 3
    bare = constant(f"pose{a} * robtarg(position{p})")
    assert bare == (pytest.approx((A @ [*p, 1])[:3], **near), None, 8)


@FAST
@given(frames, frames, moderate)
def test_vectors_as_in_numpy(a: tuple, b: tuple, k: float) -> None:
    p, q = np.array(a[0]), np.array(b[0])
    near = {"rel": 1e-12, "abs": 1e-9}
    assert constant(f"position{a[0]} + {b[0]}") == tuple(p + q)
    assert constant(f"{a[0]} - position{b[0]}") == tuple(p - q)
    assert constant(f"({k!r}) * position{a[0]}") == tuple(k * p)
    assert constant(f"cross({a[0]}, {b[0]})") == pytest.approx(np.cross(p, q), **near)
    assert value(f"dot({a[0]}, {b[0]})") == pytest.approx(p @ q, **near)
    assert value(f"norm({a[0]})") == pytest.approx(np.linalg.norm(p), **near)
    assert value(f"distance({a[0]}, pose{b})") == pytest.approx(np.linalg.norm(p - q), **near)
    between = Rotation.from_matrix(matrix(a)[:3, :3].T @ matrix(b)[:3, :3]).magnitude()
    # the angle itself is good to 1e-7 only near 180 degrees, where SciPy's is, too
    assert value(f"angle({a[1]}, {b[1]})") == pytest.approx(np.degrees(between), abs=1e-5)


@FAST
@given(frames, st.sampled_from("xyz"), st.sampled_from("abc"), moderate)
def test_parts_of_frames(frame: tuple, axis: str, angle: str, k: float) -> None:
    declared = f"robtarg: t = robtarg({frame}, 2); position: p; orientation: o; pose: f;"
    body = f"""
      t.pos.{axis} := {k!r}; t.ori.{angle} := t.ori.{angle} / 2;
      f := t.pose; p := f.pos; o := f.ori;
      r1 := p.{axis}; r2 := o.{angle}; r3 := t.config; r4 := distance(t, p);
      f.pos := p + (1, 2, 3); t.pose := f; r5 := t.pos.x;
    """
    found = results(body, "real", "real", "int", "real", "real", declarations=declared)
    expected = k if axis == "x" else frame[0][0]
    assert found == [k, frame[1]["abc".index(angle)] / 2, 2, 0.0, expected + 1]


@FAST
@given(st.lists(moderate, min_size=1, max_size=6), st.data())
def test_axes_of_joints(axes: list, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(axes)))
    listed = ", ".join(map(repr, axes))
    declared = f"joint: j = joint(mainjoint({listed})); mainjoint: m;"
    body = f"r1 := j[{k}]; m := j.main + 2 * j.main; m[{k}] := 7; j := joint(m) - j; r2 := j[{k}];"
    assert results(body, "real", "real", declarations=declared) == [axes[k - 1], 7 - axes[k - 1]]


# the tables


def sample(kind: str) -> object:
    texts = {
        "int": "3",
        "real": "2.5",
        "bool": "true",
        "string": '"ab"',
        "position": "position(1, 2, 3)",
        "orientation": "orientation(10, 20, 30)",
        "pose": "pose((1, 2, 3), (10, 20, 30))",
        "robtarg": "robtarg(((1, 2, 3), (10, 20, 30)), 2)",
        "joint": "joint(1, 2, 3)",
        "mainjoint": "mainjoint(1, 2, 3)",
    }
    return texts[kind]


@pytest.mark.parametrize("key", sorted(TABLE), ids=" ".join)
def test_every_operation_gives_its_type(key: tuple[str, ...]) -> None:
    word, *kinds = key
    values = [sample(kind) for kind in kinds]
    text = f"{values[0]} {word} {values[1]}" if len(values) == 2 else f"{word} {values[0]}"
    assert kind_of(constant(text)) == TABLE[key][0]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_gives_its_type(name: str) -> None:
    function = FUNCTIONS[name]
    if function.asks or any("array" in way.parameters for way in function.overloads):
        return
    for way in function.overloads:
        arguments = ", ".join(
            "0.5" if kind == "real" else str(sample(kind)) for kind in way.parameters
        )
        assert kind_of(constant(f"{name}({arguments})")) == way.result, (name, way.parameters)


def test_operators_of_the_table_are_those_of_the_language() -> None:
    assert {key[0] for key in TABLE if len(key) == 3} == set(PRECEDENCE)
    assert {key[0] for key in TABLE if len(key) == 2} == {"-", "+", "not"}
    assert {kind for key in TABLE for kind in key[1:]} == set(TYPES)
    assert set(MEMBERS) < set(TYPES)
    assert resolve("+", "triple", "triple").result == "position"
    assert resolve("+", "bool", "int") is None


def test_what_fits() -> None:
    assert fits("int", "real")
    assert not fits("real", "int")
    assert fits("triple", "orientation")
    assert not fits("triple", "robtarg")
    assert fits(UNKNOWN, "pose")


# what goes wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / zero", "division by zero"),
        ("1 div zero", "division by zero"),
        ("1 mod zero", "division by zero"),
        ("sqrt(-1)", "a negative number has no square root"),
        ("ln(0)", "only a positive number has a logarithm"),
        ("asin(2)", "between -1 and 1"),
        ("tan(90)", "infinite"),
        ("0 ** (zero - 1)", "negative power"),
        ("(zero - 8) ** 0.5", "negative number only whole ones"),
        ("10.0 ** 400", "too large"),
        ("1e300 * 1e300", "too large"),
        ("big * big", "larger than"),
        ("exp(1000)", "too large"),
        ("a[4]", "there is no element 4"),
        ("a[zero]", "there is no element 0; the elements have the numbers 1 to 3"),
        ("a[2]", "no value yet"),
        ("unset", "`unset` has no value yet"),
        ("robtarg(position(1, 2, 3)).ori.a", "no orientation"),
        ("joint(1, 2)[big]", "the axes have the numbers 1 to 2"),
        ("norm((joint(1) + joint(1, 2))[1] * position(1, 2, 3))", "same number of axes"),
    ],
)
def test_troubles_have_a_place(text: str, said: str) -> None:
    declared = "int: zero = 0, big = 10 ** 15; real: unset; array[3] of real: a;"
    declared = declared.replace("10 ** 15", "1000000000000000")
    with pytest.raises(ProgramError) as caught:
        value(f"{text}", "real", declared)
    (mistake,) = caught.value.mistakes
    assert said in mistake.sentence
    assert mistake.line == 1
    assert mistake.column > 100  # in the expression, behind all declarations


def test_logic_stops_early() -> None:
    declared = "int: zero = 0;"
    assert value("zero = 0 or 1 / zero > 1", "bool", declared) is True
    assert value("zero <> 0 and 1 / zero > 1", "bool", declared) is False


def test_texts() -> None:
    assert value('"a" + "b" = "ab"', "bool") is True
    assert value('"a" < "b" and len("abc") = 3', "bool") is True
    assert value('string(2.5) + string(3) + string(true) = "2.53true"', "bool") is True
    with pytest.raises(ProgramError, match="longer than 255"):
        results("while true s := s + s; endwhile", "int", declarations='string: s = "x";')


def test_arrays() -> None:
    declared = """
      array[-1..1] of int: a = [1, 2, 3];
      array[2, 3] of real: m;
      array[3] of position: p = [(1, 2, 3), (4, 5, 6), position(7, 8, 9)];
      int: i, j;
    """
    body = """
      for i := 1 to 2 for j := low(m[1]) to high(m[1]) m[i, j] := 10 * i + j; endfor endfor
      r1 := m[2][3] + a[-1]; m[1] := m[2]; m[2, 3] := 0; r2 := m[1, 3];
      p[2].y := 50; r3 := norm(p[2] - (4, 0, 6)); r4 := len(a) + low(a) + high(m);
    """
    found = results(body, "real", "real", "real", "int", declarations=declared)
    assert found == [24.0, 23.0, 50.0, 3 - 1 + 2]


def test_values_are_copied() -> None:
    """Assigning an array gives another array, not a second name for the same one."""
    declared = "array[2] of int: a = [1, 2], b;"
    assert results("b := a; b[1] := 5; r1 := a[1];", "int", declarations=declared) == [1]


def test_where_the_robot_is() -> None:
    """here(), joints() and time() come from the planner, in the units of the language."""
    body = "wait 2 sec; r1 := here().pos.x; r2 := joints()[2]; r3 := time(); r4 := here().ori.a;"
    found = results(body, "real", "real", "real", "real", q=(0.0, math.pi / 2, 0.1))
    assert found == pytest.approx([1000.0, 90.0, 2.0, 0.0])
    sliding = results("r1 := joints()[3];", "real", q=(0.0, 0.0, 0.1), prismatic=(3,))
    assert sliding == pytest.approx([100.0])


def test_results_are_python_numbers() -> None:
    assert operator.index(value("7 div 2", "int")) == 3
    assert isinstance(constant("(1, 2, 3) + (1, 1, 1)"), Position)
    assert isinstance(constant("rotate(orientation(1, 2, 3), (1, 1, 1))"), Orientation)
    assert steps_of("program p; seq endseq") == []
