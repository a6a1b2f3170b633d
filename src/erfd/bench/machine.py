"""The machine, versions and date of a benchmark."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .. import __version__
from ..kernels.compiler import host

PACKAGES = ("numpy", "llvmlite", "casadi", "pin", "mujoco", "roboticstoolbox-python")


def describe() -> dict[str, Any]:
    """Describe machine, versions (null: not installed), load and date of this run."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": processor(),
            "llvm_cpu": host().cpu,
            "cores": cores(),
            "lanes": host().width,
            "fused": host().fused,
            "system": f"{platform.system()} {platform.machine()}",
            "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        },
        "versions": {
            "erfd": __version__,
            "python": platform.python_version(),
            "llvm": host().version,
            **{name: _version(name) for name in PACKAGES},
        },
    }


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The processor's name as its maker prints it, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    """The version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
