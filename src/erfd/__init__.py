"""ERFD, effective robot forward dynamics: can this robot arm really do that motion?

>>> import erfd
>>> robot = erfd.load("lola15")
>>> qdd = erfd.forward_dynamics(robot, q=[0] * 6, qd=[0] * 6, u=[0] * 6)

Nothing is imported before it is used, so that `import erfd` costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import errors
    from .achieve.achievable import achievable
    from .achieve.achiever import Achiever
    from .achieve.variants import Variants, achievable_variants
    from .drives.dc_motor import motor_torque, motor_voltage
    from .drives.rotor_equations import rotor_bias, rotor_mass_matrix, rotor_torque
    from .forward.batch import simulate_batch
    from .forward.input_schedule import Schedule
    from .forward.simulate import simulate
    from .ik.inverse_kinematics import (
        all_solutions,
        branches,
        config_of,
        follow,
        inverse_kinematics,
        passages,
        singularity,
    )
    from .kernels.count import OperationCount, operation_count
    from .kernels.kernel import backend, set_threads
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
    from .planning.trajectory import Trajectory
    from .robot.library import load, robots, save
    from .robot.model import Drive, Joint, Link, Robot, Visual
    from .robot.payload import Payload
    from .robot.pose import Pose
    from .run.run import Run
    from .verification.verify import Verification, verify

__all__ = [
    "Achiever",
    "Drive",
    "Joint",
    "Link",
    "OperationCount",
    "Payload",
    "Pose",
    "Robot",
    "Run",
    "Schedule",
    "Trajectory",
    "Variants",
    "Verification",
    "Visual",
    "achievable",
    "achievable_variants",
    "all_solutions",
    "backend",
    "bias",
    "branches",
    "config_of",
    "coriolis_matrix",
    "errors",
    "external_torque",
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
    "mass_matrix",
    "momentum",
    "motor_torque",
    "motor_voltage",
    "operation_count",
    "passages",
    "potential_energy",
    "robots",
    "rotor_bias",
    "rotor_mass_matrix",
    "rotor_torque",
    "save",
    "set_threads",
    "simulate",
    "simulate_batch",
    "singularity",
    "terms",
    "verify",
]

_HOMES = {
    "errors": ("errors",),
    "robot.library": ("load", "robots", "save"),
    "robot.model": ("Drive", "Joint", "Link", "Robot", "Visual"),
    "robot.pose": ("Pose",),
    "robot.payload": ("Payload",),
    "achieve.achiever": ("Achiever",),
    "achieve.achievable": ("achievable",),
    "run.run": ("Run",),
    "drives.rotor_equations": ("rotor_bias", "rotor_mass_matrix", "rotor_torque"),
    "drives.dc_motor": ("motor_torque", "motor_voltage"),
    "forward.input_schedule": ("Schedule",),
    "forward.simulate": ("simulate",),
    "forward.batch": ("simulate_batch",),
    "achieve.variants": ("Variants", "achievable_variants"),
    "verification.verify": ("Verification", "verify"),
    "planning.trajectory": ("Trajectory",),
    "ik.inverse_kinematics": (
        "all_solutions", "branches", "config_of", "follow", "inverse_kinematics", "passages",
        "singularity",
    ),
    "kernels.count": ("OperationCount", "operation_count"),
    "kernels.kernel": ("backend", "set_threads"),
    "mechanics.terms": ("terms",),
    "mechanics.felt_load": ("felt_load",),
    "mechanics.kinematics": (
        "forward_kinematics", "jacobian", "kinetic_energy", "link_accelerations", "link_frames",
        "link_velocities", "momentum", "potential_energy",
    ),
    "mechanics.dynamics": (
        "bias", "coriolis_matrix", "external_torque", "forward_dynamics", "gravity_torque",
        "inverse_dynamics", "joint_reactions", "mass_matrix",
    ),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module 'erfd' has no attribute {name!r}")
    module = _import_module(f".{_HOME[name]}", __name__)
    value = module if name == "errors" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted([*__all__, "__version__"])
