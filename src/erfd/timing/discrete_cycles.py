"""What every cycle of a sampled motion asks of the motors: the equations of Algorithm 1's cycle.

A cycle that ends at q[k] begins at q[k-1] with the velocity of the cycle before it; friction,
viscous friction and damping are those of the velocity at its end. Where no cycle asks for more
than there is, Algorithm 1 leaves the motion as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..drives.drives import REST
from ..ground.arrays import Array
from ..planning.targets import tool_frame
from .cells import SHY, Bounds
from .coefficients import PathLoads, rotor_loads

ROUNDING = 1e-7
"""By which part the tool may be faster than its limit."""


@dataclass(frozen=True, slots=True, eq=False)
class CycleDemand:
    """What M cycles lack, (M, n): torque in N m (below 0: what is left), and joint acceleration.

    `torque` (M, n) is what the motors give, N m; `over` is a part of the limit of acceleration,
    `fast` (M,) by which part of its speed a joint or rotor is too fast. `dry` (M, n) is the size of
    dry friction, N m, `direction` (M, n) that of the rotors at the end of the cycle, 0 at rest.
    """

    torque: Array
    lack: Array
    over: Array
    fast: Array
    dry: Array
    direction: Array


def cycle_demand(bounds: Bounds, q: Array, qd: Array, dt: float, loads: PathLoads) -> CycleDemand:
    """What the cycles of a motion (M + 1 points) ask for; row k ends at point k + 1.

    `loads` are those of the cycles (M,).
    """
    d = bounds.drives
    accelerations = np.diff(qd, axis=0) / dt
    _, b, c = rotor_loads(bounds.robot, q[:-1], qd[:-1], accelerations, loads)
    damping = np.array([joint.damping for joint in bounds.robot.joints])
    load = b + c + (damping * qd[1:]) @ d.K_inverse
    rate, after = qd[:-1] @ d.K.T, qd[1:] @ d.K.T
    y = accelerations @ d.K.T
    dry = d.load_friction * np.abs(load) + d.coulomb
    moves = np.abs(after) > REST
    needed = load + (d.inertia + d.viscous * dt) * y + d.viscous * rate
    needed = needed + np.where(moves, np.copysign(dry, after), 0.0)
    helped = np.where(moves, 0.0, dry)
    torque = np.copysign(np.maximum(np.abs(needed) - helped, 0.0), needed)
    lack = np.abs(torque) - (1 - SHY / 100) * bounds.torque_limit(rate)
    if np.isfinite(bounds.volt).any():
        behind = np.maximum(np.sign(torque) * rate, np.sign(torque) * after)
        lack = np.maximum(lack, np.abs(torque) - (bounds.volt - bounds.emf * behind))
    over = np.full(torque.shape, -1.0)
    if bounds.acceleration is not None:
        over = np.abs(accelerations) / bounds.acceleration - 1
    speeds = np.hstack([np.abs(qd[1:]) / bounds.velocity, np.abs(after) / d.speed_max])
    fast = speeds.max(axis=1) - 1
    if np.isfinite(bounds.tool_speed):
        tool = tool_frame(bounds.robot, q, bounds.robot.tool)[:, :3, 3]
        rates = np.linalg.norm(np.diff(tool, axis=0), axis=1) / dt
        fast = np.maximum(fast, rates / bounds.tool_speed - 1 - ROUNDING)
    return CycleDemand(torque, lack, over, fast, dry, d.direction(after))
