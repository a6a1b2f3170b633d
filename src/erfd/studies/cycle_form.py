"""What a variant needs of one cycle: the equations at the motors, once for NumPy and for CasADi.

As long as no motor is short, the motion is the same for all variants, and the loads on the rotors
are linear in what varies (payload, wrench, masses of links):

    x = x_0 + C z.

So a cycle of a variant is this sum, friction, rotor inertia and the limits. It is what the
programmed motion needs: beyond a limit too, where the arm would fall behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LANES = ("load_friction", "coulomb", "viscous", "inertia", "limit")
"""Vectors of length n that may differ from variant to variant."""
CONSTANTS = ("ratio", "drop", "emf", "loss", "kept", "gained")
"""Vectors of length n of the drives, for continuous loads: gear ratio, R / Kt, Kt, R / Kt^2, and
the parts of heat that a cycle keeps and adds."""
SLACK = 1e-12
"""A torque may exceed its limit by this part of it: as `achieve.symbols.SLACK`."""


@dataclass(frozen=True, slots=True)
class CycleForm:
    """The form of the equations: joints, unknowns z, and which terms there are.

    `curve`: limits change with the speed of the rotors; `loads`: gears, voltage and supply are
    looked at; `heat`: the motors' warming is.
    """

    n: int
    unknowns: int
    dry: bool
    viscous: bool
    curve: bool
    loads: bool
    heat: bool

    @property
    def row(self) -> dict[str, slice]:
        """The places in a row of the table that all variants share."""
        n = self.n
        names = {"y": n, "after": n, "way": n, "rest": n, "load": n, "gain": n * self.unknowns}
        names |= {"limit": n, "per_limit": n} if self.curve else {}
        names |= {"rate": n, "turn": n} if self.loads else {}
        return _places(names | {"cycle": 1})

    @property
    def tally(self) -> dict[str, slice]:
        """The places in what is kept of a variant."""
        n = self.n
        names = {"use": n, "square": n}
        names |= (
            {"gear": n, "cube": n, "volts": n, "power": 1, "mean_power": 1} if self.loads else {}
        )
        names |= {"heat": n, "heat_peak": n} if self.heat else {}
        return _places(names | {"first": 1})

    @property
    def row_size(self) -> int:
        """Numbers in a row of the table."""
        return int(max(part.stop for part in self.row.values()))

    @property
    def tally_size(self) -> int:
        """Numbers that are kept of a variant."""
        return int(max(part.stop for part in self.tally.values()))


def _places(sizes: dict[str, int]) -> dict[str, slice]:
    places, start = {}, 0
    for name, size in sizes.items():
        places[name] = slice(start, start + size)
        start += size
    return places


def cycle(
    form: CycleForm, ops: Any, row: Any, z: Any, lanes: Any, constants: Any, kept: Any
) -> Any:
    """What is kept of a variant after one more cycle, a list of `tally_size` scalars.

    Args:
        form: The form of the equations.
        ops: `fabs`, `fmin`, `fmax`, `if_else` of the scalars.
        row: The shared row, `row_size` scalars.
        z: What varies linearly, `unknowns` scalars.
        lanes: `LANES`, n scalars each.
        constants: `CONSTANTS`, n scalars each.
        kept: What was kept before.
    """
    n, count = form.n, form.unknowns
    r = {name: row[part] for name, part in form.row.items()}
    t = {name: list(kept[part]) for name, part in form.tally.items()}
    p = {name: lanes[k * n : (k + 1) * n] for k, name in enumerate(LANES)}
    c = {name: constants[k * n : (k + 1) * n] for k, name in enumerate(CONSTANTS)}
    need: Any = None
    powers: list[Any] = [0.0, 0.0]
    for i in range(n):
        load = r["load"][i]
        for k in range(count):
            load = load + r["gain"][i * count + k] * z[k]
        needed = load + r["y"][i] * p["inertia"][i]
        if form.viscous:
            needed = needed + r["after"][i] * p["viscous"][i]
        most = r["limit"][i] * p["limit"][i] if form.curve else p["limit"][i]
        if form.dry:
            dry = p["load_friction"][i] * ops.fabs(load) + p["coulomb"][i]
            needed = needed + r["way"][i] * dry
            size = ops.fabs(needed)
            least = size - r["rest"][i] * dry  # friction holds a rotor that rests
        else:
            size = least = ops.fabs(needed)
        torque = ops.fmin(size, most)
        used = ops.fmax(torque, least)
        used = used * r["per_limit"][i] if form.curve else used
        excess = least - most * (1 + SLACK)
        need = excess if need is None else ops.fmax(need, excess)
        t["use"][i] = ops.fmax(t["use"][i], used)
        t["square"][i] = t["square"][i] + torque * torque
        if form.heat:
            t["heat"][i] = t["heat"][i] * c["kept"][i] + torque * torque * c["gained"][i]
            t["heat_peak"][i] = ops.fmax(t["heat_peak"][i], t["heat"][i])
        if form.loads:
            gear = ops.fabs(load * c["ratio"][i])
            t["gear"][i] = ops.fmax(t["gear"][i], gear)
            t["cube"][i] = t["cube"][i] + r["turn"][i] * gear * gear * gear
            given = ops.fmax(-most, ops.fmin(most, needed))
            for k, speed in enumerate((r["rate"][i], r["after"][i])):
                volts = ops.fabs(c["drop"][i] * given + c["emf"][i] * speed)
                t["volts"][i] = ops.fmax(t["volts"][i], volts)
                powers[k] = powers[k] + given * (c["loss"][i] * given + speed)
    if form.loads:
        t["power"][0] = ops.fmax(t["power"][0], ops.fmax(powers[0], powers[1]))
        t["mean_power"][0] = t["mean_power"][0] + _mean_above_zero(ops, *powers)
    short = ops.logic_and(need > 0, t["first"][0] < 0)
    t["first"][0] = ops.if_else(short, r["cycle"][0], t["first"][0])
    return [value for values in t.values() for value in values]


def _mean_above_zero(ops: Any, first: Any, last: Any) -> Any:
    """The mean of max(p, 0) for p that goes linearly from `first` to `last`."""
    high, low = ops.fmax(first, last), ops.fmin(first, last)
    top = ops.fmax(high, 0.0)
    crossing = top * top / (2 * ops.if_else(high > low, high - low, 1.0))
    return ops.if_else(low >= 0, (high + low) / 2, ops.if_else(high > 0, crossing, 0.0))
