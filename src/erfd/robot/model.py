"""The immutable data of a robot: `Robot`, `Link`, `Joint`, `Drive` and `Visual`.

SI units and radians throughout. Frame i is fixed to link i; joint i moves link i about (or along)
z of frame i-1: standard Denavit-Hartenberg, followed by an optional constant transform.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from ..ground.drawn_by import painter
from .pose import IDENTITY, Mat3, Pose, Vec3, as_mat3, cos_sin
from .visual import Visual, require

T = TypeVar("T")
JointKind = Literal["revolute", "prismatic"]
Turning = Literal["even", "smooth"]
TURNINGS: tuple[Turning, ...] = ("even", "smooth")
"""How tools turn on paths: evenly within each move, or smoothly from one move to the next."""
CYCLE_TIMES = (1e-5, 0.1)
"""The shortest and the longest cycle of a controller, s."""
BASE = "base"
"""What does not move is called so where links are named."""
_MAKING = threading.RLock()

if hasattr(os, "register_at_fork"):  # a process forked while it is held would wait for ever
    os.register_at_fork(
        before=_MAKING.acquire, after_in_parent=_MAKING.release, after_in_child=_MAKING.release
    )


def _require_finite(item: object, names: Iterable[str], infinite: tuple[str, ...] = ()) -> None:
    for name in names:
        value = getattr(item, name)
        allowed = "a number" if name in infinite else "a finite number"
        good = not math.isnan(value) and (name in infinite or math.isfinite(value))
        require(good, name, allowed, value)


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body: mass in kg, mass centre in m and inertia in kg m2, both in link axes.

    `inertia` is the tensor about the mass centre. `visuals` are drawn; `collisions` are what
    collides, the visuals where there are none.
    """

    name: str
    mass: float
    center: Vec3 = (0.0, 0.0, 0.0)
    inertia: Mat3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Visual, ...] = ()

    def __post_init__(self) -> None:
        require(math.isfinite(self.mass) and self.mass >= 0, "mass", "a mass >= 0 kg", self.mass)
        finite = all(math.isfinite(x) for x in self.center)
        require(finite, "center", "three finite numbers", self.center)
        _check_inertia(self.inertia)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia  # rounding must not leave two halves
        object.__setattr__(self, "inertia", ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _check_inertia(tensor: Mat3) -> None:
    import numpy as np

    entries = np.array(tensor)
    require(bool(np.isfinite(entries).all()), "inertia", "finite numbers", tensor)
    size = float(abs(entries).max())
    for i, j in ((0, 1), (0, 2), (1, 2)):
        same = abs(tensor[i][j] - tensor[j][i]) <= 1e-12 * size
        pair = f"{tensor[i][j]} and {tensor[j][i]}"
        require(same, "inertia", "a symmetric tensor", f"{pair} mirrored at {'xyz'[i]}{'xyz'[j]}")
    moments = sorted(float(x) for x in np.linalg.eigvalsh(entries))
    listed = ", ".join(f"{x:.6g}" for x in moments)
    slack = 1e-9 * size + 1e-12  # print and unit conversion round
    require(moments[0] >= -slack, "inertia", "principal moments >= 0", listed)
    sound = moments[0] + moments[1] >= moments[2] - slack
    rule = "principal moments of which no one exceeds the sum of the others"
    require(sound, "inertia", rule, listed)


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint and its D-H transform Rz(theta) Tz(d) Tx(a) Rx(alpha) `after`.

    The joint coordinate q is added to `theta` (revolute) or `d` (prismatic). Lengths in m, angles
    in rad, `damping` in N m s/rad (N s/m), limits in rad, rad/s, rad/s2, rad/s3 (m, m/s, ...).
    """

    name: str
    kind: JointKind = "revolute"
    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    after: Pose = IDENTITY
    damping: float = 0.0
    position_min: float = -math.inf
    position_max: float = math.inf
    velocity_max: float = math.inf
    acceleration_max: float = math.inf
    jerk_max: float = math.inf

    def __post_init__(self) -> None:
        kinds = ("revolute", "prismatic")
        require(self.kind in kinds, "kind", "'revolute' or 'prismatic'", repr(self.kind))
        _require_finite(self, ("theta", "d", "a", "alpha", "damping"))
        require(self.damping >= 0, "damping", "a number >= 0", self.damping)
        limits = ("position_min", "position_max", "velocity_max", "acceleration_max", "jerk_max")
        _require_finite(self, limits, infinite=limits)
        ordered = self.position_min < self.position_max
        bounds = f"{self.position_min} and {self.position_max}"
        require(ordered, "position", "a lower limit below the upper one", bounds)
        require(self.velocity_max > 0, "velocity", "a limit > 0", self.velocity_max)
        require(self.acceleration_max > 0, "acceleration", "a limit > 0", self.acceleration_max)
        require(self.jerk_max > 0, "jerk", "a limit > 0", self.jerk_max)

    @property
    def revolute(self) -> bool:
        """Whether the joint turns (else it slides)."""
        return self.kind == "revolute"

    @property
    def placement(self) -> tuple[Mat3, Vec3]:
        """Frame i in frame i-1 at q = 0: rotation matrix and position in m."""
        (ct, st), (ca, sa) = cos_sin(self.theta), cos_sin(self.alpha)
        dh = as_mat3([[ct, -st * ca, st * sa], [st, ct * ca, -ct * sa], [0.0, sa, ca]])
        origin = (self.a * ct, self.a * st, self.d)
        if self.after.is_identity:
            return dh, origin
        r, p = self.after.rotation, self.after.xyz
        rows = [[sum(dh[i][k] * r[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        x, y, z = (origin[i] + sum(dh[i][k] * p[k] for k in range(3)) for i in range(3))
        return as_mat3(rows), (x, y, z)


@dataclass(frozen=True, slots=True)
class Drive:
    """Motor and gear of one joint; all quantities at the rotor but for `gear_torque_...`.

    Rotor angles are q_a = K q: `ratio` is the diagonal entry of K, `coupling` the rest of its row
    (geometric coupling; empty = none). `load_friction` mu_s is the part of the load lost in the
    gear, `coulomb` in N m, `viscous` in N m s/rad, `inertia` in kg m2, `torque_max` and
    `torque_rated` in N m, `speed_max` in rad/s, `resistance` R in ohm, `torque_constant` Kt in
    N m/A (V s/rad), `voltage_max` in V, `curve` points (speed rad/s, torque N m),
    `thermal_time_constant` in s. `gear_torque_average` and `gear_torque_peak` in N m (N) are what
    the gear bears at its output, in endless repetition and in any one moment of it.
    """

    ratio: float = 1.0
    coupling: tuple[float, ...] = ()
    load_friction: float = 0.0
    coulomb: float = 0.0
    viscous: float = 0.0
    inertia: float = 0.0
    torque_max: float = math.inf
    torque_rated: float = math.inf
    speed_max: float = math.inf
    resistance: float = math.nan
    torque_constant: float = math.nan
    voltage_max: float = math.inf
    curve: tuple[tuple[float, float], ...] = ()
    thermal_time_constant: float = math.nan
    gear_torque_average: float = math.inf
    gear_torque_peak: float = math.inf

    def __post_init__(self) -> None:
        _require_finite(self, ("ratio", "load_friction", "coulomb", "viscous", "inertia"))
        require(self.ratio != 0, "ratio", "a gear ratio other than 0", self.ratio)
        finite = all(math.isfinite(x) for x in self.coupling)
        require(finite, "coupling", "finite numbers", self.coupling)
        for name in ("load_friction", "coulomb", "viscous", "inertia"):
            value = getattr(self, name)
            require(value >= 0, name, "a number >= 0", value)
        require(self.load_friction < 1, "load_friction", "a number below 1", self.load_friction)
        limits = ("torque_max", "torque_rated", "speed_max", "voltage_max")
        for name in (*limits, "gear_torque_average", "gear_torque_peak"):
            value = getattr(self, name)
            require(value > 0, name, "a limit > 0", value)
        for name in ("resistance", "torque_constant", "thermal_time_constant"):
            value = getattr(self, name)
            unknown_or_positive = math.isnan(value) or (math.isfinite(value) and value > 0)
            require(unknown_or_positive, name, "a number > 0", value)
        speeds = [point[0] for point in self.curve]
        rising = speeds == sorted(set(speeds)) and all(s >= 0 for s in speeds)
        require(rising, "curve", "points of rising speed from 0", speeds)
        require(all(p[1] >= 0 for p in self.curve), "curve", "torques >= 0", self.curve)

    def __eq__(self, other: object) -> bool:
        """Compare the data; what is unknown (NaN), such as R, equals another unknown."""
        return isinstance(other, Drive) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        values = [getattr(self, name) for name in self.__slots__]
        return tuple(None if isinstance(v, float) and math.isnan(v) else v for v in values)


@dataclass(frozen=True, slots=True)
class NamedFrame:
    """A frame of the robot's file by its name: at `pose` in frame `link`, 0 (the base) to n."""

    name: str
    link: int
    pose: Pose = IDENTITY

    def __post_init__(self) -> None:
        require(bool(self.name.strip()), "name", "a name", repr(self.name))
        require(self.link >= 0, "link", "a frame 0 to n", self.link)


@dataclass(frozen=True, slots=True)
class Robot:
    """An open-chain arm of n joints. `joints[i]` moves `links[i]`; `drives` is empty or has n.

    `base` places frame 0 in the robot's base frame (identity for D-H robots), `mount` the base in
    the world, `tool` the tool frame in frame n. `gravity` in m/s2, world coordinates. `cycle_time`
    is that of the controller in s, `turning` how the tool turns in programs that do not say it,
    `bus_power` what the supply of the motors can give at any moment, W. `frames` are those that
    can be named: the links and fixed frames of a URDF file. `base_visuals` and `base_collisions`
    are the shapes of what does not move, in the base frame. `touching` are pairs of links, by name,
    that may touch each other ("base": what does not move).
    """

    name: str
    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    drives: tuple[Drive, ...] = ()
    title: str = ""
    source: str = ""
    illustrative: tuple[str, ...] = ()
    gravity: Vec3 = (0.0, 0.0, -9.81)
    mount: Pose = IDENTITY
    base: Pose = IDENTITY
    tool: Pose = IDENTITY
    base_visuals: tuple[Visual, ...] = ()
    cycle_time: float = 0.01
    turning: Turning = "smooth"
    bus_power: float = math.inf
    frames: tuple[NamedFrame, ...] = ()
    base_collisions: tuple[Visual, ...] = ()
    touching: tuple[tuple[str, str], ...] = ()
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What `once` has worked out: no part of the robot's value."""

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Work something out once for this robot, whichever threads ask for it.

        Args:
            key: Who asks, and what it depends on beside the robot: (CycleLoop, options, width).
            make: Works it out; called by one thread, while the others wait.
        """
        try:
            known: T = self.memo[key]
        except KeyError:
            with _MAKING:
                if key not in self.memo:
                    self.memo[key] = make()
                known = self.memo[key]
        return known

    def __hash__(self) -> int:
        return self.once("hash", self._hash)

    def _hash(self) -> int:
        return hash(tuple(getattr(self, f.name) for f in fields(self) if f.compare))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the data without `memo`."""
        return _rebuild, tuple(getattr(self, f.name) for f in fields(self) if f.init)

    def __post_init__(self) -> None:
        n = len(self.joints)
        require(n > 0, "joint", "at least one joint", "none")
        require(len(self.links) == n, "link", f"{n} links, one a joint", f"{len(self.links)}")
        count = len(self.drives)
        require(count in (0, n), "drive", f"{n} drives, one a joint (or none)", f"{count}")
        for i, drive in enumerate(self.drives):
            if drive.coupling:
                key = f"[[drive]] {i + 1}: coupling"
                length = f"{len(drive.coupling)}"
                require(len(drive.coupling) == n, key, f"a row of {n} numbers", length)
                diagonal = drive.coupling[i]
                require(diagonal == 0, key, f"0 at place {i + 1} (that is ratio)", diagonal)
        if any(drive.coupling for drive in self.drives):
            import numpy as np

            matrix = np.array(self.gear_matrix)
            rank = int(np.linalg.matrix_rank(matrix / abs(matrix).max(axis=1, keepdims=True)))
            require(rank == n, "coupling", f"a gear matrix of rank {n}", f"rank {rank}")
        require(bool(self.name.strip()), "name", "a name", repr(self.name))
        finite = all(math.isfinite(x) for x in self.gravity)
        require(finite, "gravity", "three finite numbers", self.gravity)
        short, long = CYCLE_TIMES
        sane = short <= self.cycle_time <= long
        require(sane, "cycle_time", f"a time from {short:g} to {long:g} s", self.cycle_time)
        words = " or ".join(repr(word) for word in TURNINGS)
        require(self.turning in TURNINGS, "turning", words, repr(self.turning))
        require(self.bus_power > 0, "bus_power", "a power > 0 W", self.bus_power)
        names: set[str] = set()
        for i, frame in enumerate(self.frames, 1):
            key = f"[[frame]] {i}"
            require(frame.link <= n, f"{key}: link", f"a frame 0 to {n}", frame.link)
            require(frame.name not in names, f"{key}: name", "a name of its own", frame.name)
            names.add(frame.name)
        _check_touching(self.touching, [BASE, *(link.name for link in self.links)])

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.joints)

    @property
    def gear_matrix(self) -> tuple[tuple[float, ...], ...]:
        """K of q_a = K q (rotor angles from joint angles), n x n; the identity without drives."""
        rows = []
        for i in range(self.n):
            row = [0.0] * self.n
            if self.drives:
                row = list(self.drives[i].coupling) or row
            row[i] = self.drives[i].ratio if self.drives else 1.0
            rows.append(tuple(row))
        return tuple(rows)

    def __repr__(self) -> str:
        kinds = "".join("R" if joint.revolute else "P" for joint in self.joints)
        mass = sum(link.mass for link in self.links)
        return f"Robot({self.name!r}, {self.n} joints {kinds}, {mass:g} kg)"

    def _repr_html_(self) -> str:
        return str(painter("Robot")(self))


def _check_touching(pairs: tuple[tuple[str, str], ...], links: list[str]) -> None:
    for i, pair in enumerate(pairs, 1):
        require(len(pair) == 2, f"touching {i}", "a pair of links", pair)
        for name in pair:
            require(name in links, f"touching {i}", f"one of {', '.join(links)}", repr(name))


def _rebuild(*values: Any) -> Robot:
    names = [f.name for f in fields(Robot) if f.init]
    return Robot(**dict(zip(names, values, strict=True)))
