"""The bars: the speed that ERFD promises for Lola 15, and whether a run met it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import erfd_cases
from .peers import Pinocchio

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures that bars are about; None is what this run could not measure."""

    lanes: int
    cores: int
    forward: float | None = None
    """Batch forward dynamics on one core: times faster than Pinocchio's abaInParallel."""
    inverse: float | None = None
    """The same of inverse dynamics and rneaInParallel."""
    scalar: float | None = None
    """Forward dynamics state by state in a compiled loop: times faster than abaInParallel."""
    single: float | None = None
    """One forward dynamics from Python: its time as a part of that of one pin.aba."""
    spread: float | None = None
    """Batch forward dynamics: all cores, times faster than one."""
    cold: float | None = None
    """Compilation of forward dynamics in s."""
    cached: float | None = None
    """The same from the cache in s."""
    extra: float | None = None
    """Bytes that a large batch needs beside its inputs and outputs."""


def figures(data: dict[str, Any]) -> Figures:
    """The figures of a run."""
    rows, machine = data["rows"], data["machine"]
    largest, cores = data["states"], machine["cores"]
    fd, inverse, name = "forward_dynamics", "inverse_dynamics", Pinocchio.name

    def time(who: str, how: str, quantity: str, states: int, threads: int = 1) -> float | None:
        wanted = {"who": who, "how": how, "quantity": quantity, "states": states}
        wanted |= {"threads": threads, "status": "ok"}
        for row in rows:
            if all(row[key] == value for key, value in wanted.items()):
                return float(row["ns"])
        return None

    def batch(quantity: str) -> float | None:
        return time(name, Pinocchio.batches[quantity], quantity, largest)

    def own(how: str, quantity: str, states: int = largest, threads: int = 1) -> float | None:
        return time(erfd_cases.NAME, how, quantity, states, threads)

    own_batch = own(erfd_cases.BATCH, fd)
    scalar = own(erfd_cases.SCALAR, fd, min(erfd_cases.SCALAR_STATES, largest))
    all_cores = own(erfd_cases.BATCH, fd, threads=cores) if cores > 1 else None
    return Figures(
        lanes=machine["lanes"],
        cores=cores,
        forward=_ratio(batch(fd), own_batch),
        inverse=_ratio(batch(inverse), own(erfd_cases.BATCH, inverse)),
        scalar=_ratio(batch(fd), scalar),
        single=_ratio(own(erfd_cases.SINGLE, fd, 1), time(name, Pinocchio.calls[fd], fd, 1)),
        spread=_ratio(own_batch, all_cores),
        cold=data["startup"]["cold"].get("kernel"),
        cached=data["startup"]["cached"].get("kernel"),
        extra=data["memory"].get("extra"),
    )


def _ratio(a: float | None, b: float | None) -> float | None:
    """The ratio a / b, None if one is missing."""
    return a / b if a is not None and b else None


def bars(measured: Figures) -> list[dict[str, Any]]:
    """Every bar with its limit, the figure, and `met`: true, false, or null (not measured)."""
    wide = measured.lanes >= 8
    width = "AVX-512" if wide else "AVX2"
    lines = (
        (f"forward dynamics, batch, one core ({width})", "at least", 60 if wide else 30, "x",
         measured.forward),
        (f"inverse dynamics, batch, one core ({width})", "at least", 50 if wide else 25, "x",
         measured.inverse),
        ("forward dynamics, scalar, in a compiled loop", "at least", 12, "x", measured.scalar),
        ("one forward dynamics from Python / one pin.aba", "at most", 0.5, "x", measured.single),
        (f"all {measured.cores} cores / one core, batch", "at least", 1.8, "x", measured.spread),
        ("cold compilation of forward dynamics", "at most", 1.0, "s", measured.cold),
        ("cached load of forward dynamics", "at most", 0.030, "s", measured.cached),
        ("memory beside inputs and outputs", "at most", 64.0, "MiB",
         None if measured.extra is None else measured.extra / MIB),
    )  # fmt: skip
    return [
        {
            "bar": name,
            "sense": sense,
            "limit": float(limit),
            "unit": unit,
            "found": value,
            "met": met(sense, float(limit), value),
        }
        for name, sense, limit, unit, value in lines
    ]


def met(sense: str, limit: float, value: float | None) -> bool | None:
    """Whether a figure is on the right side of its limit; None without a figure or a sense."""
    if value is None or not sense:
        return None
    return value >= limit if sense == "at least" else value <= limit
