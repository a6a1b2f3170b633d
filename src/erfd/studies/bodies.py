"""Bodies whose mass or mass centre varies, as ten numbers each, and the loads of such numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..dynamics import fast
from ..dynamics.chain import Chain, Wrench, chain_of, motions
from ..dynamics.regroup import Moments, true_moments
from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.payload import SECOND_MOMENTS, Payload, payload_numbers

NOTHING = Moments(0.0, (0.0, 0.0, 0.0), [[0.0] * 3 for _ in range(3)])


@dataclass(frozen=True, slots=True)
class VariedBody:
    """The payload (`link` 0) or a link (from 1) of which some of the names in `parts` vary.

    `base` is what it is where nothing is drawn, in its frame (of the tool, or of the link). If
    only the mass varies there is one unknown, the mass; else there are all ten numbers.
    """

    link: int
    base: Payload
    parts: tuple[str, ...]

    @property
    def unknowns(self) -> int:
        """How many numbers of it vary."""
        return 1 if self.parts == ("mass",) else 10

    @property
    def units(self) -> Array:
        """The ten numbers (unknowns, 10) that belong to 1 of each unknown."""
        return self.numbers({"mass": np.ones(1)}) if self.unknowns == 1 else np.eye(10)

    def values(self, columns: Mapping[str, Array]) -> Array:
        """The unknowns (V, unknowns) of variants, from the columns (V,) of its parts."""
        return columns["mass"][:, None] if self.unknowns == 1 else self.numbers(columns)

    def numbers(self, columns: Mapping[str, Array]) -> Array:
        """The ten numbers (V, 10); inertia goes with the mass unless it is itself drawn."""
        count = len(next(iter(columns.values())))
        mass = columns.get("mass", np.full(count, self.base.mass))
        center = np.tile(np.array(self.base.center), (count, 1))
        for k, axis in enumerate("xyz"):
            if axis in columns:
                center[:, k] = columns[axis]
        if "inertia" in columns:
            tensor = columns["inertia"][:, None, None] * np.eye(3)
        else:
            share = mass / self.base.mass if self.base.mass else np.ones(count)
            tensor = share[:, None, None] * np.array(self.base.inertia)
        trace = np.trace(tensor, axis1=1, axis2=2)
        second = trace[:, None, None] / 2 * np.eye(3) - tensor
        second = second + mass[:, None, None] * center[:, :, None] * center[:, None, :]
        entries = [second[:, i, j] for i, j in SECOND_MOMENTS]
        return np.column_stack([mass, mass[:, None] * center, *entries])

    def body(self, columns: Mapping[str, float]) -> Payload:
        """The body of one variant."""
        mass = columns.get("mass", self.base.mass)
        x, y, z = (columns.get(axis, c) for axis, c in zip("xyz", self.base.center, strict=True))
        share = mass / self.base.mass if self.base.mass else 1.0
        tensor = share * np.array(self.base.inertia)
        if "inertia" in columns:
            tensor = columns["inertia"] * np.eye(3)
        a, b, c = (tuple(float(v) for v in row) for row in tensor)
        return Payload(float(mass), (float(x), float(y), float(z)), (a, b, c))  # type: ignore[arg-type]


class JointLoads:
    """The joint torques of bodies and wrenches along a motion; linear in both.

    `q`, `qd`, `qdd` are (cycles, n).
    """

    def __init__(self, robot: Robot, q: Array, qd: Array, qdd: Array):
        self.robot, self.chain, self.count = robot, chain_of(robot), len(q)
        self.pose = motions(self.chain, list(q.T), np.cos, np.sin)
        self.qd, self.qdd = list(qd.T), list(qdd.T)

    def of_links(self, without: frozenset[int]) -> Array:
        """The torques (cycles, n) of all links but some (from 1)."""
        moments = true_moments(self.chain)
        kept = [NOTHING if i + 1 in without else m for i, m in enumerate(moments)]
        return self._torques(self.chain, kept, None)

    def of_numbers(self, link: int, ten: Array) -> Array:
        """The torques (cycles, n) of a body of ten numbers in the frame of a link, 0: the tool."""
        m, x, y, z, xx, xy, xz, yy, yz, zz = ten.tolist()
        seen = Moments(m, [x, y, z], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        place = self.robot.n - 1 if link == 0 else link - 1
        if link == 0:
            seen = seen.seen_from(self.robot.tool.rotation, self.robot.tool.xyz)
        body = self.chain.bodies[place]
        moments = [NOTHING] * self.robot.n
        moments[place] = seen.seen_from(body.rotation, body.position)
        return self._torques(self.chain, moments, None)

    def of_payload(self, payload: Payload) -> Array:
        """The torques (cycles, n) of a payload."""
        return self.of_numbers(0, np.array(payload_numbers(payload)))

    def of_wrench(self, wrench: Array) -> Array:
        """The torques (cycles, n) of a wrench (6,) in base coordinates."""
        chain = replace(self.chain, gravity=(0.0, 0.0, 0.0))
        nothing = [NOTHING] * self.robot.n
        return self._torques(chain, nothing, Wrench.from_base(self.robot, wrench.tolist()))

    def _torques(self, chain: Chain, moments: list[Moments], wrench: Wrench | None) -> Array:
        u = fast.inverse_dynamics(chain, self.pose, self.qd, self.qdd, wrench, moments)
        return np.column_stack([np.broadcast_to(np.asarray(x, float), self.count) for x in u])
