"""The methods (formulations) by name, and which of them define which quantity."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ..errors import MethodError
from .chain import ArmState, Chain, JointMotion, Wrench
from .linear import accelerations, product
from .vectors import Scalar, plus

Motions = Sequence[JointMotion]

METHODS: dict[str, str] = {
    "ne_base": "Newton-Euler, base frame (004 Table 1)",
    "ne_link": "Newton-Euler, link frames (004 Table 2, 003)",
    "mrnea": "modified recursive Newton-Euler (000, 001)",
    "wo1": "Walker & Orin 1: columns by inverse dynamics",
    "wo2": "Walker & Orin 2: columns outward, symmetry",
    "wo3": "Walker & Orin 3: composite rigid bodies (003)",
    "wo4": "Walker & Orin 4: conjugate gradients",
    "aba": "articulated bodies (Featherstone)",
    "denoc": "DeNOC, U D U^T (Saha)",
    "lagrange": "Lagrange-Euler, 4x4 matrices (004)",
    "dalembert": "generalized d'Alembert, rotary joints (004)",
    "hollerbach": "recursive Lagrangian, 3x3 matrices (Hollerbach)",
    "fast": "joint frames, regrouped parameters, L^T D L",
}
FORMULATED_QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias")
SERVES: dict[str, tuple[str, ...]] = {
    "ne_base": ("inverse_dynamics", "bias"),
    "ne_link": ("inverse_dynamics", "bias"),
    "mrnea": FORMULATED_QUANTITIES,
    "wo1": ("forward_dynamics", "mass_matrix", "bias"),
    "wo2": ("forward_dynamics", "mass_matrix", "bias"),
    "wo3": ("forward_dynamics", "mass_matrix", "bias"),
    "wo4": ("forward_dynamics",),
    "aba": ("forward_dynamics",),
    "denoc": FORMULATED_QUANTITIES,
    "lagrange": FORMULATED_QUANTITIES,
    "dalembert": FORMULATED_QUANTITIES,
    "hollerbach": ("inverse_dynamics", "bias"),
    "fast": FORMULATED_QUANTITIES,
}
"""The quantities that each method defines, in its file or composed of what is there."""
CANDIDATES = ("fast", "aba")
"""The methods that `auto` counts: no other came first on any robot that was tried
(`tests/kernels/test_count.py`)."""


def serves(method: str, quantity: str) -> bool:
    """Whether the method defines the quantity."""
    return quantity in SERVES[method]


def methods_for(quantity: str) -> list[str]:
    """The methods that define a quantity."""
    return [method for method in METHODS if serves(method, quantity)]


def function(method: str, quantity: str) -> Callable[..., Any]:
    """The method's function for a quantity, or an error that lists the methods that have one."""
    if quantity not in FORMULATED_QUANTITIES:
        raise MethodError(
            f"quantity: expected one of {', '.join(FORMULATED_QUANTITIES)}, found {quantity!r}"
        )
    able = methods_for(quantity)
    if method not in METHODS:
        near = difflib.get_close_matches(str(method), METHODS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        listed = ", ".join([*able, "auto"])
        raise MethodError(f"method: expected one of {listed}, found {method!r}{hint}")
    if method not in able:
        listed = ", ".join([*able, "auto"])
        raise MethodError(f"method {method!r} does not define {quantity}; these do: {listed}")
    return _defined(method, quantity) or _composed(method, quantity)


def evaluate(method: str, quantity: str, arm: ArmState) -> list[Scalar]:
    """The scalars of a quantity by a method; H row by row."""
    compute = function(method, quantity)
    if quantity == "mass_matrix":
        return [entry for row in compute(arm.chain, arm.pose) for entry in row]
    rates = [arm.qd] if quantity == "bias" else [arm.qd, arm.x]
    return list(compute(arm.chain, arm.pose, *rates, arm.wrench))


def _defined(method: str, quantity: str) -> Callable[..., Any] | None:
    """The function of the method's file for a quantity, or None."""
    defined: Callable[..., Any] | None = getattr(
        import_module(f".{method}", __package__), quantity, None
    )
    return defined


def _composed(method: str, quantity: str) -> Callable[..., Any]:
    """The quantity composed of those that the method's file does define."""
    if quantity == "bias":  # (3): inverse dynamics at q'' = 0; Walker & Orin take Newton-Euler's
        inverse = _defined(method, "inverse_dynamics") or function("ne_link", "inverse_dynamics")

        def bias(
            chain: Chain, motions: Motions, qd: Sequence[Scalar], wrench: Wrench | None = None
        ) -> list[Scalar]:
            return list(inverse(chain, motions, qd, [0.0] * chain.n, wrench))

        return bias

    mass, rest = function(method, "mass_matrix"), function(method, "bias")
    forward = quantity == "forward_dynamics"

    def by_mass_matrix(
        chain: Chain,
        motions: Motions,
        qd: Sequence[Scalar],
        x: Sequence[Scalar],
        wrench: Wrench | None = None,
    ) -> list[Scalar]:
        h, u = mass(chain, motions), rest(chain, motions, qd, wrench)
        if forward:
            return accelerations(h, x, u)  # (2)
        return [plus(a, b) for a, b in zip(product(h, x), u, strict=True)]  # (1)

    return by_mass_matrix
