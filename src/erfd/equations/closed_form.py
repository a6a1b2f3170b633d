"""H, C and g of a small arm in closed form."""

from __future__ import annotations

from ..dynamics import lagrange
from ..dynamics.vectors import dot
from ..errors import InputError
from ..robot.model import Robot
from .arm import Arm
from .display import Equations, sympy_module
from .fourier import EntryWriter

MOST_JOINTS = 3


def equations(robot: Robot, *, numeric: bool = False) -> Equations:
    """Derive H, C and g of an arm of up to three joints in closed form.

    Args:
        robot: The arm.
        numeric: Put in the numbers of the robot, so that only the joint positions q1.. and
            velocities qd1.. are symbols; else every parameter that is not 0 is one, but for right
            angles.

    Returns:
        The equations u = H q'' + C q' + g as SymPy matrices, in SI units.

    Raises:
        InputError: The robot has more than three joints.
        MissingDependencyError: SymPy is not installed.
    """
    sympy = sympy_module()
    if robot.n > MOST_JOINTS:
        expected = f"expected at most {MOST_JOINTS} joints for equations in closed form"
        raise InputError(f"robot {robot.name!r}: {expected}, found {robot.n}")
    arm = Arm(robot, numeric)
    D, h, c = lagrange.coefficients(arm.chain, arm.pose)
    C = [[dot(h[i][k], arm.rates) for k in range(robot.n)] for i in range(robot.n)]
    writer = EntryWriter(arm)
    H, C, g = (sympy.ImmutableMatrix(writer.matrix(m)) for m in (D, C, [[x] for x in c]))
    used = H.free_symbols | C.free_symbols | g.free_symbols
    symbols = tuple(s for s in arm.quantities if s.value is None or s.symbol in used)
    return Equations(robot.name, symbols, tuple(arm.q), tuple(arm.qd), H, C, g)
