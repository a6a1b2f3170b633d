"""Algorithm 1 beside Pinocchio: `python benchmarks/achieve.py [--json]`."""

import json
import sys

from rich.console import Console

import erfd
from erfd.bench.achieve import measure, report
from erfd.bench.machine import describe
from erfd.report.tables.table import print_table


def main() -> None:
    data = measure(erfd.load("lola15"))
    rows = report(data)
    if "--json" in sys.argv:
        print(json.dumps({**describe(), **data, "bars": rows}, indent=1))
        return
    unit = data["ns"].get("unit")
    if unit is None:
        print("Pinocchio is not installed: no ratios (pip install 'erfd[peers]')")
    else:
        call = data["ns"]["call"]
        print(f"unit: pin.abaInParallel, one thread, {unit:.0f} ns; pin.aba {call:.0f} ns")
    table = [
        (
            row["bar"],
            f"{row['ns']:.1f}",
            "-" if row["found"] is None else f"{row['found']:.2f} x",
            f"{row['sense']} {row['limit']:g}" if row["sense"] else "",
            {True: "yes", False: "NO", None: ""}[row["met"]],
        )
        for row in rows
    ]
    columns = ("Lola 15, one core", "ns", "ratio", "bar", "met")
    print_table(Console(), "Algorithm 1", columns, table, left=(0, 3, 4))


if __name__ == "__main__":
    main()
