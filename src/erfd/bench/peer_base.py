"""The base class of peers, other packages that compute the same quantities."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from ..ground.arrays import Array
from ..robot.model import Robot
from .measure import TimedCase
from .states import States


class Peer:
    """Another package; `calls` names its function per state, `batches` the one for many."""

    name: ClassVar[str]
    package: ClassVar[str]
    calls: ClassVar[dict[str, str]]
    batches: ClassVar[dict[str, str]] = {}
    parallel: ClassVar[bool] = True

    def __init__(self, robot: Robot):
        self.robot = robot

    @classmethod
    def missing(cls) -> str:
        """The reason why there is nothing to measure; empty if the package is installed."""
        return "" if find_spec(cls.package) else f"{cls.package} is not installed"

    @classmethod
    def load(cls) -> Any:
        """Import the package, its warnings left out."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(cls.package)

    def cases(
        self, quantity: str, states: States, sizes: Sequence[int], threads: Sequence[int]
    ) -> list[TimedCase]:
        """All cases in which the peer computes the quantity."""
        cases = [self.call(quantity, states)]
        if quantity in self.batches:
            chosen = threads if self.parallel else threads[:1]
            cases += [self.batch(quantity, states, n, t) for n in sizes for t in chosen]
        return cases

    def call(self, quantity: str, states: States) -> TimedCase:
        """The case of one state per call from Python."""
        raise NotImplementedError

    def batch(self, quantity: str, states: States, count: int, threads: int) -> TimedCase:
        """The case of many states per call."""
        raise NotImplementedError

    def function_case(
        self,
        quantity: str,
        states: States,
        function: Callable[..., Any],
        finish: Callable[[Any], Any] = np.array,
        **first: Any,
    ) -> TimedCase:
        """A case that calls f(*first, *state); `finish` makes its value an array for the check."""
        given = states.single(quantity)

        def compute(k: int) -> Any:
            return finish(function(*first.values(), *states.single(quantity, k).values()))

        statement = f"f({', '.join([*first, *given])})"
        return self.call_case(
            quantity, states, statement, {"f": function, **first, **given}, compute
        )

    def call_case(
        self,
        quantity: str,
        states: States,
        statement: str,
        names: dict[str, Any],
        compute: Callable[[int], Any],
    ) -> TimedCase:
        """A case that computes one state; `compute(k)` is state k for the check."""

        def results() -> Array:
            some = range(min(20, len(states.q)))
            return np.array([np.array(compute(k)) for k in some])  # copies: some reuse their memory

        how = self.calls[quantity]
        return TimedCase(self.name, how, quantity, 1, 1, statement, names, results)
