"""What /proc tells of a process."""

import os
from pathlib import Path


def resident(process: int) -> float:
    """Memory of a process in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def children(process: int) -> list[int]:
    return [int(k) for k in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
