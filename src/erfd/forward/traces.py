"""The forward simulation as CasADi functions: `plant`, `stick_slip`, `integrators` traced.

Every function reads and writes whole blocks of memory; `blocks` says how long they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..dynamics.vectors import Scalar
from ..kernels.trace import casadi, scalars
from .fixed_step import first_hits
from .integrators import (
    SCHEMES,
    Search,
    begin_search,
    constrained_end,
    margins,
    passed,
    search_on,
    settle,
)
from .plant import (
    PARAMETERS,
    ArmEquations,
    Instant,
    Plant,
    ScalarPlant,
    applied,
    arm_equations,
    rates,
    smooth_rates,
    torque,
)
from .scalars import CasadiScalars, indicator
from .stick_slip import Modes, mode_round, start_modes
from .stops import CALM, impact_round

SHARED = ("fixed", "flags", "fence")
"""Blocks with one number for all lanes: parameters; frozen, single, halve; bounds of joints."""


@contextmanager
def as_written() -> Iterator[None]:
    """Keep CasADi from rewriting products with a common reciprocal as divisions."""
    options = casadi().GlobalOptions
    before = options.getSimplificationOnTheFly()
    options.setSimplificationOnTheFly(False)
    try:
        yield
    finally:
        options.setSimplificationOnTheFly(before)


@dataclass(frozen=True, slots=True)
class Trace:
    """A CasADi function, and the names of the blocks that it reads."""

    function: Any
    reads: tuple[str, ...]


def blocks(plant: Plant, method: str, step: int) -> dict[str, int]:
    """The lengths of the blocks of memory; whole vectors have a multiple of `step` numbers."""
    n, size = plant.n, plant.size

    def whole(count: int) -> int:
        return -(-count // step) * step

    slope = size + 6 * n + 1 if plant.has_modes else size
    sizes = {"state": whole(size), "modes": 4 * n, "dt": 2, "given": _input_size(plant)}
    sizes |= {"input": _input_size(plant), "turned": 2 * whole(n), "at": whole(2 * n)}
    sizes |= {"equations": n * n + n + 1, "pace": 3, "when": 1, "trial": whole(size), "flag": 1}
    sizes |= {f"slope{k}": whole(slope) for k in range(len(SCHEMES[method].weights))}
    if plant.has_modes:
        sizes |= {
            "search": 6 + sum(plant.can_stick) + len(plant.stop_sides),
            "ends": size + 4 * n + 1,
        }
        sizes |= {"hit": n, "struck": 3 * n + 1}
    return sizes


def _input_size(plant: Plant) -> int:
    """Numbers of an input: values, both ends of a ramp, and a wrench."""
    return plant.n * (2 if plant.ramp else 1) + (6 if plant.wrench else 0)


def traces(plant: Plant, method: str, step: int) -> dict[str, Trace]:
    """Trace all functions of one plant and method, by name."""
    return _Tracer(plant, method, step).traces()


def elementwise(plant: Plant, method: str, step: int) -> dict[str, Trace]:
    """Trace functions that do the same with every number of a block, for every `step`-th of them.

    One lane can so take `step` numbers at once; its `pace` is then one for all of them.
    """
    ca, scheme = casadi(), SCHEMES[method]

    def mix(name: str, count: int, row: Sequence[float]) -> Trace:
        size, h = -(-count // step), ca.SX.sym("pace", 3)
        state = ca.SX.sym("state", size)
        slopes = [ca.SX.sym(f"k{k}", size) for k in range(len(row))]
        out = state + h[0] * sum(a * k for a, k in zip(row, slopes, strict=True) if a)
        reads = ("state", *(f"slope{k}" for k in range(len(row))), "pace")
        return Trace(ca.Function(name, [state, *slopes, h], [out]), reads)

    angles = ca.SX.sym("angles", -(-plant.n // step))
    functions = {"turning": Trace(
        ca.Function("turning", [angles], [ca.vertcat(ca.cos(angles), ca.sin(angles))]), ("at",)
    )}  # fmt: skip
    functions |= {
        f"mix{k}": mix(f"mix{k}", 2 * plant.n, row) for k, row in enumerate(scheme.rows, 1)
    }
    return functions | {"end": mix("end", plant.size, scheme.weights)}


_Functions = dict[str, tuple[tuple[str, ...], Sequence[Scalar]]]
"""Functions by name: the blocks that are read, and the numbers that are written."""


class _Tracer:
    """Symbols for every block, and the functions over them."""

    def __init__(self, plant: Plant, method: str, step: int):
        self.plant, self.method, n = plant, method, plant.n
        self.ops = CasadiScalars()
        sizes = blocks(plant, method, step)
        sizes |= {"fixed": len(PARAMETERS) * n, "flags": 3, "fence": 2 * n}
        self.symbols = {name: casadi().SX.sym(name, size) for name, size in sizes.items()}
        self.b = {name: scalars(symbol) for name, symbol in self.symbols.items()}
        p: dict[str, list[Scalar]] = {}
        for k, name in enumerate(PARAMETERS):
            values = self.b["fixed"][k * n : (k + 1) * n]
            used = plant.used[name]
            p[name] = [x if use else 0.0 for x, use in zip(values, used, strict=True)]
        self.arm = ScalarPlant(plant, self.ops, p)

    def function(self, name: str, reads: Sequence[str], out: Sequence[Scalar]) -> Trace:
        """A trace of these blocks."""
        ca = casadi()
        with as_written():
            result = ca.cse(ca.densify(ca.vertcat(*(ca.SX(x) for x in out))))
        return Trace(ca.Function(name, [self.symbols[r] for r in reads], [result]), tuple(reads))

    def traces(self) -> dict[str, Trace]:
        """Trace the functions that the loop calls."""
        plant, b, n = self.plant, self.b, self.plant.n
        functions: _Functions = {}
        dt, (h, past, left) = b["dt"][0], b["pace"]
        if plant.kind != "joint_torque":
            functions["clip"] = (
                ("given", "state", "fixed"),
                applied(self.arm, b["given"], b["state"]),
            )
        functions["start"] = ("dt",), [dt, 0.0, dt]
        state, trial = b["state"][: plant.size], b["trial"][: plant.size]
        if plant.ramp:
            for k, part in enumerate(SCHEMES[self.method].times):
                functions[f"when{k}"] = ("pace", "dt"), [(past + part * h) * b["dt"][1]]
        if plant.stops or self.method == "semi-implicit":
            modes = Modes.of(b["modes"])
            bent = constrained_end(self.arm, self.method, modes, state=state, end=trial, h=h)
            functions["bend"] = ("state", "trial", "pace", "modes", "fixed"), bent
        outside: Scalar = 0.0
        for i in range(n):
            low, high = b["fence"][i], b["fence"][n + i]
            inside = self.ops.both(low <= state[i], state[i] <= high)
            outside = self.ops.choose(inside, outside, 1.0)
        functions["outside"] = ("state", "fence"), [outside]
        functions |= self._with_modes(left) if plant.has_modes else self._smooth()
        return {name: self.function(name, reads, out) for name, (reads, out) in functions.items()}

    def _smooth(self) -> _Functions:
        """The derivative of a plant that cannot stick or meet a stop."""
        w = self.b["at"][self.plant.n : 2 * self.plant.n]
        tau = torque(self.arm, self.b["input"], self.b["when"][0], w)
        now = Instant(self._arm_equations(), tau, w)
        with as_written():
            slope = smooth_rates(self.arm, now)
        return {"stage": (("turned", "at", "input", "fixed", *self._ramp), slope)}

    def _with_modes(self, left: Scalar) -> _Functions:
        """Trace one round of the stick-slip modes and of the event search."""
        plant, b, n = self.plant, self.b, self.plant.n
        frozen, single, halve = b["flags"]
        modes, state = Modes.of(b["modes"]), b["state"][: plant.size]
        trial, w = b["trial"][: plant.size], b["at"][n : 2 * n]
        A, rest, power = self._arm_equations()
        flat = [*(x for row in A for x in row), *rest, power]
        functions: _Functions = {"arm": (("turned", "at", "input", "fixed"), flat)}
        values = b["equations"]
        rows = [[values[n * max(i, j) + min(i, j)] for j in range(n)] for i in range(n)]
        tau = torque(self.arm, b["input"], b["when"][0], w)
        now = Instant((rows, values[n * n : n * n + n], values[-1]), tau, w)
        with as_written():
            response, better, changed = mode_round(
                self.arm, now, modes, frozen=frozen, single=single
            )
        slope = rates(self.arm, now, response.y, response.rubbing)
        reads = ("equations", "at", "input", "fixed", "modes", "flags", *self._ramp)
        functions["round"] = (
            reads,
            [*slope, *response.stop, *response.spare, *better.values, changed],
        )
        fresh = start_modes(self.arm, state, modes)
        functions["begin"] = ("state", "fixed", "modes"), fresh.values
        before, after = (margins(self.arm, x, modes) for x in (state, trial))
        functions["watch"] = ("trial", "modes", "fixed"), [passed(self.ops, after)]
        functions["open"] = (
            ("state", "trial", "modes", "fixed", "pace"),
            begin_search(self.ops, before, after, left).values,
        )
        search = Search.of(b["search"])
        functions["seek"] = (
            ("trial", "modes", "fixed", "search", "flags"),
            search_on(self.ops, search, after, halve).values,
        )
        functions["looking"] = ("search",), [1.0 - search.done]
        functions["aim"] = ("pace", "search"), [search.h, *b["pace"][1:]]
        landed, settled, hit = settle(self.arm, search, trial, modes)
        functions["settle"] = (
            ("search", "trial", "modes", "fixed"),
            [*landed, *settled.values, hit],
        )
        functions |= self._pace(search)
        return functions | (self._impact(rows) if plant.stops else {})

    def _pace(self, search: Search) -> _Functions:
        """The time within the step: after a part of it, and whether there is more."""
        dt, (_, past, left) = self.b["dt"][0], self.b["pace"]
        now = self.ops.choose(search.h >= left, dt, past + search.h)
        rest = dt - now
        more = indicator(self.ops, left > 0)
        return {
            "follow": (("pace", "search", "dt"), [rest, now, rest]),
            "more": (("pace",), [more]),
        }

    def _impact(self, rows: Sequence[Sequence[Scalar]]) -> _Functions:
        """Impacts at stops: who hits, one round, and the state after it."""
        plant, b, n = self.plant, self.b, self.plant.n
        modes, state, struck = Modes.of(b["modes"]), b["state"][: plant.size], b["struck"]
        w, hit = state[n : 2 * n], b["hit"]
        after, lost, better, changed = impact_round(
            self.arm, rows, w, near=modes.near, hit=hit, single=b["flags"][1],
            calm=CALM * b["dt"][1],
        )  # fmt: skip
        arrived = b["ends"][-1] > 0
        rates_now = [self.ops.choose(arrived, a, x) for a, x in zip(struck, w, strict=False)]
        lost_sums = [
            x + self.ops.choose(arrived, lost, 0.0)
            for x, lost in zip(state[-n:], struck[n : 2 * n], strict=True)
        ]
        landed = [*state[:n], *rates_now, *state[2 * n : -n], *lost_sums]
        return {
            "hits": (("state", "modes"), first_hits(plant, self.ops, w, modes)),
            "strike": (
                ("equations", "state", "fixed", "modes", "hit", "flags", "dt"),
                [*after, *lost, *better, changed],
            ),
            "land": (("state", "struck", "ends"), landed),
        }

    @property
    def _ramp(self) -> tuple[str, ...]:
        """The block with the time in the step, which a linear input needs."""
        return ("when",) if self.plant.ramp else ()

    def _arm_equations(self) -> ArmEquations:
        """The arm's equations at the state `at`."""
        return arm_equations(self.arm, self.b["turned"], self.b["at"], self.b["input"][-6:])
