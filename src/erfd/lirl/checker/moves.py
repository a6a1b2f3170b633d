"""Check moves: their targets, the options behind them, and units that look wrong."""

from __future__ import annotations

from typing import Any

from .. import syntax as tree
from ..interpreter.move_steps import Machine, bounds, robot_mismatch
from ..messages import did_you_mean
from ..types import UNKNOWN, Type, fits, type_text
from ..values import Frame, JointValue, MainJoint, Position, RobTarget, Triple
from ..words import OPTIONS, TURNINGS, OptionWord
from .expressions import Typer
from .scope import Scopes

TARGETS = ("robtarg", "pose", "position", "joint", "mainjoint")

SLOW = {"speed": 5.0, "acc": 10.0, "speed_ori": 0.5, "acc_ori": 0.5}
FAST = {"speed": 20_000.0, "acc": 100_000.0}
"""Outside of these, mm/s and so on, a number is likely in other units."""


class MoveChecker:
    """Checks move statements; reports mistakes to the scopes."""

    def __init__(self, scopes: Scopes, typer: Typer, robot: Machine):
        self.scopes, self.typer, self.robot = scopes, typer, robot

    def check(self, node: tree.MoveStatement) -> None:
        """Report what is wrong with a move."""
        want = 2 if node.kind == "circle" else 1
        if len(node.targets) != want:
            two = "a via point and an end point: `move circle VIA, END`"
            needs = two if want == 2 else "one target"
            at = node.targets[want].at if len(node.targets) > want else node.at
            self.scopes.error(at, f"`{node.kind}` needs {needs}, found {len(node.targets)}")
        kinds = [self._target(node, target) for target in node.targets]
        seen: set[str] = set()
        for option in node.options:
            word = OPTIONS.get(option.name)
            if word is None:
                if option.name not in self.scopes.lost:
                    hint = did_you_mean(option.name, OPTIONS)
                    self.scopes.error(option.at, f"unknown option `{option.text}`", hint)
                if option.value is not None:
                    self.typer.type(option.value)
                continue
            if option.name in seen:
                self.scopes.error(option.at, f"`{option.text}` is given twice")
            seen.add(option.name)
            self._option(option, word)
            self._effect(node, option, word, kinds)

    def turning(self, node: tree.TurningStatement) -> None:
        """Report a word behind `turning` that is none."""
        if node.name and node.name not in TURNINGS:
            words = " or ".join(f"`{word}`" for word in TURNINGS)
            hint = did_you_mean(node.name, TURNINGS)
            self.scopes.error(node.at, f"`turning` is {words}, found `{node.text}`", hint)

    def _target(self, node: tree.MoveStatement, target: tree.Expression) -> Type:
        kind = self.typer.type(target)
        allowed = (*TARGETS, "orientation") if node.relative else TARGETS
        if kind == UNKNOWN:
            return kind
        if not any(fits(kind, want) for want in allowed):
            self.scopes.error(target.at, f"expected a target, found {type_text(kind)}")
        elif node.kind == "circle" and kind in ("joint", "mainjoint"):
            self.scopes.error(target.at, f"a circle goes through points, found {type_text(kind)}")
        value = self.scopes.constant(target)
        if not node.relative:
            self.suspect(target, value)
        self._axes(target, value)
        return kind

    def _axes(self, target: tree.Expression, value: Any) -> None:
        n = self.robot.n
        if isinstance(value, JointValue | MainJoint) and n is not None and len(value.axes) > n:
            self.scopes.error(target.at, f"the robot has {n} axes, found {len(value.axes)}")

    def _option(self, option: tree.Option, word: OptionWord) -> None:
        value = option.value
        if value is None:
            if word.value:
                example = word.choices[0] if word.choices else f"<{word.value}>"
                sentence = f"`{option.text}` needs a value"
                self.scopes.error(option.at, sentence, f"write `{option.name}={example}`")
            return
        if not word.value:
            self.typer.type(value)
            self.scopes.error(option.at, f"`{option.text}` has no value, it stands alone")
            return
        if word.value == "word":
            chosen = value.name if isinstance(value, tree.Name) else "?"
            if chosen not in word.choices and chosen != "":
                choices = ", ".join(f"`{choice}`" for choice in word.choices)
                hint = did_you_mean(chosen, word.choices)
                self.scopes.error(value.at, f"`{option.text}` is one of {choices}", hint)
            return
        self.typer.expect(value, word.value, f"`{option.text}`: ")
        constant = self.scopes.constant(value)
        if option.name == "act_rob" and isinstance(constant, str):
            if wrong := robot_mismatch(constant, self.robot):
                self.scopes.error(value.at, wrong)
        elif word.value == "real" and type(constant) in (int, float):
            self._number(option, word, float(constant))

    def _number(self, option: tree.Option, word: OptionWord, number: float) -> None:
        assert option.value is not None
        at, name = option.value.at, option.name
        if not word.allows(number):
            hint = ""
            if word.high == 1.0 and 1 < number <= 100:
                hint = f"for {number:g} percent write {number / 100:g}"
            self.scopes.error(at, f"`{name}` has to be {bounds(name)}, found {number:g}", hint)
        elif number < SLOW.get(name, 0.0):
            metres = f"if {word.unit[1:]} were meant, write {number * 1000:g}"
            hint = metres if "mm" in word.unit else ""
            self.scopes.warn(at, f"{name} {number:g} {word.unit} is very slow", hint)
        elif number > FAST.get(name, float("inf")):
            self.scopes.warn(at, f"{name} {number:g} {word.unit} is very fast")

    def _effect(
        self, node: tree.MoveStatement, option: tree.Option, word: OptionWord, kinds: list[Type]
    ) -> None:
        """Warn of options that have no effect."""
        axes = all(kind in ("joint", "mainjoint") for kind in kinds) and bool(kinds)
        if node.kind not in word.kinds:
            self.scopes.warn(option.at, f"`{option.text}` has no effect on `{node.kind}`")
        elif option.name == "ref" and not node.relative:
            self.scopes.warn(option.at, f"`{option.text}` has no effect on `move`")
        elif option.name == "frame" and (axes or node.relative):
            what = "a move of the axes" if axes else "`move_inc`"
            self.scopes.warn(option.at, f"`{option.text}` has no effect on {what}")

    def suspect(self, node: tree.Expression, value: Any) -> None:
        """Warn of positions that look like metres and angles that look like radians."""
        if isinstance(value, JointValue | MainJoint):
            fractional = any(axis != round(axis) for axis in value.axes)
            if fractional and all(abs(axis) < 6.3 for axis in value.axes):
                sentence = "these angles look like radians; the axes are in degrees"
                self.scopes.warn(node.at, sentence)
            return
        point = value.pos if isinstance(value, Frame | RobTarget) else value
        if isinstance(point, Position | Triple):
            fractional = any(x != round(x) for x in point)
            if fractional and all(abs(x) < 5.0 for x in point):
                self.scopes.warn(node.at, "this looks like metres; positions are in millimetres")
