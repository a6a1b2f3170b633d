"""Energy and momentum of the arm, from the true (not regrouped) parameters."""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, placed_links
from .kinematics import link_velocities
from .vectors import ZERO, Scalar, Vector, add, cross, dot, mat_vec, plus, scale, times


def kinetic_energy(chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar]) -> Scalar:
    """Kinetic energy in J."""
    links = placed_links(chain, motions)
    result: Scalar = 0.0
    moving = link_velocities(chain, links, qd)
    for body, link, (w, v) in zip(chain.bodies, links, moving, strict=True):
        center = add(v, cross(w, link.center))
        spin = dot(w, mat_vec(link.inertia, w))
        result = plus(result, plus(times(body.mass, dot(center, center)), spin))
    return times(0.5, result)


def potential_energy(chain: Chain, motions: Sequence[JointMotion]) -> Scalar:
    """Potential energy in J, zero where every mass centre is at the origin of frame 0."""
    result: Scalar = 0.0
    for body, link in zip(chain.bodies, placed_links(chain, motions), strict=True):
        height = dot(chain.gravity, add(link.origin, link.center))
        result = plus(result, -times(body.mass, height))
    return result


def momentum(
    chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar]
) -> tuple[Vector, Vector]:
    """Linear (kg m/s) and angular momentum (kg m2/s, about the origin of frame 0), in frame 0."""
    links = placed_links(chain, motions)
    linear, angular = ZERO, ZERO
    moving = link_velocities(chain, links, qd)
    for body, link, (w, v) in zip(chain.bodies, links, moving, strict=True):
        link_momentum = scale(body.mass, add(v, cross(w, link.center)))
        linear = add(linear, link_momentum)
        lever = add(link.origin, link.center)
        angular = add(angular, add(cross(lever, link_momentum), mat_vec(link.inertia, w)))
    return linear, angular
