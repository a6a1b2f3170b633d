"""ERFD, effective robot forward dynamics: can this robot arm really do that motion?

>>> import erfd
>>> robot = erfd.load("lola15")
>>> qdd = erfd.forward_dynamics(robot, q=[0] * 6, qd=[0] * 6, u=[0] * 6)

Nothing is imported before it is used, so that `import erfd` costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from . import errors
    from .achieve.achievable import achievable
    from .achieve.achiever import Achiever
    from .achieve.variants import Variants, achievable_variants
    from .cell.clearance import clearance
    from .cell.model import Cell
    from .cell.motion_clearance import motion_clearance
    from .cell.reader import load_cell
    from .cell.self_clearance import self_clearance
    from .drives.dc_motor import motor_torque, motor_voltage
    from .drives.rotor_equations import rotor_bias, rotor_mass_matrix, rotor_torque
    from .forward.batch import simulate_batch
    from .forward.input_schedule import InputSchedule, read_input_schedule
    from .forward.simulate import simulate
    from .ik.follow import follow
    from .ik.inverse_kinematics import all_solutions, branches, config_of, inverse_kinematics
    from .ik.singularity import passages, singularity
    from .kernels.count import OperationCount, operation_count
    from .kernels.settings import backend, set_threads
    from .lirl.signal_schedule import SignalChange, SignalSchedule, read_signal_schedule
    from .mechanics.dynamics import (
        bias,
        coriolis_matrix,
        external_torque,
        forward_dynamics,
        gravity_torque,
        inverse_dynamics,
        joint_reactions,
        mass_matrix,
    )
    from .mechanics.felt_load import felt_load
    from .mechanics.kinematics import (
        forward_kinematics,
        jacobian,
        kinetic_energy,
        link_accelerations,
        link_frames,
        link_velocities,
        momentum,
        potential_energy,
    )
    from .mechanics.terms import terms
    from .planning.motion_files.read import read_motion, read_trajectory
    from .planning.motion_files.reading import MotionReading
    from .planning.motion_files.write import write_trajectory
    from .planning.plan import Plan
    from .planning.planner import plan
    from .planning.trajectory import Trajectory
    from .robot.library import load, robots, save
    from .robot.model import Drive, Joint, Link, NamedFrame, Robot
    from .robot.payload import Payload
    from .robot.pose import Pose
    from .robot.visual import Visual
    from .run.events import Event
    from .run.parquet import read_run
    from .run.run import Run
    from .run.write import write_run
    from .timing.fastest import fastest
    from .timing.timing import Timing
    from .verification.advice import Advice, advise
    from .verification.motion import verify_motion
    from .verification.repair.repair import repair
    from .verification.repair.result import Repair
    from .verification.report_page import report_page
    from .verification.result import Verification
    from .verification.verify import verify

__all__ = [
    "Achiever",
    "Advice",
    "Cell",
    "Drive",
    "Event",
    "InputSchedule",
    "Joint",
    "Link",
    "MotionReading",
    "NamedFrame",
    "OperationCount",
    "Payload",
    "Plan",
    "Pose",
    "Repair",
    "Robot",
    "Run",
    "SignalChange",
    "SignalSchedule",
    "Study",
    "Timing",
    "Trajectory",
    "Variants",
    "Verification",
    "Visual",
    "achievable",
    "achievable_variants",
    "advise",
    "all_solutions",
    "backend",
    "bias",
    "branches",
    "clearance",
    "config_of",
    "coriolis_matrix",
    "errors",
    "external_torque",
    "fastest",
    "felt_load",
    "follow",
    "forward_dynamics",
    "forward_kinematics",
    "gravity_torque",
    "inverse_dynamics",
    "inverse_kinematics",
    "jacobian",
    "joint_reactions",
    "kinetic_energy",
    "link_accelerations",
    "link_frames",
    "link_velocities",
    "load",
    "load_cell",
    "mass_matrix",
    "momentum",
    "motion_clearance",
    "motor_torque",
    "motor_voltage",
    "operation_count",
    "passages",
    "plan",
    "potential_energy",
    "read_input_schedule",
    "read_motion",
    "read_run",
    "read_signal_schedule",
    "read_trajectory",
    "repair",
    "report_page",
    "robots",
    "rotor_bias",
    "rotor_mass_matrix",
    "rotor_torque",
    "save",
    "self_clearance",
    "set_threads",
    "simulate",
    "simulate_batch",
    "singularity",
    "study",
    "terms",
    "verify",
    "verify_many",
    "verify_motion",
    "write_run",
    "write_trajectory",
]

_HOMES = {
    "errors": ("errors",),
    "robot.library": ("load", "robots", "save"),
    "robot.model": ("Drive", "Joint", "Link", "NamedFrame", "Robot"),
    "robot.visual": ("Visual",),
    "robot.pose": ("Pose",),
    "robot.payload": ("Payload",),
    "kernels.count": ("OperationCount", "operation_count"),
    "kernels.settings": ("backend", "set_threads"),
    "mechanics.dynamics": (
        "bias", "coriolis_matrix", "external_torque", "forward_dynamics", "gravity_torque",
        "inverse_dynamics", "joint_reactions", "mass_matrix",
    ),
    "mechanics.kinematics": (
        "forward_kinematics", "jacobian", "kinetic_energy", "link_accelerations", "link_frames",
        "link_velocities", "momentum", "potential_energy",
    ),
    "mechanics.felt_load": ("felt_load",),
    "mechanics.terms": ("terms",),
    "drives.dc_motor": ("motor_torque", "motor_voltage"),
    "drives.rotor_equations": ("rotor_bias", "rotor_mass_matrix", "rotor_torque"),
    "ik.inverse_kinematics": ("all_solutions", "branches", "config_of", "inverse_kinematics"),
    "ik.follow": ("follow",),
    "ik.singularity": ("passages", "singularity"),
    "planning.trajectory": ("Trajectory",),
    "planning.motion_files.read": ("read_motion", "read_trajectory"),
    "planning.motion_files.reading": ("MotionReading",),
    "planning.motion_files.write": ("write_trajectory",),
    "planning.plan": ("Plan",),
    "planning.planner": ("plan",),
    "lirl.signal_schedule": ("SignalChange", "SignalSchedule", "read_signal_schedule"),
    "run.events": ("Event",),
    "run.run": ("Run",),
    "run.parquet": ("read_run",),
    "run.write": ("write_run",),
    "achieve.achievable": ("achievable",),
    "achieve.achiever": ("Achiever",),
    "achieve.variants": ("Variants", "achievable_variants"),
    "timing.fastest": ("fastest",),
    "timing.timing": ("Timing",),
    "forward.input_schedule": ("InputSchedule", "read_input_schedule"),
    "forward.simulate": ("simulate",),
    "forward.batch": ("simulate_batch",),
    "cell.model": ("Cell",),
    "cell.reader": ("load_cell",),
    "cell.clearance": ("clearance",),
    "cell.motion_clearance": ("motion_clearance",),
    "cell.self_clearance": ("self_clearance",),
    "verification.result": ("Verification",),
    "verification.verify": ("verify",),
    "verification.motion": ("verify_motion",),
    "verification.advice": ("Advice", "advise"),
    "verification.repair.repair": ("repair",),
    "verification.repair.result": ("Repair",),
    "verification.report_page": ("report_page",),
    "studies.result": ("Study",),
    "studies.study": ("study",),
    "studies.many": ("verify_many",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_DEPRECATED = {"Schedule": "InputSchedule"}


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name in _DEPRECATED:
        from warnings import warn

        new = _DEPRECATED[name]
        message = f"erfd.{name} is now called erfd.{new}"
        if name == "Schedule":
            message += " (the input signals of a program are an erfd.SignalSchedule)"
        warn(message, DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    if name not in __all__:
        raise AttributeError(f"module 'erfd' has no attribute {name!r}")
    module = _import_module(f".{_HOME[name]}", __name__)
    value = module if name == "errors" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted([*__all__, "__version__"])
