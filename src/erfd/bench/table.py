"""A benchmark as tables, for the terminal and for the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from ..report.tables.table import print_table

TITLES = {
    "forward_dynamics": "Forward dynamics",
    "inverse_dynamics": "Inverse dynamics",
    "mass_matrix": "Mass matrix H",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table; the columns in `left` hold words."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: tuple[int, ...] = (0,)


def figure(x: float | None) -> str:
    """A measured number in short; a dash for what was not measured."""
    if x is None:
        return "-"
    return f"{x:.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def count(n: int) -> str:
    """A number of states in short."""
    return f"{n:.0e}".replace("e+0", "e") if n >= 1000 else str(n)


def heading(data: dict[str, Any]) -> str:
    """Machine and versions in two sentences, without the date."""
    m = data["machine"]
    versions = ", ".join(f"{name} {v or 'missing'}" for name, v in data["versions"].items())
    lanes = f"{m['lanes']} lanes of doubles" + (", fused" if m["fused"] else "")
    return f"{m['cpu']} ({m['llvm_cpu']}, {lanes}), {m['cores']} cores, {m['system']}. {versions}."


def sheets(data: dict[str, Any]) -> list[Sheet]:
    """All tables of a run."""
    times = [_times(data, quantity) for quantity in TITLES]
    return [_bars(data), *times, _chains(data), _roofline(data), _startup(data)]


def _bars(data: dict[str, Any]) -> Sheet:
    """The table of the bars."""
    words = {True: "met", False: "NOT MET", None: "not measured"}
    rows = [
        (
            bar["bar"],
            f"{bar['sense']} {bar['limit']:g} {bar['unit']}",
            figure(bar["found"]),
            words[bar["met"]],
        )
        for bar in data["bars"]
    ]
    title = f"Bars of Lola 15, batches of {count(data['states'])}, beside this run's Pinocchio"
    if data["robot"] != "lola15":
        title += f" (this is {data['robot']})"
    if data["quick"]:
        title += " (a quick run: the figures mean nothing)"
    return Sheet(title, ("bar", "wanted", "found", ""), rows, (0, 1, 3))


def _times(data: dict[str, Any], quantity: str) -> Sheet:
    """The table of the times of a quantity."""
    rows = []
    for row in data["rows"]:
        if row["quantity"] != quantity:
            continue
        if row["status"] == "gap":
            rows.append((row["who"], row["how"], "-", "-", "-", "-", f"gap: {row['note']}"))
            continue
        note = "not finite" if row["difference"] is None else f"{row['difference']:.0e}"
        if row["status"] == "disagrees":
            note = f"DISAGREES: {note}"
        size, threads = count(row["states"]), str(row["threads"])
        cells = (figure(row["ns"]), figure(row["ratio"]), note)
        rows.append((row["who"], row["how"], size, threads, *cells))
    unit = data["units"][quantity]
    alone = "called from Python" if quantity == "mass_matrix" else "on one thread"
    title = f"{TITLES[quantity]} of {data['robot']}: best ns per state; ratio 1 is {unit} {alone}"
    columns = ("who", "how", "states", "threads", "ns", "ratio", "difference from ours")
    return Sheet(title, columns, rows, (0, 1, 6))


def _chains(data: dict[str, Any]) -> Sheet:
    """The table of costs against the number of joints."""
    rows = []
    for row in data["chains"]:
        cells = [str(row["n"])]
        for quantity in ("forward_dynamics", "inverse_dynamics"):
            cost = row[quantity]
            if "gap" in cost:
                cells += [cost["gap"], "-", "-", "-", "-"]
                continue
            operations = cost["multiplications"] + cost["additions"]
            times = [figure(cost["erfd_ns"]), figure(cost.get("pinocchio_ns"))]
            ratio = figure(cost.get("ratio")) if cost["agrees"] else "DISAGREES"
            cells += [str(operations), *times, ratio, figure(cost["compile_s"])]
        rows.append(tuple(cells))
    part = ("operations", "ns", "Pinocchio ns", "ratio", "compile s")
    columns = ("n", *(f"FD {x}" for x in part), *(f"ID {x}" for x in part))
    states = count(data["chains"][0]["states"]) if data["chains"] else "no"
    title = f"Cost against n: general arms, batches of {states} states on one core"
    return Sheet(title, columns, rows, ())


def _roofline(data: dict[str, Any]) -> Sheet:
    """The table of the roofline."""
    roof = data["roofline"]
    rows = [
        (
            TITLES[row["quantity"]],
            f"{row['multiplications']} + {row['additions']}",
            str(row["angles"]),
            str(row["flops"]),
            figure(row["arithmetic_ns"]),
            figure(row["memory_ns"]),
            figure(row["measured_ns"]),
            f"{row['part']:.0%}",
        )
        for row in roof["rows"]
    ]
    title = (
        f"Roofline: batch of {count(roof['states'])} on one core; measured peak"
        f" {roof['peak_flops'] / 1e9:.1f} Gflop/s, {roof['sincos_flops']} flops per sine and cosine"
    )
    columns = ("quantity", "mul + add", "angles", "flops", "flops / peak ns", "memory ns",
               "measured ns", "of the roof")  # fmt: skip
    return Sheet(title, columns, rows)


def _startup(data: dict[str, Any]) -> Sheet:
    """The table of what happens once."""
    start, memory = data["startup"], data["memory"]
    rows = []
    for name, part in (("cold", start["cold"]), ("cached", start["cached"])):
        if "gap" in part:
            rows.append((f"{name} compilation of forward dynamics", f"gap: {part['gap']}"))
        else:
            rows.append((f"{name} kernel of forward dynamics", _milliseconds(part["kernel"])))
    rows += [(name, _milliseconds(seconds)) for name, seconds in start["imports"].items()]
    if "gap" in memory:
        rows.append(("memory of a large batch", f"gap: {memory['gap']}"))
    else:
        used, needed = (memory[key] / 2**20 for key in ("growth", "needed"))
        states = count(memory["states"])
        text = f"{used:.0f} MiB for {needed:.0f} MiB of inputs and outputs"
        rows.append((f"memory of a batch of {states}", text))
    return Sheet("Once: fresh processes, imports apart", ("what", ""), rows)


def _milliseconds(seconds: float) -> str:
    """A time in ms."""
    return f"{figure(seconds * 1e3)} ms"


def print_bench(data: dict[str, Any], console: Console) -> None:
    """Print all tables on the terminal."""
    console.print(Text(heading(data)))
    for sheet in sheets(data):
        print_table(console, sheet.title, sheet.columns, sheet.rows, sheet.left)


def markdown(data: dict[str, Any]) -> str:
    """All tables as Markdown."""
    parts = [heading(data)]
    for sheet in sheets(data):
        marks = [":--" if i in sheet.left else "--:" for i in range(len(sheet.columns))]
        lines = [f"| {' | '.join(cells)} |" for cells in (sheet.columns, marks, *sheet.rows)]
        parts += [f"**{sheet.title}**", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"
