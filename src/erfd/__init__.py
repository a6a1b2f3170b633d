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
    from .api import (
        bias,
        coriolis_matrix,
        external_torque,
        forward_dynamics,
        forward_kinematics,
        gravity_torque,
        inverse_dynamics,
        jacobian,
        joint_reactions,
        kinetic_energy,
        link_accelerations,
        link_frames,
        link_velocities,
        mass_matrix,
        momentum,
        potential_energy,
        terms,
    )
    from .kernels.count import OperationCount, operation_count
    from .robot.library import load, robots, save
    from .robot.model import Drive, Joint, Link, Robot, Visual
    from .robot.pose import Pose

__all__ = [
    "Drive",
    "Joint",
    "Link",
    "OperationCount",
    "Pose",
    "Robot",
    "Visual",
    "bias",
    "coriolis_matrix",
    "errors",
    "external_torque",
    "forward_dynamics",
    "forward_kinematics",
    "gravity_torque",
    "inverse_dynamics",
    "jacobian",
    "joint_reactions",
    "kinetic_energy",
    "link_accelerations",
    "link_frames",
    "link_velocities",
    "load",
    "mass_matrix",
    "momentum",
    "operation_count",
    "potential_energy",
    "robots",
    "save",
    "terms",
]

_HOMES = {
    "errors": "errors",
    "load": "robot.library",
    "robots": "robot.library",
    "save": "robot.library",
    "Drive": "robot.model",
    "Joint": "robot.model",
    "Link": "robot.model",
    "Robot": "robot.model",
    "Visual": "robot.model",
    "Pose": "robot.pose",
    "OperationCount": "kernels.count",
    "operation_count": "kernels.count",
}


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module 'erfd' has no attribute {name!r}")
    module = _import_module(f".{_HOMES.get(name, 'api')}", __name__)
    value = module if name == "errors" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted([*__all__, "__version__"])
