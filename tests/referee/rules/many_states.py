"""Inverse dynamics of many states at once, so that a thousand million cycles can be judged.

`many_states.c`, where it is compiled; else Pinocchio, state by state. Arrays are (n, m): joint
by joint, so that what is done with all states is done in one go.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .arm import Arm, Array, Body, carrying, moved
from .model import Mechanics

LANES = 8
Payload = tuple[float, tuple[float, ...], Array]


def _numbers(body: Body) -> Array:
    """Mass, first moments, and inertia about the origin: xx, yy, zz, xy, xz, yz, (10,)."""
    c = body.center
    about = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([
        body.mass, *(body.mass * c), about[0, 0], about[1, 1], about[2, 2],
        about[0, 1], about[0, 2], about[1, 2],
    ])  # fmt: skip


class ManyStates:
    """An arm that carries one of several payloads (None: none) in each state.

    `compiled` is the C function, or None.
    """

    def __init__(self, arm: Arm, payloads: list[Payload | None], compiled: Any = None) -> None:
        self.arm, self.compiled = arm, compiled
        self.loaded = [arm if p is None else carrying(arm, *p) for p in payloads]
        before = [arm.base, *arm.fixed[:-1]]
        table = [
            [*before[i][:3, :3].ravel(), *before[i][:3, 3], float(slides),
             *_numbers(moved(arm.links[i], arm.fixed[i]))]
            for i, slides in enumerate(arm.slides)
        ]  # fmt: skip
        self._fixed = np.array(table)
        self._last = np.array([_numbers(moved(a.links[-1], a.fixed[-1])) for a in self.loaded])
        self._tip = np.ascontiguousarray((arm.fixed[-1] @ arm.tool)[:3, 3])
        self._gravity = np.ascontiguousarray(arm.gravity)

    def torques(self, q: Array, qd: Array, qdd: Array, wrench: Array, which: Array) -> Array:
        """Joint torques (n, m) of the links, with the wrenches (6, m) and payloads `which` (m,)."""
        if self.compiled is None:
            return self.by_pinocchio(q, qd, qdd, wrench, which)
        n, m = q.shape
        if not m:
            return np.empty((n, 0))
        if more := -m % LANES:  # the last state once more, until the lanes are full
            rows = np.append(np.arange(m), np.full(more, m - 1))
            q, qd, qdd, wrench, which = (a[..., rows] for a in (q, qd, qdd, wrench, which))
        last = np.ascontiguousarray(self._last[which].T)
        inputs = [np.ascontiguousarray(a) for a in (wrench, q, np.cos(q), np.sin(q), qd, qdd)]
        found = np.empty((n, m + more))
        arrays = (self._fixed, self._tip, self._gravity, last, *inputs, found)
        self.compiled(
            ctypes.c_int64(n),
            ctypes.c_int64(m + more),
            *(ctypes.c_void_p(a.ctypes.data) for a in arrays),
        )
        return found[:, :m]

    def by_pinocchio(self, q: Array, qd: Array, qdd: Array, wrench: Array, which: Array) -> Array:
        """The same, state by state."""
        arms = [Mechanics(arm, np.zeros(6)) for arm in self.loaded]
        found = np.empty_like(q)
        for k in range(q.shape[1]):
            arm = arms[which[k]]
            arm.wrench = wrench[:, k]
            found[:, k] = arm.torques(*(np.ascontiguousarray(a[:, k]) for a in (q, qd, qdd)))
        return found
