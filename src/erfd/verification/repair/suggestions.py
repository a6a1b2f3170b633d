"""What could help where no speed does: each is tried by the whole chain before it is said."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from ...planning.moves import Move, PoseTarget, SetPayload
from ...planning.path.orientation import rotation_about
from ...robot.pose import Vec3
from ..advice import shortest_pause
from ..result import Verification
from ..trial import Deadline, TimeIsUpError
from .chain import RepairSetup, TrialChain
from .other_ways import Change, lighter, moved, scaled, turned, turned_payload, with_config
from .smallest_change import Tell
from .values import capped, caps_of, index_at_speed, values_by_line

TIME = 15.0
"""s that all suggestions together may take; each kind has an even part of what is left."""
LAST = ("the tool turned", "the base moved")
"""What is only tried if nothing before has helped."""
SLOW = (30, 5)
"""Percent of the speed at which it is tried whether lower values would make up for the rest."""
TURNS = (5, 10, 20, 30, 45, 60, 90, 120, 150, 180)
"""Degrees by which a tool is turned about its z axis; about the others up to `TILT`."""
TILT = 45
WAYS = (10, 20, 50, 100, 200, 300, 500)
"""mm by which the base is moved along an axis."""


def suggestions(
    verification: Verification,
    chain: TrialChain,
    seconds: float,
    tell: Tell = lambda part, what: None,
) -> tuple[list[str], bool]:
    """What could help, in sentences, and whether there was time for all that was to be tried.

    Args:
        verification: Of the program as it is.
        chain: What it is tried with.
        seconds: The time that it may take, s, if that is less than `TIME`.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.
    """
    if verification.strict and verification.not_checked:
        return [], True
    tries = _Tries(verification, chain)
    kinds: tuple[tuple[str, Callable[[], Iterable[str]]], ...] = (
        ("pauses", tries.pauses),
        ("payloads", tries.payloads),
        ("branches", tries.configs),
        ("the tool turned", tries.turns),
        ("the base moved", tries.ways),
    )
    found, complete = list[str](), True
    end = time.monotonic() + min(TIME, seconds)
    for k, (what, look) in enumerate(kinds):
        tell(0.5 + 0.5 * k / len(kinds), what)
        now = time.monotonic()
        chain.deadline = Deadline(now + (end - now) / (len(kinds) - k))
        if found and what in LAST:  # no tool is turned if another CONFIG will do
            break
        try:
            found += look()
        except TimeIsUpError:
            complete = False
    return found, complete


class _Tries:
    """Tries other ways of doing a program."""

    def __init__(self, verification: Verification, chain: TrialChain):
        self.found, self.chain, self.setup = verification, chain, chain.setup
        self.values = values_by_line(verification.steps, verification.plan.moves)
        self.bad = {failure.line for failure in verification.plan.failures}
        self.load_only = verification.moves_feasibly and not verification.feasible

    def _passes(self, change: Change, setup: RepairSetup | None = None) -> str:
        """Whether a changed program passes, perhaps slower: in words; empty if it does not."""
        outcome = self.chain.changed(change, setup, look=True)
        if outcome.feasible:
            return "it passes"
        if outcome.path:
            return ""
        for percent in SLOW:
            indices = {
                value: index_at_speed(value, percent)
                for own in self.values.values()
                for value in own
            }
            caps = caps_of(indices)
            slower = self.chain.changed(lambda s, c=caps: capped(change(s), c), setup, look=True)  # type: ignore[misc]
            if slower.feasible:
                return "it passes at lower speeds (repair then says which)"
        return ""

    def _least(
        self, sizes: Iterable[int], way: Callable[[int], tuple[Change, RepairSetup]]
    ) -> tuple[int, str] | None:
        """The smallest size, of either sign, with which the way passes, and how."""
        return _least(sizes, lambda k: self.chain.reaches(*way(k)), lambda k: self._passes(*way(k)))

    def configs(self) -> Iterator[str]:
        """Another CONFIG: where it fails, where the branch of its path is chosen, everywhere."""
        poses = [
            step
            for step in self.found.steps
            if isinstance(step, Move) and any(isinstance(t, PoseTarget) for t in step.targets)
        ]
        if self.setup.robot.n != 6 or not poses or self.load_only:
            return
        bad = self.bad or {next(iter(self.found.bad_lines), 0)}
        chosen = {s.line for s in poses if s.kind == "ptp" and s.line in bad}
        for k, step in enumerate(poses):
            if step.line in bad and step.kind != "ptp":
                chosen |= {s.line for s in [s for s in poses[:k] if s.kind == "ptp"][-1:]}
        for lines in filter(None, (chosen, None)) if chosen else (None,):
            yield from self._configs_at(lines)

    def _configs_at(self, lines: set[int] | None) -> Iterator[str]:
        where = (
            "wherever the program names one"
            if lines is None
            else f"at line{'s' if len(lines) > 1 else ''} {', '.join(map(str, sorted(lines)))}"
        )
        for config in range(8):
            if passed := self._passes(with_config(config, lines)):
                yield f"with CONFIG {config} {where} {passed}"

    def turns(self) -> Iterator[str]:
        """The tool mounted at another angle: the smallest about each of its axes."""
        turning = any(
            isinstance(t, PoseTarget) and t.rotation is not None
            for step in self.found.steps
            if isinstance(step, Move)
            for t in step.targets
        )
        if self.setup.robot.n < 6 or not turning or self.load_only:
            return
        for axis, letter in ((2, "z"), (0, "x"), (1, "y")):
            most = 180 if axis == 2 else TILT

            def way(degrees: int, axis: int = axis) -> tuple[Change, RepairSetup]:
                vector = np.zeros(3)
                vector[axis] = math.radians(degrees)
                turn = rotation_about(vector)
                payloads = tuple(turned_payload(p, turn) for p in self.setup.payloads)
                return turned(turn), replace(self.setup, payloads=payloads)

            best = self._least([d for d in TURNS if d <= most], way)
            if best:
                yield f"with the tool turned by {best[0]} deg about its {letter} axis {best[1]}"

    def ways(self) -> Iterator[str]:
        """The base at another place: the nearest along each axis."""
        if self.load_only or not any(
            isinstance(t, PoseTarget)
            for s in self.found.steps
            if isinstance(s, Move)
            for t in s.targets
        ):
            return
        for axis, letter in enumerate("xyz"):

            def way(millimetres: int, axis: int = axis) -> tuple[Change, RepairSetup]:
                by = [0.0, 0.0, 0.0]
                by[axis] = millimetres / 1000
                to: Vec3 = (by[0], by[1], by[2])
                return moved(to), replace(self.setup, moved=to)

            best = self._least(WAYS, way)
            if best:
                yield (
                    f"with the base moved by {best[0]} mm along {letter} (all points of the program"
                    f" {-best[0]:+d} mm in {letter}) {best[1]}"
                )

    def payloads(self) -> Iterator[str]:
        """The largest payload that passes, as a part of the one that there is."""
        named = (s.payload for s in self.found.steps if isinstance(s, SetPayload))
        masses = [p.mass for p in (*self.setup.payloads, *named) if p is not None]
        if not masses or not max(masses) or self.bad:
            return

        def passed(percent: int) -> str:
            payloads = tuple(scaled(p, percent / 100) for p in self.setup.payloads)
            return self._passes(lighter(percent / 100), replace(self.setup, payloads=payloads))

        word, low, high = passed(0), 0, 100
        if not word:
            return
        while high - low > 1:
            middle = (low + high) // 2
            if answer := passed(middle):
                low, word = middle, answer
            else:
                high = middle
        most = low / 100 * max(masses)
        what = f"a payload of {most:.3g} kg instead of {max(masses):g}" if low else "no payload"
        yield f"with {what} {word}"

    def pauses(self) -> Iterator[str]:
        """A pause between two rounds, if it is the continuous load that fails."""
        if not self.load_only or self.found.contacts:
            return
        pause = shortest_pause(self.found, self.chain.deadline)
        if pause:
            yield (
                f"with a pause of {pause:.1f} s after each round (--pause {pause:.1f}) the"
                " continuous load is within its limits"
            )


def _least(
    sizes: Iterable[int], reaches: Callable[[int], bool], passed: Callable[[int], str]
) -> tuple[int, str] | None:
    """The number of the smallest size, of either sign, with which something passes, and how.

    Found among `sizes`, then by halving; where it only just reaches, it may not pass.
    """
    before = 0
    for size in sizes:
        for sign in (1, -1):
            if not reaches(sign * size):
                continue
            low, high = before, size
            while high - low > 1:
                middle = (low + high) // 2
                if reaches(sign * middle):
                    high = middle
                else:
                    low = middle
            for found in dict.fromkeys((high, size)):
                if word := passed(sign * found):
                    return sign * found, word
        before = size
    return None
