"""Limits of a run of a program, so that every program ends soon: steps, time, memory."""

from __future__ import annotations

import time

from ..messages import Place
from ..types import Array
from ..values import Trouble
from ..words import MAX_DEPTH, MAX_ELEMENTS, MAX_WAIT

CHECK_EVERY = 16
"""Steps between two looks at the clock: one step may be a sum as long as the program's text."""


class Budget:
    """What a run may still use: steps (statements, mostly), computing time, moves, waits, memory.

    `at` is the place of the statement that is running.
    """

    def __init__(self, at: Place, steps: int, seconds: float, moves: int):
        self.at = at
        self.steps = self.all_steps = self.next_check = steps
        self.moves = self.all_moves = moves
        self.seconds = seconds
        self.until = 0.0
        self.waited = 0.0
        self.elements = 0
        self.depth = 0

    def start(self) -> None:
        """Start the clock."""
        self.until = time.monotonic() + self.seconds

    def spend(self, at: Place, cost: int = 1) -> None:
        """Use up steps for what stands here."""
        self.at = at
        self.steps -= cost
        if self.steps > self.next_check:
            return
        self.next_check = max(self.steps - CHECK_EVERY, -1)
        if self.steps < 0:
            hint = "does a loop never end? `wait for` waits for a signal without a loop"
            sentence = f"the program took more than {self.all_steps} steps; {hint}"
            raise Trouble(sentence).located(at)
        if time.monotonic() > self.until:
            raise Trouble(f"the program computed for more than {self.seconds:g} s").located(at)

    def exclude(self, since: float) -> None:
        """Do not count the time since `since` (s, monotonic): the consumer used it."""
        self.until += time.monotonic() - since

    def move(self) -> None:
        """Use up one step for the planner."""
        self.moves -= 1
        if self.moves < 0:
            raise Trouble(f"the program asks for more than {self.all_moves} moves")

    def wait(self, seconds: float, at: Place) -> None:
        """Use up waiting time (s)."""
        self.waited += seconds
        if self.waited > MAX_WAIT:
            raise Trouble(f"the program waits for more than {MAX_WAIT:g} s in all").located(at)

    def keep(self, array: Array, at: Place) -> None:
        """Use up memory for an array."""
        self.elements += array.size
        if self.elements > MAX_ELEMENTS:
            sentence = f"the arrays of the program have more than {MAX_ELEMENTS} elements"
            raise Trouble(sentence).located(at)
        self.copied(array, at)

    def copied(self, array: Array, at: Place) -> None:
        """Use up steps for copying an array."""
        self.spend(at, array.size // 16)

    def enter(self, at: Place) -> None:
        """Enter a routine, inside those that run already."""
        self.spend(at)
        if self.depth >= MAX_DEPTH:
            raise Trouble(f"routines call each other more than {MAX_DEPTH} deep").located(at)
        self.depth += 1
