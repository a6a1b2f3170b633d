"""Pages whose code is run when the site is built: MyST notebooks."""

import re
from pathlib import Path

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```", re.S | re.M)


def cells(page: Path) -> list[str]:
    """The code of a page, cell by cell."""
    return CELL.findall(page.read_text(encoding="utf-8"))
