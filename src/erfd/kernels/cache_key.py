"""What machine code depends on: the robot's numbers and the sources that it was made from."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..robot.model import Robot


def content_of(robot: Robot) -> tuple[Any, ...]:
    """All that a robot's equations depend on, and its name: part of a cache key."""
    joints = [(j.kind, j.placement, j.damping) for j in robot.joints]
    links = [(k.mass, k.center, k.inertia) for k in robot.links]
    placed = (robot.gravity, robot.mount, robot.base, robot.tool, robot.name)
    return joints, links, placed


def code_version() -> str:
    """A digest of the sources of the equations and of their translation."""
    return sources_version("dynamics", "kernels")


@lru_cache(maxsize=8)
def sources_version(*packages: str) -> str:
    """A digest of erfd's version and all sources of these packages."""
    return sources_digest(Path(__file__).parent.parent, packages)


def sources_digest(root: Path, packages: tuple[str, ...]) -> str:
    """A digest of erfd's version and all sources of packages in `root`, however deep they lie."""
    digest = hashlib.sha256(__version__.encode())
    missing = [package for package in packages if not (root / package).is_dir()]
    if missing:  # it would stay the same whatever changes
        raise FileNotFoundError(f"no package {', '.join(missing)} in {root}")
    for path in sorted(p for package in packages for p in (root / package).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
