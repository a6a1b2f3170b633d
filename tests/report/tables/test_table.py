"""Tables on the terminal: short ones with lines, long ones in plain columns."""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.console import Console

from erfd.report.tables.table import MANY, print_table

COLUMNS = ("line", "target", "s")


def printed(rows: list[tuple[str, ...]]) -> list[str]:
    text = io.StringIO()
    print_table(Console(file=text, width=60), "Moves", COLUMNS, rows, left=(1,))
    return text.getvalue().splitlines()


def test_a_long_table_has_all_cells_in_even_columns() -> None:
    rows = [(str(k), f"p{k}[bold] ° 好" + "x" * (k % 90), f"{k / 7:.2f}") for k in range(MANY + 1)]
    title, head, *lines = printed(rows)
    assert title == "Moves"
    assert head.split() == list(COLUMNS)
    assert len(lines) == len(rows)  # no line is folded
    assert len({cell_len(line) for line in lines}) == 1
    for row, line in zip(rows, lines, strict=True):
        first, second = line.split(maxsplit=1)
        assert first == row[0]
        assert second.startswith(row[1])
        assert second.endswith(row[2])


def test_a_short_table_has_lines() -> None:
    assert any("│" in line for line in printed([("1", "p1", "0.1")]))
