"""`Repair`: a program made feasible, what was changed for it, and what else could be done."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff

from ..result import Verification


@dataclass(frozen=True, slots=True)
class Change:
    """One value of the text that was changed, at a line of the program.

    `value` is the option of a move (`speed`, `acc_ptp`, ...), `before` and `after` as the text has
    them, in the language's units (`before` is what counts where nothing was written); `how` says
    where that was done if it was not at the number of the move itself, `moves` the lines of the
    moves that it concerns, `why` what fails without it.
    """

    line: int
    value: str
    before: str
    after: str
    why: str
    how: str = ""
    moves: tuple[int, ...] = ()

    def __str__(self) -> str:
        where = f" ({self.how})" if self.how else ""
        before = f" {self.before} ->" if self.before else ""
        return f"line {self.line}: {self.value}{before} {self.after}{where}; {self.why}"


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """The repair of a program: its text, what was changed, and the verification of the result.

    `feasible` says whether the `text` can be done (changed or not). If it cannot, the text is the
    one of before, `reasons` say why no speed helps, and `suggestions` what could. `complete` is
    false if the time was too short to look for the smallest change. `before` is the verification
    of the program as it was.
    """

    original: str
    text: str
    changes: tuple[Change, ...]
    verification: Verification
    before: Verification
    feasible: bool
    reasons: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    complete: bool = True
    conditions: str = ""

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the text that were changed."""
        return tuple(sorted({change.line for change in self.changes}))

    @property
    def sentence(self) -> str:
        """What came of it, in one sentence."""
        name, seconds = self.verification.name, self.verification.seconds
        under = f" {self.conditions}" if self.conditions else ""
        if not self.feasible:
            return f"not repairable{under}: {'; '.join(self.reasons)}"
        if not self.changes:
            return f"feasible{under} as it is: {name} takes {seconds:.2f} s"
        count = len(self.lines)
        lines = f"{count} line{'s' if count > 1 else ''} changed"
        took = f"{name} takes {seconds:.2f} s instead of {self.before.seconds:.2f} s"
        rest = "" if self.complete else "; a smaller change may do: the time for the search was up"
        return f"feasible{under} with {lines}: {took}{rest}"

    def diff(self, name: str = "program.irl") -> str:
        """The changes as a unified diff, empty if there are none.

        Args:
            name: The name of the file.
        """
        lines = unified_diff(
            self.original.splitlines(keepends=True),
            self.text.splitlines(keepends=True),
            name, f"{name} (repaired)", n=1,
        )  # fmt: skip
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def __repr__(self) -> str:
        return f"Repair({self.sentence!r})"
