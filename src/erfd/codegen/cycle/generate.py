"""Write Algorithm 1's cycle of one robot as C99, for controllers that are not Python."""

from __future__ import annotations

from pathlib import Path

from ...achieve.achiever import Achiever
from ...errors import InputError
from ...robot.library import robot_of
from ...robot.model import Robot
from ..generate import function_name, write_all
from .code import step_c_text
from .header import step_header_text
from .references import step_references
from .self_test import step_test_text
from .source import prefix_of, step_source

LONGEST_PREFIX = 47
"""C compilers tell names apart by their first 63 characters, and _parameters_init has 16."""


def generate_step(
    robot: Robot,
    dt: float,
    *,
    policy: str = "consistent",
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    wrench: bool = False,
    payload: bool = False,
    out: Path | str,
    name: str | None = None,
) -> list[Path]:
    """Write one cycle of Algorithm 1 as NAME.c, NAME.h and NAME_test.c.

    The function does what `Achiever(robot, dt, policy=, follow=, torque_path=).step` does.

    Args:
        robot: The arm, with a drive for every joint.
        dt: The cycle time, s; the controller may change it.
        policy: How a shortage of torque is shared: `consistent` or `printed`.
        follow: What the arm follows after a shortfall: `velocity` or `position`.
        torque_path: How joint torques come to the rotors: `virtual-work` or `diagonal`.
        wrench: Whether the end effector's wrench (6,), N and N m, is an argument, too.
        payload: Whether the ten numbers of a payload are an argument, too.
        out: The folder, made if it is not there.
        name: NAME, the name of the function; ROBOT_achievable_step if left out.

    Returns:
        The paths of the files.

    Raises:
        InputError: An argument does not fit, or a file cannot be written.

    >>> import erfd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.suffix for path in generate_step(erfd.load("two_link"), 0.01, out=folder)]
    ['.c', '.h', '.c']
    """
    robot = robot_of(robot)
    name = function_name(robot, "achievable_step", name)
    if len(prefix_of(name)) > LONGEST_PREFIX:
        expected = f"up to {LONGEST_PREFIX} characters before _achievable_step"
        raise InputError(f"name: expected {expected}, found {name!r}")
    middle = [_inside(joint.position_min, joint.position_max) for joint in robot.joints]
    achiever = Achiever(
        robot, dt, policy=policy, follow=follow, torque_path=torque_path, q0=middle
    )  # checks its arguments
    options = achiever.cycle_options(wrench, payload)
    source = step_source(achiever, options, name)
    cycles = step_references(robot, achiever.dt, options)
    texts = {
        f"{name}.c": step_c_text(source),
        f"{name}.h": step_header_text(source),
        f"{name}_test.c": step_test_text(source, cycles),
    }
    return write_all(Path(out), texts)


def _inside(low: float, high: float) -> float:
    """A position between the limits: 0 if that is one."""
    return min(max(0.0, low), high)
