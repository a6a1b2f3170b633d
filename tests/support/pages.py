"""Pages of docs/ as tests read them: tables, prose, and the keys of a placement."""

import re

POSE = {"xyz", "rpy", "axis"}


def rows(text: str, title: str) -> list[list[str]]:
    """The cells of the first Markdown table below a heading, its header row first."""
    _, _, below = text.partition(f"\n## {title}\n")
    assert below, f"no section {title!r}"
    lines = re.split(r"\n## ", below)[0].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return [table[0], *table[2:]]


def prose(text: str) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
