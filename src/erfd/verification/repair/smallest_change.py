"""The search for the smallest change: lower what fails, take back what need not be, raise again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..trial import TimeIsUpError
from .chain import TrialOutcome
from .values import SLOWEST, Caps, Value, caps_of, index_at_speed

COMMON = (SLOWEST, 5, 10, 20)
"""Percent at which all moves together are tried, should no single ones help: the slower, the
surer, but a long program may become too long."""
WORTH = 0.995
"""A change elsewhere is taken instead if the motion then lasts no more than this part."""

DEPTHS = (1.0, 0.6, 0.35)
"""Parts of the first feasible speeds from which the fewest lines are looked for."""
NEARLY = 1.02
"""A motion that lasts no more than so many times as long is taken if fewer values change."""

Tell = Callable[[float, str], None]
Indices = dict[Value, int]


@dataclass(frozen=True, slots=True)
class Found:
    """The indices (of `PARTS`) of the values that are lowered; `complete` if the time sufficed.

    `indices` is None if no values make it feasible.
    """

    indices: Indices | None
    complete: bool
    outcome: TrialOutcome


class ChangeSearch:
    """Searches for the fewest lines and the largest values with which a program is feasible.

    `values` are those that each line has, `order` is that in which the lines run; `attempt` tries
    caps; `group` joins the values of lines that one variable gives.
    """

    def __init__(
        self,
        values: Mapping[int, tuple[Value, ...]],
        order: Sequence[int],
        attempt: Callable[[Caps], TrialOutcome],
        group: Callable[[Indices], Indices],
        tell: Tell = lambda part, what: None,
    ):
        self.values, self.order, self.group = values, order, group
        self.attempt = attempt
        self.tell = tell
        self.speeds: dict[int, int] = {}
        self.indices: Indices = {}
        self.passed = False
        self.hits: dict[int, int] = {}
        self.last = TrialOutcome()
        self.stage = 0.0, 1.0

    def run(self) -> Found:
        """Search, as long as there is time."""
        try:
            if not self._lower():
                return Found(None, True, self.last)
            self._fewest_lines()
            self._values_of_lines()
            self.indices = self.group(self.indices)
            self._raise_values()
        except TimeIsUpError:
            return Found(self.indices if self.passed else None, False, self.last)
        return Found(self.indices if self.passed else None, True, self.last)

    def _at(self, speeds: Mapping[int, int]) -> Indices:
        """The indices of all values of lines that run at so many percent of their speed."""
        return {
            value: index_at_speed(value, percent)
            for line, percent in speeds.items()
            for value in self.values[line]
        }

    def _try(self, speeds: Mapping[int, int]) -> TrialOutcome:
        return self.attempt(caps_of(self._at(speeds)))

    def _passes(self, speeds: Mapping[int, int]) -> bool:
        """Whether lines at these speeds are feasible: then that is the best so far."""
        passed = self._try(speeds).feasible
        if passed:
            self._keep(speeds)
        return passed

    def _keep(self, speeds: Mapping[int, int]) -> None:
        """Keep feasible speeds as the best so far."""
        self.speeds, self.indices, self.passed = dict(speeds), self._at(speeds), True

    def _allows(self, indices: Indices) -> bool:
        """The same for values."""
        passed = self.attempt(caps_of(indices)).feasible
        if passed:
            self.passed = True
            self.indices = {value: index for value, index in indices.items() if index}
        return passed

    def _lower(self) -> bool:
        """Lower the lines that fail until nothing fails, ever faster; else all lines."""
        speeds: dict[int, int] = {}
        while True:
            outcome = self.last = self._try(speeds)
            if outcome.feasible:
                self._keep(speeds)
                return True
            if outcome.path:
                return False
            lines = self._lowerable(outcome.blamed, speeds)
            if not lines:
                return self._lower_all()
            for line in lines:
                times = self.hits[line] = self.hits.get(line, 0) + 1
                gentle = max(0.5, 1.0 - 0.03 * 2**times)
                part = outcome.blamed[line].part if line in outcome.blamed else 0.0
                factor = min(gentle, 1 / (1 + min(part, 1.0)))
                speeds[line] = max(SLOWEST, int(factor * speeds.get(line, 100)))
            self.tell(0.2 * (1 - 0.9 ** sum(self.hits.values())), "slower")

    def _lowerable(self, blamed: Iterable[int], speeds: Mapping[int, int]) -> list[int]:
        """The lines to be lowered next: those that fail, or if they cannot be, their neighbours."""

        def free(line: int) -> bool:
            return line in self.values and speeds.get(line, 100) > SLOWEST

        lines = [line for line in blamed if free(line)]
        if lines:
            return lines
        beside = {near for line in blamed for near in self._neighbours(line)}
        return sorted(line for line in beside if free(line))

    def _neighbours(self, line: int) -> set[int]:
        """The lines that run just before and just after a line."""
        near: set[int] = set()
        for k, here in enumerate(self.order):
            if here == line:
                near |= {*self.order[max(k - 1, 0) : k], *self.order[k + 1 : k + 2]}
        return near - {line}

    def _lower_all(self) -> bool:
        """Lower all lines alike, no more than it takes."""
        for low in COMMON:
            if self._passes(dict.fromkeys(self.values, low)):
                break
        else:
            return False
        high = 100
        while high - low > 1:
            middle = (low + high) // 2
            if self._passes(dict.fromkeys(self.values, middle)):
                low = middle
            else:
                high = middle
        return True

    def _fewest_lines(self) -> None:
        """Take lines back and raise the others, from several depths; the fewest lines are kept.

        Where a step of velocity meets the samples of a controller is chance, so that feasible
        speeds are no interval, and where a search ends depends on where it begins.
        """
        first, best = dict(self.speeds), (len(self.values) + 1, 0.0, dict(self.speeds))
        for k, depth in enumerate(DEPTHS):
            deeper = {n: max(SLOWEST, int(depth * p)) for n, p in first.items()}
            if not self._passes(deeper):
                continue
            self.stage = k / len(DEPTHS), 1 / len(DEPTHS)
            self._take_back()
            self._join()
            self._raise_speeds()
            self._move_on()
            reached = len(self.speeds), self._try(self.speeds).seconds, dict(self.speeds)
            best = min(best, reached, key=lambda state: state[:2])
            self._keep(best[2])
            if best[0] == 1:
                break

    def _told(self, part: float, what: str) -> None:
        """Tell how far one of the depths is."""
        begin, share = self.stage
        self.tell(0.2 + 0.5 * (begin + share * part), what)

    def _take_back(self) -> None:
        """Give lines back their values where it stays feasible: those first that fail least."""
        lines = sorted(self.speeds, key=lambda line: (self.hits.get(line, 0), self.speeds[line]))
        for k, line in enumerate(lines):
            self._told(0.5 * k / len(lines), "fewer lines")
            self._passes({n: p for n, p in self.speeds.items() if n != line})

    def _join(self) -> None:
        """Give a line back its values where a neighbour, as slow as the slower of both, does."""
        for line in sorted(self.speeds):
            for near in sorted(self._neighbours(line) & {*self.speeds}):
                if line not in self.speeds:
                    break
                slower = min(self.speeds[line], self.speeds[near])
                rest = {n: p for n, p in self.speeds.items() if n not in (line, near)}
                ways = [rest | {kept: slower} for kept in (near, line)]
                passing = [(self._try(way).seconds, k) for k, way in enumerate(ways)
                           if self._try(way).feasible]  # fmt: skip
                if passing:
                    self._keep(ways[min(passing)[1]])

    def _raise_speeds(self) -> None:
        """Raise the speed of each line as far as it stays feasible, the slowest first."""
        for k, line in enumerate(sorted(self.speeds, key=self.speeds.__getitem__)):
            self._told(0.5 + 0.5 * k / len(self.speeds), "faster")
            self._raise_speed(line)

    def _raise_speed(self, line: int) -> None:
        low, high = self.speeds[line], 100
        while high - low > 1:
            middle = (low + high) // 2
            if self._passes(self.speeds | {line: middle}):
                low = middle
            else:
                high = middle

    def _move_on(self) -> None:
        """Lower a neighbour in the place of a line where the motion is then faster.

        Where two paths join, the speed is the lower of both: either may be lowered.
        """
        for line in sorted(self.speeds):
            for near in sorted(self._neighbours(line) & {*self.values} - {*self.speeds}):
                before = dict(self.speeds)
                others = {n: p for n, p in before.items() if n != line}
                seconds = WORTH * self._try(before).seconds
                if not self._passes(others | {near: before[line]}):
                    continue
                self._raise_speed(near)
                if self._try(self.speeds).seconds < seconds:
                    break
                self._keep(before)

    def _values_of_lines(self) -> None:
        """Choose which values of each line are lowered: those with which the motion is fastest.

        One of them, if hardly any time is lost by that.
        """
        self.indices = self._at(self.speeds)
        for k, line in enumerate(sorted(self.speeds)):
            self.tell(0.7 + 0.2 * k / len(self.speeds), "values")
            own = self.values[line]
            rest = {v: i for v, i in self.indices.items() if line not in v.lines}
            every = {v: index_at_speed(v, self.speeds[line]) for v in own}
            ways = [[v] for v in own if self.attempt(caps_of(rest | {v: every[v]})).feasible]
            reached = list[tuple[float, Indices]]()
            for way in (*ways, [*own], [*reversed(own)]):
                self.indices = rest | {v: every[v] for v in way}
                for value in way:
                    self._raise_value(value)
                reached.append((self.attempt(caps_of(self.indices)).seconds, self.indices))
            fastest = min(seconds for seconds, _ in reached)
            near = [way for way in reached if way[0] <= NEARLY * fastest]
            self.indices = min(near, key=lambda way: (len(way[1]), way[0]))[1]

    def _raise_values(self) -> None:
        """Raise each value as far as it stays feasible, until none can be raised by one step."""
        again, rounds = True, 0
        while again:
            again, rounds = False, rounds + 1
            for k, value in enumerate(sorted(self.indices, key=lambda v: -self.indices[v])):
                self.tell(1 - (0.1 - 0.05 * k / len(self.indices)) / rounds, "faster")
                again |= self._raise_value(value)

    def _raise_value(self, value: Value) -> bool:
        """Raise one value; whether that was possible."""
        high = start = self.indices[value]
        low = -1  # as if not even the programmed value were feasible: that was tried before
        step = 1
        while high - low > 1:
            middle = high - 1 if step == 1 else (low + high) // 2
            step += 1
            if self._allows(self.indices | {value: middle}):
                high = middle
                if not high:
                    break
            else:
                low = middle
        return high < start
