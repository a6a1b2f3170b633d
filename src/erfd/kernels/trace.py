"""Trace a formulation for one robot: run it over CasADi's SX scalars.

Sines and cosines of the joint angles are inputs, as in the papers' counts. CasADi folds the
constants while the formulation runs, `casadi.cse` then shares what is common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ..dynamics import methods
from ..dynamics.chain import ArmState, Chain, JointMotion, Wrench, chain_of
from ..dynamics.linear import product
from ..dynamics.vectors import Scalar, plus
from ..errors import MethodError, MissingDependencyError, SingularError
from ..robot.model import Robot
from .quantities import QUANTITIES

TRACED_QUANTITIES = (*methods.FORMULATED_QUANTITIES, "cycle")
MOST_JOINTS = 64
"""Chains beyond this many joints are not unrolled: NumPy computes them."""
MOST_JOINTS_OF = {"lagrange": 12, "dalembert": 32, "wo4": 24, "coriolis_matrix": 28}
"""Methods, and a quantity, that stop earlier: soon after, traces are too long to be of use, and
those of a method take minutes to make."""


def casadi() -> Any:
    """The CasADi module, imported when something must be traced."""
    try:
        import casadi
    except ImportError:
        raise MissingDependencyError(
            "tracing needs the package casadi, which is not installed: pip install casadi"
        ) from None
    return casadi


@dataclass(frozen=True, slots=True)
class TraceInputs:
    """The input symbols of a trace: vectors of length n, and the wrench's force and moment.

    `x` is q'' for inverse dynamics and u for forward dynamics; `y` is the second one in a cycle.
    """

    c: Any
    s: Any
    q: Any
    qd: Any
    x: Any
    y: Any
    wrench: Any

    @classmethod
    def of(cls, n: int) -> TraceInputs:
        """New symbols for n joints."""
        sx = casadi().SX.sym
        c, s, q, qd, x, y = (sx(name, n) for name in ("c", "s", "q", "qd", "x", "y"))
        return cls(c, s, q, qd, x, y, sx("k", 6))

    def motions(self, chain: Chain) -> list[JointMotion]:
        """(c, s, d) of every joint."""
        return [
            (self.c[i], self.s[i], 0.0) if body.revolute else (1.0, 0.0, self.q[i])
            for i, body in enumerate(chain.bodies)
        ]

    def load(self) -> Wrench:
        """The wrench on the environment."""
        k = scalars(self.wrench)
        return Wrench(k[:3], k[3:])

    def state(self, chain: Chain, wrench: Wrench | None) -> ArmState:
        """The symbols as a formulation takes them."""
        return ArmState(chain, self.motions(chain), scalars(self.qd), scalars(self.x), wrench)


def scalars(vector: Any) -> list[Scalar]:
    """A CasADi column as a list of scalars."""
    return [vector[i] for i in range(vector.numel())]


def finish(inputs: TraceInputs, outputs: Sequence[Scalar]) -> Any:
    """Make the CasADi function of the outputs, common subexpressions shared."""
    ca = casadi()
    result = ca.cse(ca.vertcat(*outputs))
    names = list(TraceInputs.__slots__)
    return ca.Function("trace", [getattr(inputs, name) for name in names], [result], names, ["out"])


def _cycle(arm: ArmState, applied: Sequence[Scalar], method: str) -> list[Scalar]:
    """A whole simulation cycle: u for the wanted q'', then q'' for the applied u.

    A method that has H and u' explicitly takes u = H q'' + u' (the papers: one inverse dynamics);
    the others compute u by Newton-Euler (for method 1: n + 2 inverse dynamics in all).
    """
    moved = methods.evaluate(method, "forward_dynamics", replace(arm, x=applied))
    if methods.serves(method, "mass_matrix") and methods.serves(method, "inverse_dynamics"):
        h = methods.function(method, "mass_matrix")(arm.chain, arm.pose)
        bias = methods.evaluate(method, "bias", arm)
        u = [plus(a, b) for a, b in zip(product(h, arm.x), bias, strict=True)]
    else:
        u = methods.evaluate("ne_link", "inverse_dynamics", arm)
    return [*u, *moved]


def quantity_trace(robot: Robot, quantity: str, method: str, wrench: bool = False) -> Any:
    """Trace any quantity of a kernel: its CasADi function, all numbers in one column."""
    turned = wrench and not robot.base.is_identity  # kernels take the wrench in base coordinates
    if quantity in TRACED_QUANTITIES and not turned:
        return trace(robot, quantity, method, wrench)  # which is there if it was counted
    express, chain = QUANTITIES[quantity].express, chain_of(robot)

    def outputs(inputs: TraceInputs) -> list[Scalar]:
        load = Wrench.from_base(robot, scalars(inputs.wrench)) if wrench else None
        return express(robot, inputs.state(chain, load), method)

    return _traced(robot, quantity, outputs)


@lru_cache(maxsize=512)
def trace(robot: Robot, quantity: str, method: str, wrench: bool = False) -> Any:
    """Trace one method for one robot: its CasADi function; the wrench is in frame 0."""
    if quantity not in TRACED_QUANTITIES:
        listed = ", ".join(TRACED_QUANTITIES)
        raise MethodError(f"quantity: expected one of {listed}, found {quantity!r}")
    chain = chain_of(robot)

    def outputs(inputs: TraceInputs) -> list[Scalar]:
        arm = inputs.state(chain, inputs.load() if wrench else None)
        if quantity == "cycle":
            return _cycle(arm, scalars(inputs.y), method)
        return methods.evaluate(method, quantity, arm)

    return _traced(robot, quantity, outputs)


def _traced(robot: Robot, quantity: str, outputs: Callable[[TraceInputs], list[Scalar]]) -> Any:
    """The CasADi function of the outputs; an error if it divides by zero."""
    inputs = TraceInputs.of(robot.n)
    try:
        return finish(inputs, outputs(inputs))
    except ZeroDivisionError:
        raise SingularError(
            f"robot {robot.name!r}: H is singular, so it has no {quantity}"
        ) from None
