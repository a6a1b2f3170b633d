"""A small arm over SymPy polynomials: a symbol for every parameter that is not zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..dynamics.chain import Chain, LinkBody, chain_of
from ..dynamics.vectors import ZERO
from ..robot.model import Joint, Link, Robot
from ..robot.pose import cos_sin
from .display import SymbolMeaning, sympy_module

FINE = 10**9  # the denominator of a rational tan(angle / 2): the angle is right to 1e-17 rad

Expression = Any


def _right(angle: float) -> bool:
    """Whether an angle is a multiple of 90 deg."""
    return all(x in (-1, 0, 1) for x in cos_sin(angle))


class Arm:
    """The robot over SymPy polynomials, as the formulations take it."""

    def __init__(self, robot: Robot, numeric: bool):
        from sympy.polys.rings import PolyRing

        self.sympy = sympy = sympy_module()
        self.numeric = numeric
        self.exact = not numeric  # no decimals, so that factoring makes sense
        self.quantities: list[SymbolMeaning] = []
        self.short: dict[Expression, Expression] = {}  # a generator and what it stands for
        self.pairs: list[tuple[Expression, Expression]] = []  # (s, c) with s^2 + c^2 = 1
        self.angles: list[Expression] = []
        self.waves = [sympy.Dummy(name) for _ in range(robot.n) for name in "cs"]
        units = list(enumerate(("rad" if j.revolute else "m" for j in robot.joints), 1))
        self.q = [self._symbol(f"q{i}", f"position of joint {i}", unit) for i, unit in units]
        self.qd = [
            self._symbol(f"qd{i}", f"velocity of joint {i}", f"{unit}/s") for i, unit in units
        ]
        gravity = self._gravity(chain_of(robot).gravity)
        pose, bodies = [], []
        for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True), 1):
            rotation, position = self._geometry(i, joint)
            pose.append(self._motion(i, joint))
            inertial = self._inertial(i, link, list(rotation.T * position))
            bodies.append((rotation.tolist(), list(position), *inertial))
        generators = [*self.waves, *self.short, *(s.symbol for s in self.quantities)]
        self.ring = PolyRing(generators, sympy.QQ)
        over, joints = self._over, robot.joints
        links = [LinkBody(j.revolute, *over(b)) for j, b in zip(joints, bodies, strict=True)]
        self.chain = Chain(tuple(links), over(gravity), ZERO)
        self.pose, self.rates = over(pose), over(self.qd)

    def _over(self, x: Any) -> Any:
        """Expressions, nested as they are, as polynomials; 0 and 1 as integers."""
        if isinstance(x, list | tuple):
            return [self._over(y) for y in x]
        x = self.sympy.sympify(x)
        return int(x) if x in (-1, 0, 1) else self.ring.from_expr(x)

    def _symbol(self, name: str, meaning: str, unit: str, value: float | None = None) -> Expression:
        """A new symbol, with its LaTeX, meaning, unit and value."""
        stem = name.rstrip("0123456789")
        head, _, axes = stem.partition("_")
        letter = {"qd": r"\dot{q}", "alpha": r"\alpha", "theta": r"\theta"}.get(head, head)
        below = ",".join(filter(None, (axes, name.removeprefix(stem))))
        latex = f"{letter}_{{{below}}}" if below else letter
        self.quantities.append(SymbolMeaning(self.sympy.Symbol(name), latex, meaning, value, unit))
        return self.quantities[-1].symbol

    def _value(self, name: str, value: float, meaning: str, unit: str = "m") -> Expression:
        """A parameter: 0, its symbol, or its number."""
        if self.numeric or value == 0:
            return self.sympy.Rational(value)
        return self._symbol(name, meaning, unit, value)

    def _vector(
        self, name: str, i: int | str, vector: Sequence[float], what: str, unit: str = "m"
    ) -> list[Expression]:
        """The components of a vector, each 0, a symbol, or its number."""
        meaning = f"{what} {i}".rstrip()
        named = zip("xyz", vector, strict=True)
        return [self._value(f"{name}_{x}{i}", v, f"{x} of {meaning}", unit) for x, v in named]

    def _angle(self, name: str, value: float, meaning: str) -> Expression:
        """A constant angle; a right one has no symbol."""
        return self._exact(value) if _right(value) else self._value(name, value, meaning, "rad")

    def _exact(self, angle: float) -> Expression:
        """An angle as a rational, or a multiple of pi / 2."""
        if _right(angle):
            return round(angle / (math.pi / 2)) * self.sympy.pi / 2
        return self.sympy.Rational(angle)

    def _cos_sin(self, angle: Expression) -> tuple[Expression, Expression]:
        """Of a symbol two generators, of a number a rational point on the circle."""
        cos, sin = self.sympy.cos(angle), self.sympy.sin(angle)
        if cos.is_Integer:
            return cos, sin
        if angle.is_number:
            t = self.sympy.Rational(math.tan(angle / 2)).limit_denominator(FINE)
            return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
        s, c = self.sympy.Dummy("s"), self.sympy.Dummy("c")
        self.short |= {s: sin, c: cos}
        self.pairs.append((s, c))
        return c, s

    def _sum(self, terms: Expression) -> Expression:
        """One generator for a sum of parameters that always occurs as a whole."""
        if not terms.is_Add:
            return terms
        generator = self.sympy.Dummy("x")
        self.short[generator] = terms.xreplace(self.short)
        return generator

    def _gravity(self, vector: Sequence[float]) -> list[Expression]:
        """Gravity in frame 0: along an axis +-g, else its components."""
        least = 1e-12 * math.hypot(*vector)
        parts = [x if abs(x) > least else 0.0 for x in vector]
        if sum(x != 0 for x in parts) > 1:
            return self._vector("g", "", parts, "gravity in frame 0", "m/s2")
        signs = [-1 if x < 0 else 1 for x in parts]
        return [
            s * self._value("g", s * x, "gravity", "m/s2")
            for s, x in zip(signs, parts, strict=True)
        ]

    def _motion(self, i: int, joint: Joint) -> tuple[Expression, ...]:
        """The motion (c, s, d) of a joint, its constants theta and (prismatic) d in it."""
        theta = self._angle(f"theta{i}", joint.theta, f"D-H angle of joint {i}")
        self.angles.append(self.q[i - 1] + theta if joint.revolute else 0)
        if joint.revolute:
            return (*self.waves[2 * i - 2 : 2 * i], 0)
        offset = self._value(f"d{i}", joint.d, f"D-H offset of joint {i}")
        return (*self._cos_sin(theta), self._sum(self.q[i - 1] + offset))

    def _geometry(self, i: int, joint: Joint) -> tuple[Any, Any]:
        """R and p of frame i behind the motion: Tz(d) Tx(a) Rx(alpha) `after`."""
        matrix = self.sympy.Matrix
        a = self._value(f"a{i}", joint.a, f"D-H length of link {i}")
        d = self._value(f"d{i}", joint.d if joint.revolute else 0.0, f"D-H offset of joint {i}")
        right = all(map(_right, joint.after.rpy))  # else there are decimals: alpha is one more
        alpha = f"alpha{i}", joint.alpha, f"D-H twist of link {i}"
        c, s = self._cos_sin(self._angle(*alpha) if right else self._exact(joint.alpha))
        p = matrix(self._vector("p", i, joint.after.xyz, "the transform after joint"))
        twist = matrix([[1, 0, 0], [0, c, -s], [0, s, c]])
        (cr, sr), (cp, sp), (cy, sy) = map(self._cos_sin, map(self._exact, joint.after.rpy))
        yaw = matrix([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        pitch = matrix([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        turn = yaw * pitch * matrix([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        self.exact = self.exact and right
        position = matrix([a, 0, d]) + twist * p
        return twist * turn, position.applyfunc(self._sum)

    def _inertial(self, i: int, link: Link, lever: Sequence[Expression]) -> tuple[Any, ...]:
        """Mass, mass centre and inertia; lever + centre, from the joint, occurs as a whole."""
        mass = self._value(f"m{i}", link.mass, f"mass of link {i}", "kg")
        center = self._vector("c", i, link.center, "the mass centre of link")
        center = [self._sum(c + p) - p for c, p in zip(center, lever, strict=True)]
        tensor = self.sympy.zeros(3)
        meaning = f"inertia about the mass centre of link {i}"
        for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            name, value = f"I_{'xyz'[j]}{'xyz'[k]}{i}", link.inertia[j][k]
            tensor[j, k] = tensor[k, j] = self._value(name, value, meaning, "kg m2")
        return mass, center, tensor.tolist()
