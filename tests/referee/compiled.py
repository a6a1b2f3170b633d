"""The referee's C text as a function of this process, if the machine has a compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SOURCE = Path(__file__).parent / "rules" / "many_states.c"


@cache
def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    return shutil.which("cc") or shutil.which("gcc")


@cache
def many_inverse_dynamics() -> Any:
    """The function of `many_states.c`, which stays loaded when its file is gone; None without."""
    found = compiler()
    if found is None:
        return None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many_states.so"
        flags = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-w")
        subprocess.run([found, *flags, str(SOURCE), "-o", str(path)], check=True)
        return ctypes.CDLL(str(path)).inverse_dynamics
