"""`repair`: the smallest change of a program's speeds and accelerations that makes it feasible."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from ...cell.reader import CellLike, cell_of
from ...errors import InputError
from ...ground.arguments import number_of, text_of
from ...ground.examples import program_path
from ...ground.files import read_bytes
from ...lirl import SignalSchedule, read_signal_schedule
from ...lirl.interpreter.move_steps import UNITS
from ...lirl.program_file import read_program
from ...lirl.words import OPTIONS
from ...planning.moves import Move, Step
from ...robot.library import RobotLike, robot_of
from ...robot.model import Robot, Turning
from ...robot.payload import Payload, PayloadLike, payload_of
from ...robot.pose import Pose
from ..continuous import LoadRow
from ..result import Verification
from ..trial import Deadline, TimeIsUpError
from ..verify import is_path, verify
from .chain import RepairSetup, TrialChain, TrialOutcome
from .hopeless import hopeless
from .places import Given, Places, TextEdit, edited, plain
from .result import Change, Repair
from .smallest_change import ChangeSearch, Found, Indices, Tell
from .smooth_turning import smooth_turning
from .suggestions import suggestions
from .values import PARTS, POWERS, Value, caps_of, values_by_line

TIME = 60.0
"""s that a repair may take."""
LAST_TIME = 10.0
"""s that may be spent beyond that on the result: to verify it, and to say why."""
SHARES = (0.25, 0.5, 0.75)
"""Payloads between none and the largest that are tried, too, as parts of it."""
LAST_STEPS = 50
"""Steps that are taken down again should the text, as printed, not pass at once."""


def repair(
    text: str | Path,
    robot: RobotLike,
    *,
    margin: float = 0.0,
    payload_up_to: float | None = None,
    seconds: float = TIME,
    name: str = "",
    tool: Pose | None = None,
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    dt: float | None = None,
    q0: ArrayLike | None = None,
    signals: SignalSchedule | str | Path | None = None,
    cell: CellLike | None = None,
    turning: Turning | None = None,
    adapt: Literal["axes"] | None = None,
    pause: float = 0.0,
    strict: bool = False,
    tell: Tell = lambda part, what: None,
) -> Repair:
    """Change values of single moves of a program, as few and as little as makes it feasible.

    Args:
        text: The program, or the path of its file (a `Path`, or a text that ends in `.irl`); its
            line ends and a byte order mark stay as they are.
        robot: The arm, with a drive for every joint: a `Robot`, a bundled name, or its file.
        margin: The part of every motor's torque that is kept in reserve, 0 to less than 1.
        payload_up_to: kg: with this payload, with none and with those between it has to pass,
            where the program says nothing else; at the place of `payload`, or the tool frame's
            origin.
        seconds: The time that the search may take, s; what could help beside it has 15 s more.
        name: The name of the program in the verdict; that of its file if it is left out.
        tool: A tool frame instead of the robot's own.
        wrench: As for `verify`, with all that follows: N and N m, base coordinates, (6,).
        payload: What the robot carries where the program says nothing else; or its mass, kg.
        dt: The step of the computation, s.
        q0: Joint positions at the start, (n,), rad (m).
        signals: The inputs that the program reads, over time.
        cell: The `Cell` around the robot, or its file.
        turning: How the tool turns, "even" or "smooth", whatever program and robot say.
        adapt: "axes": paths are run slower where an axis would be too fast.
        pause: The time between two repetitions, s.
        strict: Whether accelerations and what could not be checked count, too.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Returns:
        The `Repair`: text, changes, the verification of the result, suggestions.

    Raises:
        ProgramError: The program has mistakes, or a line cannot be planned.
        InputError: Another argument does not fit.

    >>> import erfd
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> made = erfd.repair(text, erfd.load("lola15"))
    >>> made.feasible, made.changes
    (True, ())
    """
    if isinstance(signals, str | Path):
        signals = read_signal_schedule(signals)
    _check(margin, payload_up_to, seconds)
    robot, payload = robot_of(robot), payload_of(payload)
    cell = None if cell is None else cell_of(cell)
    text, name = exact_program(text, name)
    options: dict[str, Any] = {
        "name": name, "wrench": wrench, "payload": payload, "dt": dt, "q0": q0, "cell": cell,
        "turning": turning, "adapt": adapt, "pause": pause, "strict": strict, "signals": signals,
    }  # fmt: skip
    deadline = Deadline(time.monotonic() + seconds)
    original, text = text, plain(text)
    tell(0.0, "verifying")
    before = verify(text, robot, tool=tool, **options)
    payloads = _payloads(before.payloads[0], payload, payload_up_to)
    arm = reserved(before.robot, margin)
    conditions = _conditions(margin, payload_up_to)
    chain = TrialChain(RepairSetup.of(before, signals, arm, payloads), deadline)
    job = _Job(original, text, before, chain, options, conditions, payload_up_to, seconds)
    return job.done(tell)


def exact_program(text: str | Path, name: str = "") -> tuple[str, str]:
    """A program with its line ends and its mark of byte order, and its name.

    Args:
        text: The text itself, or the path of its file.
        name: The name that it is given, if any.
    """
    if not is_path(text):
        return text_of("text", text), name
    path = program_path(text)
    read_program(path)  # says what is wrong with the file
    return read_bytes(path).decode("utf-8"), name or path.stem


def reserved(robot: Robot, margin: float) -> Robot:
    """The robot with a part of every motor's torque taken away."""
    if not margin:
        return robot
    left = 1.0 - margin
    drives = tuple(
        replace(
            drive,
            torque_max=left * drive.torque_max,
            curve=tuple((speed, left * torque) for speed, torque in drive.curve),
        )
        for drive in robot.drives
    )
    return replace(robot, drives=drives)


def _check(margin: float, payload_up_to: float | None, seconds: float) -> None:
    """Check the numbers of a repair."""
    part = number_of("margin", margin, "a part from 0 to less than 1")
    if not 0.0 <= part < 1.0:
        raise InputError(f"margin: expected a part from 0 to less than 1, found {margin!r:.40}")
    wanted = "a mass >= 0 kg"
    if payload_up_to is not None and number_of("payload_up_to", payload_up_to, wanted) < 0:
        raise InputError(f"payload_up_to: expected a mass >= 0 kg, found {payload_up_to!r:.40}")
    endless = isinstance(seconds, float) and math.isinf(seconds) and seconds > 0
    if not endless and number_of("seconds", seconds, "a time > 0 s") <= 0:
        raise InputError(f"seconds: expected a time > 0 s, found {seconds!r:.40}")


def _conditions(margin: float, payload_up_to: float | None) -> str:
    """What has to be kept, in words; empty if it is nothing special."""
    words = [f"{100 * margin:g} % of every torque in reserve"] if margin else []
    words += [f"payloads up to {payload_up_to:g} kg"] if payload_up_to is not None else []
    return f"with {' and '.join(words)}" if words else ""


def _payloads(
    carried: Payload | None, given: Payload | None, up_to: float | None
) -> tuple[Payload | None, ...]:
    """The payloads of the start that have to pass: for the search, the ends of their range."""
    if up_to is None:
        return (given if given is not None else carried,)
    place = (0.0, 0.0, 0.0) if given is None else given.center
    own = () if given is None else (given,)
    return tuple(dict.fromkeys((None, *own, Payload(up_to, place))))


def between(payloads: Iterable[Payload | None], up_to: float | None) -> list[Payload | None]:
    """The payloads with which the result is verified."""
    known = list(payloads)
    last = known[-1]
    if up_to and last is not None:
        known += [replace(last, mass=share * up_to) for share in SHARES]
    return known


@dataclass(frozen=True, eq=False)
class _Job:
    """A repair in the making."""

    original: str
    text: str
    before: Verification
    chain: TrialChain
    options: Mapping[str, Any]
    conditions: str
    payload_up_to: float | None
    seconds: float

    def done(self, tell: Tell) -> Repair:
        """The repair."""
        if self._passes(self.before, self.text):
            return self._result((), self.original, self.before)
        setup = self.chain.setup
        try:
            reasons = list(hopeless(self.before, self.chain))
        except TimeIsUpError:  # the search will say so
            reasons = []
        if reasons:
            return self._given_up(reasons, tell)
        steps, moves = self.before.steps, self.before.plan.moves
        assert self.before.program is not None
        places = Places(self.before.program, self.text)
        values = values_by_line(steps, moves)
        order = [move.line for move in moves]
        search = ChangeSearch(values, order, self.chain.attempt, places.grouped, tell)
        found = search.run()
        self.chain.deadline = Deadline(time.monotonic() + LAST_TIME)
        if found.indices is None:
            return self._given_up(self._why_not(found), tell, found.complete)
        made = self._printed(found, places, given_values(steps, values), tell)
        if not made.changes:
            return made
        other = smooth_turning(self.before, setup, values, order, made.verification.seconds)
        return replace(made, suggestions=(other,) if other else ())

    def _printed(self, found: Found, places: Places, given: Given, tell: Tell) -> Repair:
        """The repair with these values; they are lowered a step where the text does not pass."""
        indices = dict(found.indices or {})
        for _ in range(LAST_STEPS):
            edits = {v: tuple(places.edits(v, i, given)) for v, i in indices.items() if i}
            text = edited(self.text, [edit for some in edits.values() for edit in some])
            result = self._verified(text)
            if self._passes(result, text):
                whys = self._whys(indices)
                changes = tuple(_changes(edits, whys))
                put = [edit for some in edits.values() for edit in some]
                whole = edited(self.original, put)
                return self._result(changes, whole, result, complete=found.complete)
            if result.contacts and result.run.feasible:
                return self._given_up([f"no longer too fast, but {result.contacts[0]}"], tell)
            outcome = self.chain.attempt(caps_of(indices))
            lower = [v for v in indices if {*v.lines} & {*outcome.blamed}] or list(indices)
            for value in lower:
                indices[value] = min(indices[value] + 1, len(PARTS) - 1)
        return self._given_up(["the slower motion still fails: " + result.verdict], tell)

    def _verified(self, text: str) -> Verification:
        return verify(text, self.before.robot, **self._plain_options())

    def _plain_options(self) -> dict[str, Any]:
        """The options of `verify`; the robot has its tool and its place already."""
        cell = self.options["cell"]
        return {**self.options, "cell": None if cell is None else replace(cell, mount=None)}

    def _passes(self, result: Verification, text: str) -> bool:
        """Whether a text passes with all payloads and with the reserve."""
        if not result.feasible:
            return False
        setup = self.chain.setup
        first = setup.payloads[0] == self.before.payloads[0] and setup.robot is result.robot
        for payload in between(setup.payloads, self.payload_up_to)[first:]:
            options = self._plain_options() | {"payload": payload}
            if not verify(text, setup.robot, **options).feasible:
                return False
        return True

    def _result(
        self, changes: tuple[Change, ...], text: str, result: Verification, **more: Any
    ) -> Repair:
        return Repair(
            self.original, text, changes, result, self.before, True,
            conditions=self.conditions, **more,
        )  # fmt: skip

    def _given_up(self, reasons: Iterable[str], tell: Tell, searched: bool = True) -> Repair:
        """What could be done where no speed helps; `searched`: there was time to look for one."""
        found, complete = suggestions(self.before, self.chain, self.seconds, tell)
        return Repair(
            self.original, self.original, (), self.before, self.before, False, tuple(reasons),
            tuple(found), complete and searched, self.conditions,
        )  # fmt: skip

    def _why_not(self, found: Found) -> list[str]:
        """Why the search came to nothing."""
        if not found.complete:
            return ["the time for the search was up before any values were found that pass"]
        last = found.outcome
        if last.sentence:
            return [last.sentence]
        line, failure = next(iter(sorted(last.blamed.items())))
        where = "" if isinstance(failure, LoadRow) else f"line {line}: "
        return [f"even much slower, {where}{failure}"]

    def _whys(self, indices: Indices) -> dict[Value, str]:
        """What fails without each of the values."""
        whys = {}
        for value in indices:
            rest = {v: i for v, i in indices.items() if v != value}
            try:
                outcome = self.chain.attempt(caps_of(rest))
            except TimeIsUpError:
                outcome = TrialOutcome()
            whys[value] = _why(outcome, value)
        return whys


def _why(outcome: TrialOutcome, value: Value) -> str:
    """What fails in an outcome, in words."""
    if outcome.sentence:
        return outcome.sentence
    own = [f for line, f in outcome.blamed.items() if line in value.lines]
    worst = max(own or outcome.blamed.values(), key=lambda f: f.part, default=None)
    return "" if worst is None else f"without it {worst}"


def given_values(steps: Iterable[Step], values: Mapping[int, tuple[Value, ...]]) -> Given:
    """The values that the moves of each line have."""
    given: dict[tuple[int, str], set[float]] = {}
    for step in steps:
        if isinstance(step, Move):
            for option in POWERS:
                number = getattr(step, option)
                if number is not None and step.kind in OPTIONS[option].kinds:
                    own = given.setdefault((step.line, option), set())
                    own.add(float(f"{number / UNITS[OPTIONS[option].unit]:.12g}"))
    for own_values in values.values():
        for value in own_values:
            given.setdefault((*value.lines, value.option), {value.programmed})  # type: ignore[arg-type]
    return given


def _changes(
    edits: Mapping[Value, tuple[TextEdit, ...]], whys: Mapping[Value, str]
) -> Iterable[Change]:
    """The changes of a text, by lines."""
    places = sorted(
        ((value, edit) for value, some in edits.items() for edit in some),
        key=lambda pair: pair[1].puts[0][:2],
    )
    for value, edit in places:
        yield Change(
            edit.puts[0][0], edit.option, edit.before, edit.after, whys[value], edit.how, edit.lines
        )
