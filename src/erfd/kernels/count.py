"""Count the operations of traces as the papers do.

Divisions, squares and reciprocals count as multiplications, a doubling as one addition, a change of
sign is free; sines and cosines are inputs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ..dynamics import methods, mrnea
from ..dynamics.chain import chain_of, placed_links
from ..ground.arguments import flag_of, text_of
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from .trace import MOST_JOINTS, TraceInputs, casadi, scalars, trace

MULTIPLICATIONS = ("OP_MUL", "OP_DIV", "OP_SQ", "OP_INV")
ADDITIONS = ("OP_ADD", "OP_SUB", "OP_TWICE")
FREE = ("OP_NEG", "OP_INPUT", "OP_OUTPUT", "OP_CONST", "OP_ASSIGN")


@dataclass(frozen=True, slots=True)
class OperationCount:
    """Multiplications and additions of one method for one quantity of one robot."""

    method: str
    quantity: str
    multiplications: int
    additions: int

    @property
    def total(self) -> int:
        """Multiplications and additions together."""
        return self.multiplications + self.additions


@lru_cache(maxsize=1)
def op_names() -> dict[int, str]:
    """The names of CasADi's operations by number."""
    ca = casadi()
    return {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}


def count_instructions(function: Any) -> tuple[int, int]:
    """(multiplications, additions) in a CasADi function of scalars."""
    names = op_names()
    counts = Counter(names[function.instruction_id(k)] for k in range(function.n_instructions()))
    uncounted = set(counts) - {*MULTIPLICATIONS, *ADDITIONS, *FREE}
    if uncounted:
        raise AssertionError(f"operations without a rule for counting: {sorted(uncounted)}")
    return sum(counts[op] for op in MULTIPLICATIONS), sum(counts[op] for op in ADDITIONS)


def operation_count(
    robot: RobotLike,
    method: str = "auto",
    quantity: str = "forward_dynamics",
    *,
    wrench: bool = False,
) -> OperationCount:
    """Count the operations that a method needs for this robot, its constants folded.

    Args:
        robot: The robot.
        method: The name of a method, or `auto` for the one with the lowest count.
        quantity: inverse_dynamics, forward_dynamics, mass_matrix, bias or cycle (one inverse and
            one forward dynamics).
        wrench: Whether the end effector's wrench is an input, too.

    Returns:
        The method, its multiplications and its additions. Divisions, squares and reciprocals count
        as multiplications, a doubling as one addition, a change of sign is free, sines and cosines
        are inputs.

    Raises:
        MethodError: No such method or quantity, or a method that does not define the quantity.

    >>> import erfd
    >>> erfd.operation_count(erfd.load("lola15")).method
    'fast'
    """
    robot = robot_of(robot)
    text_of("method", method)
    text_of("quantity", quantity)
    wrench = flag_of("wrench", wrench)
    if method == "auto":
        method = best_method(robot, quantity, wrench)
    products, sums = count_instructions(trace(robot, quantity, method, wrench))
    return OperationCount(method, quantity, products, sums)


@lru_cache(maxsize=512)
def best_method(robot: Robot, quantity: str, wrench: bool = False) -> str:
    """The method with the lowest count for this robot: what `auto` stands for."""
    served = "forward_dynamics" if quantity == "cycle" else quantity
    able = [m for m in methods.CANDIDATES if methods.serves(m, served)]
    if not able:
        methods.function("auto", served)  # an unknown quantity: the error that lists them
    if len(able) == 1:
        return able[0]
    if (
        robot.n > MOST_JOINTS
    ):  # counting takes minutes, and the method of order n is by far the best
        return "aba"
    return min(able, key=lambda m: operation_count(robot, m, quantity, wrench=wrench).total)


def papers_count(robot: Robot) -> OperationCount:
    """Count mRNEA forward dynamics as the papers do: r^cm, I^cm, p_e and f_e are inputs."""
    ca = casadi()
    chain = chain_of(robot)
    inputs = TraceInputs.of(chain.n)
    motions, load = inputs.motions(chain), inputs.load()
    links, symbols = [], []
    for i, link in enumerate(placed_links(chain, motions)):
        r, t = ca.SX.sym(f"r{i}", 3), ca.SX.sym(f"I{i}", 6)
        xx, yy, zz, xy, xz, yz = scalars(t)
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        links.append(replace(link, center=scalars(r), inertia=inertia))
        symbols += [r, t]
    lever = ca.SX.sym("pe", 3)
    out = mrnea.forward_dynamics(
        chain, motions, scalars(inputs.qd), scalars(inputs.x), load, links, scalars(lever)
    )
    free = [*(getattr(inputs, name) for name in TraceInputs.__slots__), lever, *symbols]
    function = ca.Function("papers", free, [ca.cse(ca.vertcat(*out))])
    products, sums = count_instructions(function)
    return OperationCount("mrnea", "forward_dynamics", products, sums)
