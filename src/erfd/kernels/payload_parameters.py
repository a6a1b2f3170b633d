"""`PayloadParameters`: a payload as inputs of a kernel, so that changing it recompiles nothing.

The base parameters of the links (`dynamics.regroup`) are linear in the ten numbers of a payload
(mass, first moments, second moments), and few of them change: of Lola 15, 19 of 60. They are worked
out once per payload and are inputs of the trace; all the others stay constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dynamics.chain import Chain, chain_of
from ..dynamics.regroup import Moments, regrouped_moments
from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.payload import NO_INERTIA, SECOND_MOMENTS, Payload, payload_numbers


@dataclass(frozen=True, slots=True)
class PayloadParameters:
    """The base parameters of an arm, and how those at `places` change with a payload.

    `unloaded` are the arm's ten numbers per link, (10 n,); `gain` (places, 10) times a payload's
    ten numbers is what it adds.
    """

    unloaded: tuple[float, ...]
    places: tuple[int, ...]
    gain: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, robot: Robot) -> PayloadParameters:
        """The payload parameters of a robot; worked out once."""
        return robot.once(cls, lambda: cls._of(robot))

    @classmethod
    def _of(cls, robot: Robot) -> PayloadParameters:
        chain = chain_of(robot)
        unloaded = np.array(_numbers(regrouped_moments(chain)))
        columns = [_effect(robot, chain, unit) for unit in _UNITS]
        effects = np.array(columns).T
        # what is no effect but rounding of the tool's rotation
        changed = np.flatnonzero(np.abs(effects).max(axis=1) > 1e-14 * np.abs(effects).max())
        gain = tuple(tuple(row) for row in effects[changed].tolist())
        return cls(tuple(unloaded.tolist()), tuple(int(k) for k in changed), gain)

    def moments(self, changed: Sequence[Any]) -> list[Moments]:
        """The base parameters with the payload's values, `changed`, put in at `places`."""
        values: list[Any] = list(self.unloaded)
        for place, value in zip(self.places, changed, strict=True):
            values[place] = value
        return [_moments(values[k : k + 10]) for k in range(0, len(values), 10)]

    def numbers(self, payloads: Sequence[Payload | None]) -> Array:
        """The inputs of the trace, (payloads, places), for these payloads."""
        return self.inputs(np.array([payload_numbers(p) for p in payloads]).reshape(-1, 10))

    def inputs(self, tens: Array) -> Array:
        """The inputs of the trace, (..., places), for payloads as ten numbers (..., 10)."""
        unloaded = np.array(self.unloaded)[list(self.places)]
        return np.asarray(unloaded + tens @ np.array(self.gain).reshape(-1, 10).T)


_UNITS = np.eye(10).tolist()


def _effect(robot: Robot, chain: Chain, ten: list[float]) -> list[float]:
    """The base parameters of an arm without mass that carries a payload of these ten numbers."""
    massless = [replace(b, mass=0.0, center=(0.0, 0.0, 0.0), inertia=NO_INERTIA)
               for b in chain.bodies]  # fmt: skip
    last = chain.bodies[-1]
    in_frame_n = _moments(ten).seen_from(robot.tool.rotation, robot.tool.xyz)
    in_joint = in_frame_n.seen_from(last.rotation, last.position)
    return _numbers(regrouped_moments(replace(chain, bodies=tuple(massless)), in_joint))


def _moments(ten: Sequence[Any]) -> Moments:
    m, x, y, z, xx, xy, xz, yy, yz, zz = ten
    return Moments(m, [x, y, z], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _numbers(moments: Sequence[Moments]) -> list[float]:
    rows = []
    for body in moments:
        rows += [body.mass, *body.first, *(body.second[i][j] for i, j in SECOND_MOMENTS)]
    return [float(x) for x in rows]
