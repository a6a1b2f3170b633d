"""Equations (1)-(76) of 000 and 001 as identities, at states of the demonstration."""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array
from ..mechanics.dynamics import (
    bias,
    coriolis_matrix,
    external_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    joint_reactions,
)
from ..mechanics.kinematics import link_accelerations, link_frames, link_velocities
from ..mechanics.terms import terms
from .item import Check, ItemOutcome, identical
from .lola15_demonstration import WRENCH, programmed, with_algorithm_1

WORST = 1e-11
"""Largest difference that is rounding, as a part of the largest value."""


def _states() -> list[tuple[Array, Array, Array]]:
    run = with_algorithm_1()
    return [(run["q"][k - 1], run["qd"][k - 1], run["qdd"][k]) for k in range(100, len(run), 250)]


class _Differences:
    """The largest differences of pairs, as parts of the largest value, by name."""

    def __init__(self) -> None:
        self.worst: dict[str, float] = {}

    def add(self, name: str, first: Array, second: Array) -> None:
        size = max(float(np.abs(second).max()), 1.0)
        gap = float(np.abs(np.asarray(first) - second).max()) / size
        self.worst[name] = max(self.worst.get(name, 0.0), gap)

    def checks(self) -> tuple[Check, ...]:
        return tuple(identical(name, gap, WORST, "of the largest") for name, gap in
                     self.worst.items())  # fmt: skip


def equations_1_to_36() -> ItemOutcome:
    """(1)-(36): every term by its name against recursions that do not know it."""
    robot, _ = programmed()
    found = _Differences()
    force = np.array(WRENCH[:3])
    for q, qd, qdd in _states():
        known = terms(robot, q, qd, qdd, wrench=WRENCH)
        frames = link_frames(robot, q)
        rotation, origin = frames[:, :3, :3], frames[:, :3, 3]
        center = np.array(
            [r @ link.center for r, link in zip(rotation[1:], robot.links, strict=True)]
        )
        own = [np.array(link.inertia) for link in robot.links]
        inertia = np.array([r @ t @ r.T for r, t in zip(rotation[1:], own, strict=True)])
        mass = np.array([link.mass for link in robot.links])
        w, _ = link_velocities(robot, q, qd)
        w_dot, v_dot = link_accelerations(robot, q, qd, qdd)
        spin = np.cross(w, np.cross(w, center))
        a_cm = v_dot + np.cross(w_dot, center) + spin  # (4)
        by_b = np.einsum("ikx,k->ix", known["b_ik"], qdd)
        by_b += np.einsum("ikjx,k,j->ix", known["b_ikj"], qd, qd)
        found.add("accelerations of the mass centres (4), (5)", by_b, a_cm)
        F = mass[:, None] * (a_cm - np.array(robot.gravity))  # (6), erratum 1
        L = np.einsum("ixy,iy->ix", inertia, w)
        N = np.einsum("ixy,iy->ix", inertia, w_dot) + np.cross(w, L)  # (7)
        by_d = np.einsum("ikx,k->ix", known["d_ik"], qdd)
        by_d += np.einsum("ikjx,k,j->ix", known["d_ikj"], qd, qd)
        found.add("forces F_i (6), (8), (12)-(15)", known["F_i"], F)
        found.add("moments N_i (7), (9), (16), (17)", known["N_i"], N)
        found.add("d_ik, d_ikj (9)", by_d, N)
        step = np.diff(origin, axis=0)
        f, n = force, np.cross(rotation[-1] @ np.array(robot.tool.xyz), force)  # (10), (11)
        fs, ns = np.zeros((6, 3)), np.zeros((6, 3))
        for i in reversed(range(6)):
            n = n + N[i] + np.cross(step[i] + center[i], F[i]) + np.cross(step[i], f)  # (19)
            f = f + F[i]  # (18)
            fs[i], ns[i] = f, n
        found.add("forces f_i (18), (20)", known["f_i"], fs)
        found.add("moments n_i (19), (21), (27)", known["n_i"], ns)
        alone = [known[f"{name}_link"] for name in ("n_ia1", "n_ia2", "n_ia3")]
        own = known["n_ic_link"] + np.einsum("ikx,k->ix", sum(alone), qdd)  # (21)-(26)
        found.add("n_i - n_(i+1) by (22)-(26)", own, ns - np.vstack([ns[1:], np.zeros(3)]))
        reactions = joint_reactions(robot, q, qd, qdd, wrench=WRENCH)
        for name, value, load in zip(("f_hat_i", "n_hat_i"), reactions, (fs, ns), strict=True):
            turned = np.einsum("iba,ib->ia", rotation[:-1], load)
            found.add(f"{name} (32)", known[name], turned)
            found.add(f"{name} (32), erfd.joint_reactions", value, turned)
        axis = rotation[:-1, :, 2]
        u = (axis * ns).sum(axis=1)  # (33)
        by_mrnea = inverse_dynamics(robot, q, qd, qdd, wrench=WRENCH, method="mrnea")
        found.add("u by mRNEA (33), (34)", by_mrnea, u)
        blocks = known["n_ia1"] + known["n_ia2"] + known["n_ia3"]
        H = terms(robot, q, qd, method="lagrange")["D_ik"]  # not compiled, which takes seconds
        found.add("H (29)-(31), (35)", np.einsum("ix,ikx->ik", axis, blocks), H)
        found.add("u' (28), (36)", (axis * known["n_ic"]).sum(axis=1),
                  bias(robot, q, qd, wrench=WRENCH, method="ne_base"))  # fmt: skip
        parts = coriolis_matrix(robot, q, qd) @ qd + gravity_torque(robot, q)
        parts = parts + external_torque(robot, q, WRENCH)  # (3)
        found.add("u' (3)", parts, bias(robot, q, qd, wrench=WRENCH, method="mrnea"))
        found.add("u (1)", H @ qdd + parts, u)
        again = forward_dynamics(robot, q, qd, u, wrench=WRENCH, method="mrnea")
        found.add("q'' (2), (34)", again, qdd)
    remark = f"{len(_states())} states of the demonstration; sums of 000 and 001 share numbers."
    return ItemOutcome(found.checks(), (1, 2, 3, 4, 5), remark=remark)


def equations_37_to_76() -> ItemOutcome:
    """(37)-(76): the sums of Lola 15, written out as printed."""
    robot, _ = programmed()
    found = _Differences()
    for q, qd, _ in _states():
        known = terms(robot, q, qd, wrench=WRENCH)
        origin = link_frames(robot, q)[:, :3, 3]
        rotation = link_frames(robot, q)[:, :3, :3]
        p = np.diff(origin, axis=0)  # p*_1 .. p*_6
        center = np.array([r @ k.center for r, k in zip(rotation[1:], robot.links, strict=True)])
        arm = p + center
        e, d, ei, di = (known[name] for name in ("e_ik", "d_ik", "e_i", "d_i"))
        by_joint = known["d_ikj"], d
        for i in range(2, 6):  # (49)
            cubes, columns = by_joint[0][i], by_joint[1][i]
            found.add("d_i3 = d_i2 (49)", columns[2], columns[1])
            found.add("d_i13 = d_i12 (49)", cubes[0, 2], cubes[0, 1])
            found.add("d_i23 = 2 d_i22 (49)", cubes[1, 2], 2 * cubes[1, 1])
            found.add("d_i33 = d_i22 (49)", cubes[2, 2], cubes[1, 1])
        f7 = np.array(WRENCH[:3])
        own = di + np.cross(arm, ei)
        n6 = own[5] + np.cross(rotation[6] @ np.array(robot.tool.xyz), f7)  # (56)
        n5, E4 = n6 + own[4], ei[3] + ei[4] + ei[5] + f7  # (57)
        n4 = n5 + own[3]  # (58)
        n3 = n4 + own[2] + np.cross(p[2], E4)  # (59), f_7 once (erratum 2)
        E3 = E4 + ei[2]
        n2 = n3 + own[1] + np.cross(p[1], E3)  # (60)
        n1 = n2 + own[0] + np.cross(p[0], E3 + ei[1])  # (61)
        found.add("n'_6c to n'_1c (56)-(61)", np.array([n1, n2, n3, n4, n5, n6]), known["n_ic"])
        a1 = np.cumsum((d + np.cross(arm[:, None], e))[::-1], axis=0)[::-1]
        found.add("n'_6a1 to n'_1a1 (62)-(67)", a1, known["n_ia1"])
        E4k = e[3:].sum(axis=0)  # E_41 .. E_44
        E3k, E2k = E4k + e[2], E4k + e[2] + e[1]
        a2 = np.zeros((6, 6, 3))
        a2[2, :4] = np.cross(p[2], E4k[:4])  # (68)
        a2[1] = a2[2]
        a2[1, :3] += np.cross(p[1], E3k[:3])  # (69)
        a2[0] = a2[1]
        a2[0, :2] += np.cross(p[0], E2k[:2])  # (70)
        found.add("n'_6a2 to n'_1a2 (68)-(70)", a2, known["n_ia2"])
        E33, E44, E55, E66 = (e[k:, k].sum(axis=0) for k in (2, 3, 4, 5))
        a3 = np.zeros((6, 6, 3))
        a3[2, 4:] = np.cross(p[2], [E55, E66])  # (71), (74)
        a3[1, 3] = np.cross(p[1], E44)
        a3[1, 4:] = np.cross(p[1] + p[2], [E55, E66])  # (72), (75)
        a3[0, 2], a3[0, 3] = np.cross(p[0], E33), np.cross(p[0] + p[1], E44)
        a3[0, 4:] = np.cross(p[0] + p[1] + p[2], [E55, E66])  # (73), (76)
        found.add("n'_3a3 to n'_1a3 (71)-(76)", a3, known["n_ia3"])
    remark = "The closed forms of their vectors in Appendix B: errata 7 and 28."
    return ItemOutcome(found.checks(), (2, 5), remark=remark)
