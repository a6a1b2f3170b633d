"""What can go wrong, in few kinds; every message is one sentence a user can act on."""


class ErfdError(Exception):
    """Any mistake that ERFD reports: the command line prints it and exits with 2."""


class InputError(ErfdError, ValueError):
    """An argument has the wrong shape, length, type or a value that is not finite."""


class MethodError(ErfdError, ValueError):
    """A method that does not exist, or that does not define the quantity asked for."""


class RobotError(ErfdError, ValueError):
    """Robot data that cannot be true, in a file or in a constructor."""


class SingularError(ErfdError, ArithmeticError):
    """The mass matrix H cannot be inverted, so there is no forward dynamics."""


class ReachError(ErfdError, ValueError):
    """A pose that the robot cannot take.

    `distance` (m) and `angle` (rad): by how much the nearest pose that it can take misses.
    `configs`: CONFIG codes with which it could, `index` of the pose in a batch (None: only one).
    """

    def __init__(
        self,
        message: str,
        *,
        distance: float = 0.0,
        angle: float = 0.0,
        configs: tuple[int, ...] = (),
        index: int | None = None,
    ):
        super().__init__(message)
        self.distance, self.angle = distance, angle
        self.configs, self.index = configs, index


class MissingDependencyError(ErfdError, ImportError):
    """An optional package is needed and not installed."""
