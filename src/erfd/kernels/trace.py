"""Trace a formulation for one robot: run it over CasADi's SX scalars.

Sines and cosines of the joint angles are inputs, as in the papers' counts. CasADi folds the
constants while the formulation runs, `casadi.cse` then shares what is common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..dynamics import methods
from ..dynamics.chain import Chain, JointMotion, Wrench, chain_of
from ..dynamics.linear import product
from ..dynamics.vectors import Scalar, plus
from ..errors import MethodError, MissingDependencyError, SingularError
from ..robot.model import Robot

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
        k = self.wrench
        return Wrench([k[0], k[1], k[2]], [k[3], k[4], k[5]])


def scalars(vector: Any) -> list[Scalar]:
    """A CasADi column as a list of scalars."""
    return [vector[i] for i in range(vector.numel())]


def finish(inputs: TraceInputs, outputs: Sequence[Scalar]) -> Any:
    """Make the CasADi function of the outputs, common subexpressions shared."""
    ca = casadi()
    result = ca.cse(ca.vertcat(*outputs))
    names = list(TraceInputs.__slots__)
    return ca.Function("trace", [getattr(inputs, name) for name in names], [result], names, ["out"])


def express(
    chain: Chain, inputs: TraceInputs, quantity: str, method: str, load: Wrench | None
) -> list[Scalar]:
    """The outputs of one method for one quantity, as expressions of the inputs; H row by row."""
    motions, qd, x = inputs.motions(chain), scalars(inputs.qd), scalars(inputs.x)
    if quantity == "cycle":
        return _cycle(chain, motions, qd, x, scalars(inputs.y), load, method)
    compute: Callable[..., Any] = methods.function(method, quantity)
    if quantity == "mass_matrix":
        return [entry for row in compute(chain, motions) for entry in row]
    rates = [qd] if quantity == "bias" else [qd, x]
    return list(compute(chain, motions, *rates, load))


def _cycle(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    wanted: Sequence[Scalar],
    applied: Sequence[Scalar],
    load: Wrench | None,
    method: str,
) -> list[Scalar]:
    """A whole simulation cycle: u for the wanted q'', then q'' for the applied u.

    A method that has H and u' explicitly takes u = H q'' + u' (the papers: one inverse dynamics);
    the others compute u by Newton-Euler (for method 1: n + 2 inverse dynamics in all).
    """
    forward = methods.function(method, "forward_dynamics")
    if methods.serves(method, "mass_matrix") and methods.serves(method, "inverse_dynamics"):
        h = methods.function(method, "mass_matrix")(chain, motions)
        bias = methods.function(method, "bias")(chain, motions, qd, load)
        u = [plus(a, b) for a, b in zip(product(h, wanted), bias, strict=True)]
    else:
        u = methods.function("ne_link", "inverse_dynamics")(chain, motions, qd, wanted, load)
    return [*u, *forward(chain, motions, qd, applied, load)]


def quantity_trace(robot: Robot, quantity: str, method: str, wrench: bool = False) -> Any:
    """Trace any quantity of a kernel: its CasADi function, all numbers in one column."""
    from .quantities import QUANTITIES

    turned = wrench and not robot.base.is_identity  # kernels take the wrench in base coordinates
    if quantity in TRACED_QUANTITIES and not turned:
        return trace(robot, quantity, method, wrench)  # which is there if it was counted
    express = QUANTITIES[quantity].express
    return _traced(robot, quantity, lambda inputs: express(robot, inputs, method, wrench))


@lru_cache(maxsize=512)
def trace(robot: Robot, quantity: str, method: str, wrench: bool = False) -> Any:
    """Trace one method for one robot: its CasADi function; the wrench is in frame 0."""
    if quantity not in TRACED_QUANTITIES:
        listed = ", ".join(TRACED_QUANTITIES)
        raise MethodError(f"quantity: expected one of {listed}, found {quantity!r}")
    chain = chain_of(robot)

    def outputs(inputs: TraceInputs) -> list[Scalar]:
        return express(chain, inputs, quantity, method, inputs.load() if wrench else None)

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
