"""Payloads as the ten numbers that a run and a stream have of them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..kernels.payload_parameters import payload_numbers
from ..robot.payload import Payload
from ..robot.pose import as_mat3


@lru_cache(maxsize=100)
def payload_row(payload: Payload | None) -> tuple[float, ...]:
    """m, m c, and the second moments about the origin of the tool frame; zeros for none."""
    return tuple(payload_numbers(payload))


def payload_of(row: Sequence[float]) -> Payload | None:
    """The payload of such ten numbers."""
    return _payload(tuple(row))


@lru_cache(maxsize=100)
def _payload(row: tuple[float, ...]) -> Payload | None:
    if not any(row):
        return None
    mass = row[0]
    center = np.array(row[1:4]) / mass if mass else np.zeros(3)
    xx, xy, xz, yy, yz, zz = row[4:]
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * np.outer(center, center)
    inertia = np.eye(3) * np.trace(second) - second
    # a point mass: what rounding leaves of its inertia may not be one
    if np.abs(inertia).max() <= 1e-12 * np.abs(row[4:]).max():
        inertia = np.zeros((3, 3))
    x, y, z = center.tolist()
    return Payload(mass, (x, y, z), as_mat3(inertia.tolist()))
