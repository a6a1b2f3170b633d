"""The derived columns of a run as one function of a cycle: torques by cause, reactions, poses.

It is compiled like Algorithm 1 itself, with wrench and payload as inputs, so that the record of a
run costs little more than the run.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics import fast, kinematics, ne_link
from ..dynamics.chain import Chain, Wrench, chain_of, placed_links
from ..dynamics.regroup import regrouped_moments
from ..dynamics.vectors import Matrix, Vector, add, cross, mat_mul, mat_vec, sub, transpose
from ..ground.arrays import Array
from ..kernels.choice import choose_row_function
from ..kernels.llvm.sincos import LARGEST
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.row_function import RowFunction
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from .symbols import CycleOptions, CycleSymbols

if TYPE_CHECKING:
    from .achiever import Achiever
    from .loads import Loads

CYCLE = (
    "u", "u_inertial", "u_coriolis", "u_gravity", "u_external", "u_friction", "ua_links",
    "ua_rotor", "ua_coriolis", "ua_gravity", "ua_external", "ua_load_friction", "ua_viscous",
    "power",
)  # fmt: skip
"""Vectors of length n that belong to the cycle."""
ROTORS = ("q_a", "qd_a", "qdd_a", "q_a_given", "qd_a_given", "qdd_a_given")
"""Vectors of length n of the rotors."""
G = 9.81
"""m/s2 of one g."""


def shapes(n: int) -> dict[str, tuple[int, ...]]:
    """The results and their shapes, in their order."""
    vectors: dict[str, tuple[int, ...]] = dict.fromkeys((*CYCLE, *ROTORS), (n,))
    return vectors | {
        "force": (n, 3),
        "moment": (n, 3),
        "pose": (4, 4),
        "load": (3,),
        "apart": (3,),
    }


def trace_record(robot: Robot, path: str, wrench: bool, payload: bool) -> Any:
    """Trace the function that computes the derived columns of one cycle.

    Inputs: state at the start (2 n), state at the end, accelerations and motor torques (4 n), given
    state (2 n), wanted accelerations (n), wrench, body (`PayloadParameters`), ten numbers of the
    payload, parameters (`drives.parameters.PARAMETERS`).
    `apart` is distance, sine and cosine between the achieved and the given tool.
    """
    ca, n = casadi(), robot.n
    s = CycleSymbols(
        robot, CycleOptions(path=path, wrench=wrench, payload=payload), PayloadParameters.of(robot)
    )
    after, given = ca.SX.sym("after", 4 * n), ca.SX.sym("asked", 2 * n)
    wanted, ten = ca.SX.sym("wanted", n), ca.SX.sym("ten", 10)
    q, qd, qdd, torque = (after[k * n : (k + 1) * n] for k in range(4))
    K, to_load = ca.DM(s.K), ca.DM(s.to_load)
    u = _joint_parts(s, qdd)
    ua = {f"ua_{name[2:]}": to_load @ value for name, value in u.items() if name != "u"}
    ua["ua_links"] = ua.pop("ua_inertial")
    ua["ua_rotor"] = s.p["inertia"] * (K @ qdd)
    end = s.qd + qdd * s.dt
    ua["ua_viscous"] = s.p["viscous"] * (K @ end) + to_load @ (s.damping * end)
    ua["ua_load_friction"] = torque - sum((ua[name] for name in ua), ca.SX.zeros(n))
    u["u_friction"] = K.T @ (ua["ua_load_friction"] + ua["ua_viscous"])
    rotors = [K @ x for x in (q, qd, qdd, given[:n], given[n:], wanted)]
    values = u | ua | {"power": torque * rotors[1]} | dict(zip(ROTORS, rotors, strict=True))
    values |= _geometry(robot, s, q, given[:n])
    chain = loaded_chain(robot, scalars(ten) if payload else None)
    forces, moments = _reactions(s, chain, qdd)
    values |= {"force": forces, "moment": moments, "load": _felt(s, chain, qdd)}
    inputs = [s.state, after, given, wanted, s.wrench, s.body, ten, s.parameters]
    result = ca.vertcat(*(values[name] for name in shapes(n)))
    return ca.Function("record", inputs, [ca.cse(ca.densify(result))])


def _joint_parts(s: CycleSymbols, qdd: Any) -> dict[str, Any]:
    """Joint torques by cause, at the state at the start of the cycle."""
    ca, n = casadi(), s.n
    chain, still = chain_of(s.robot), [0.0] * s.n
    moments = s.moments or regrouped_moments(chain)

    def torques(arm: Chain, rate: list[Any], change: list[Any], wrench: Wrench | None) -> Any:
        tau = fast.inverse_dynamics(arm, s.pose, rate, change, wrench, moments)
        return ca.vertcat(*(ca.SX(x) for x in tau))

    gravity = torques(chain, still, still, None)
    u = {
        "u_inertial": torques(chain.weightless, still, scalars(qdd), None),
        "u_coriolis": torques(chain.weightless, scalars(s.qd), still, None),
        "u_gravity": gravity,
        "u_external": ca.SX.zeros(n),
    }
    wrench = s.wrench_in_base()
    if wrench is not None:
        u["u_external"] = ca.vertcat(*kinematics.external_torque(chain, s.pose, wrench))
    return {"u": sum(u.values(), ca.SX.zeros(n)), **u}


def loaded_chain(robot: Robot, ten: list[Any] | None) -> Chain:
    """The arm with true parameters and a payload, given by its ten numbers, in the last link."""
    chain = chain_of(robot)
    if ten is None:
        return chain
    ca = casadi()
    last, r, p = chain.bodies[-1], np.array(robot.tool.rotation), np.array(robot.tool.xyz)
    turn, shift = ca.DM(r), ca.DM(p)
    m_p, h_p = ten[0], ca.vertcat(*ten[1:4])
    xx, xy, xz, yy, yz, zz = ten[4:]
    second = ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
    h = turn @ h_p
    second = turn @ second @ turn.T + h @ shift.T + shift @ h.T + m_p * (shift @ shift.T)
    link_center, link_inertia = ca.DM(list(last.center)), ca.DM(np.array(last.inertia, dtype=float))
    link_second = (
        ca.DM.eye(3) * (ca.trace(link_inertia) / 2)
        - link_inertia
        + last.mass * (link_center @ link_center.T)
    )
    mass = last.mass + m_p
    center = (last.mass * link_center + h + m_p * shift) / ca.fmax(mass, 1e-300)
    central = link_second + second - mass * (center @ center.T)
    inertia = ca.SX.eye(3) * ca.trace(central) - central
    body = replace(
        last,
        mass=mass,
        center=scalars(center),
        inertia=[[inertia[i, j] for j in range(3)] for i in range(3)],
    )
    return replace(chain, bodies=(*chain.bodies[:-1], body))


def _reactions(s: CycleSymbols, chain: Chain, qdd: Any) -> tuple[Any, Any]:
    """Forces and moments at the joints, on link i by link i-1."""
    ca = casadi()
    loads = ne_link.reactions(chain, s.pose, scalars(s.qd), scalars(qdd), s.wrench_in_base())
    forces, moments = ([x for load in loads for x in load[k]] for k in (0, 1))
    return ca.vertcat(*forces), ca.vertcat(*moments)


def _felt(s: CycleSymbols, chain: Chain, qdd: Any) -> Any:
    """The load felt at the tool: (acceleration of its point - gravity) / g, in tool axes."""
    ca, robot = casadi(), s.robot
    links = placed_links(chain, s.pose)
    start = [-x for x in chain.gravity]
    moving = kinematics.link_accelerations(chain, links, scalars(s.qd), scalars(qdd), start)
    w, wd, vd = moving[-1]
    arm = mat_vec(links[-1].rotation, robot.tool.xyz)
    a = add(vd, add(cross(wd, arm), cross(w, cross(w, arm))))
    axes = mat_mul(links[-1].rotation, robot.tool.rotation)
    return ca.vertcat(*mat_vec(transpose(axes), a)) / G


def _tool(robot: Robot, q: Any) -> tuple[Matrix, Vector]:
    """Rotation and origin of the tool frame in the robot's base."""
    ca, chain = casadi(), chain_of(robot)
    pose = [
        (ca.cos(q[i]), ca.sin(q[i]), 0.0) if body.revolute else (1.0, 0.0, q[i])
        for i, body in enumerate(chain.bodies)
    ]
    last = placed_links(chain, pose)[-1]
    turn = mat_mul(robot.base.rotation, mat_mul(last.rotation, robot.tool.rotation))
    point = add(last.origin, mat_vec(last.rotation, robot.tool.xyz))
    return turn, add(robot.base.xyz, mat_vec(robot.base.rotation, point))


def _geometry(robot: Robot, s: CycleSymbols, q: Any, q_given: Any) -> dict[str, Any]:
    """The tool's pose, and how far it is from the given one."""
    ca = casadi()
    (turn, point), (turn_g, point_g) = _tool(robot, q), _tool(robot, q_given)
    rows = [[*row, x] for row, x in zip(turn, point, strict=True)]
    flat = [ca.SX(x) for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0]
    gap = sub(point, point_g)
    distance = ca.sqrt(sum(ca.SX(x) ** 2 for x in gap))
    between = mat_mul(transpose(turn_g), turn)
    skew = [between[i][j] - between[j][i] for i, j in ((2, 1), (0, 2), (1, 0))]
    sine = ca.sqrt(sum(ca.SX(x) ** 2 for x in skew)) / 2
    cosine = (between[0][0] + between[1][1] + between[2][2] - 1) / 2
    return {"pose": ca.vertcat(*flat), "apart": ca.vertcat(distance, sine, cosine)}


def record_function(
    robot: Robot, path: str, wrench: bool, payload: bool, *, compiled: bool = True
) -> Any:
    """The function of `trace_record` over rows, made once for a robot."""
    key = ("record", path, wrench, payload)
    make = partial(trace_record, robot, path, wrench, payload)
    return choose_row_function(
        robot, key, make, "record", sources=("drives", "achieve"), compiled=compiled
    )


def derived_columns(
    achiever: Achiever, loads: Loads, rows: Array, *, given: Array, wanted: Array
) -> dict[str, Array]:
    """The derived columns by name, arrays (N, ...), for rows of `cycle` (N, ..), the start first.

    `given` (N, 2 n) is the given state, `wanted` (N, n) the accelerations asked for.
    """
    robot, fixed, n = achiever.robot, achiever.parameters[:, 0], achiever.robot.n
    wrench, payload_rows = loads.wrench, loads.payload_rows
    in_range = np.abs(rows[:, :n]).max() <= LARGEST >= np.abs(given[:, :n]).max()
    function = record_function(
        robot, achiever.drives.path, wrench is not None, payload_rows is not None,
        compiled=bool(in_range),
    )  # fmt: skip
    values = np.empty((len(rows), sum(math.prod(shape) for shape in shapes(n).values())))
    size = function.sizes[5] if isinstance(function, RowFunction) else function.numel_in(5)
    for first, last in ((0, 1), (1, len(rows))):  # the start has no cycle before it
        part = slice(first, last)
        numbers = np.zeros(10) if payload_rows is None else payload_rows[part]
        # without a payload the bodies are constants of the function
        body = (
            np.zeros(size) if payload_rows is None else PayloadParameters.of(robot).inputs(numbers)
        )
        before = rows[:1] if first == 0 else rows[:-1]
        inputs = (
            before[:, : 2 * n], rows[part, : 4 * n], given[part], wanted[part],
            np.zeros(6) if wrench is None else wrench[part], body, numbers, fixed,
        )  # fmt: skip
        if isinstance(function, RowFunction):
            function(*inputs, out=values[part])
        else:
            stacked = [np.broadcast_to(x, (last - first, x.shape[-1])).T for x in inputs]
            values[part] = np.array(function(*stacked)).T
    results, start = {}, 0
    for name, shape in shapes(n).items():
        size = math.prod(shape)
        results[name] = values[:, start : start + size].reshape(-1, *shape)
        start += size
    return results
