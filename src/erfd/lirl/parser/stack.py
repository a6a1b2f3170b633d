"""The LR parser itself: a stack of states and one of values, fed token by token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .scan import Token
from .tables import END, tables

Snapshot = tuple[list[int], list[Any]]
"""The states and the values of a parser at some place of the text."""


class Stack:
    """The state of the parser: where it is in the text, and what it has built so far."""

    __slots__ = ("states", "table", "values")

    def __init__(self) -> None:
        self.table = tables()
        self.states = [self.table.start]
        self.values: list[Any] = []

    def feed(self, token: Token) -> bool:
        """Take a token; False if it cannot stand here. After the end `values[-1]` is the tree."""
        states, values = self.states, self.values
        actions, end = self.table.actions, self.table.end
        kind = token.kind
        while True:
            action: Any = actions[states[-1]].get(kind)
            if type(action) is int:
                states.append(action)
                values.append(token)
                return True
            if action is None:
                return False
            size, build, name = action
            if size:
                children = values[-size:]
                del states[-size:]
                del values[-size:]
            else:
                children = []
            values.append(build(children))
            states.append(actions[states[-1]][name])  # type: ignore[arg-type]
            if kind == END and states[-1] == end:
                return True

    def snapshot(self) -> Snapshot:
        """Copies of both stacks as they are now."""
        return self.states[:], self.values[:]

    def reach(self, kinds: Sequence[str], states: Sequence[int] | None = None) -> int:
        """How many tokens of these kinds could come next; nothing is built."""
        stack = list(self.states if states is None else states)
        actions, end = self.table.actions, self.table.end
        for count, kind in enumerate(kinds):
            while True:
                action: Any = actions[stack[-1]].get(kind)
                if type(action) is int:
                    stack.append(action)
                    break
                if action is None:
                    return count
                if action.size:
                    del stack[-action.size :]
                stack.append(actions[stack[-1]][action.name])  # type: ignore[arg-type]
                if kind == END and stack[-1] == end:
                    return count + 1
        return len(kinds)

    def accepted(self) -> list[str]:
        """The kinds of tokens that may come next, in the order of their names."""
        row = self.table.actions[self.states[-1]]
        return sorted(kind for kind in row if kind.isupper() and self.reach([kind]))

    def cut(self, depth: int) -> None:
        """Drop everything above the lowest `depth` states."""
        del self.states[depth:]
        del self.values[depth - 1 :]
