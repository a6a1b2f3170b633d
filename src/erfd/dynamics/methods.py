"""Which formulation serves which quantity."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..errors import MethodError

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
    "fast": "joint frames, regrouped parameters, L^T D L",
}
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias")
CANDIDATES = ("fast", "aba")
"""What `auto` counts: no other method comes first on any robot (tests/test_count.py)."""


def serves(method: str, quantity: str) -> bool:
    """Whether the method defines the quantity."""
    return hasattr(_module(method), quantity)


def methods_for(quantity: str) -> list[str]:
    """The methods that define a quantity."""
    return [method for method in METHODS if serves(method, quantity)]


def function(method: str, quantity: str) -> Callable[..., Any]:
    """The method's function for a quantity, or an error that lists the methods that have one."""
    if quantity not in QUANTITIES:
        raise MethodError(f"quantity: expected one of {', '.join(QUANTITIES)}, found {quantity!r}")
    able = methods_for(quantity)
    if method not in METHODS:
        near = difflib.get_close_matches(str(method), METHODS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        listed = ", ".join([*able, "auto"])
        raise MethodError(f"method: expected one of {listed}, found {method!r}{hint}")
    if method not in able:
        listed = ", ".join([*able, "auto"])
        raise MethodError(f"method {method!r} does not define {quantity}; these do: {listed}")
    found: Callable[..., Any] = getattr(_module(method), quantity)
    return found


def _module(method: str) -> Any:
    return import_module(f".{method}", __package__)
