"""`erfd --version --verbose`: what a report of a bug needs, as text to be pasted."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from .. import __version__

OF_DEVELOPERS = {"dev", "docs", "test", "peers", "all"}
"""Extras that no user needs."""


def version_lines() -> Iterator[str]:
    """The versions, the machine, what is installed of the extras, the settings."""
    from ..bench.machine import cores, processor
    from ..kernels import cache
    from ..kernels.compiler import host

    target = host()
    yield f"erfd {__version__} in {Path(__file__).resolve().parents[1]}"
    yield f"Python {platform.python_version()} in {sys.executable}"
    yield f"system: {platform.platform()}"
    yield f"processor: {processor()}, {cores()} cores; LLVM says {target.cpu}, {target.width} lanes"
    for extra, packages in sorted(packages_by_extra().items()):
        told = ", ".join(f"{name} {installed(name) or '(not installed)'}" for name in packages)
        yield f"{extra or 'needed'}: {told}"
    info = cache.info()
    yield f"kernels: {info['kernels']} in {info['folder']}, {info['bytes'] / 1e6:.1f} MB"
    settings = {name: text for name, text in sorted(os.environ.items()) if name.startswith("ERFD_")}
    yield f"settings: {', '.join(f'{k}={v}' for k, v in settings.items()) or 'none'}"


def packages_by_extra() -> dict[str, list[str]]:
    """The packages that erfd asks for, by the extra that does; "" for those it always needs."""
    found: dict[str, list[str]] = {}
    try:
        lines = requires("erfd") or []
    except PackageNotFoundError:  # a source tree that nobody installed
        lines = []
    for line in lines:
        name, marker = re.split(r"[^\w.-]", line, maxsplit=1)[0], line.partition(";")[2]
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
        key = extra[1] if extra else ""
        if key not in OF_DEVELOPERS and name != "erfd":
            found.setdefault(key, []).append(name)
    return found


def installed(package: str) -> str | None:
    """The version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
