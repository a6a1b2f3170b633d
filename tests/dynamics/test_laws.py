"""Laws of mechanics that hold for every arm."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics import lagrange
from erfd.dynamics.chain import chain_of, motions
from support.arms import BUNDLED, arms, random_robot, random_state, relative

states = st.integers(0, 10_000)
some = settings(max_examples=40, deadline=None)


@some
@given(arms(), states)
def test_mass_matrix_is_symmetric_positive_definite(robot: erfd.Robot, seed: int) -> None:
    q, *_ = random_state(seed, robot.n)
    for method in ("fast", "wo1", "wo3", "mrnea", "denoc", "lagrange"):
        h = erfd.mass_matrix(robot, q, method=method)
        assert np.abs(h - h.T).max() <= 1e-12 * np.abs(h).max()
        size = np.sqrt(np.diag(h))
        assert np.linalg.eigvalsh(h / np.outer(size, size))[0] > 0


@some
@given(arms(), states)
def test_kinetic_energy_is_the_quadratic_form_of_h(robot: erfd.Robot, seed: int) -> None:
    q, qd, *_ = random_state(seed, robot.n)
    wanted = 0.5 * qd @ erfd.mass_matrix(robot, q) @ qd
    assert erfd.kinetic_energy(robot, q, qd) == pytest.approx(wanted, rel=1e-10)


@some
@given(arms(), states)
def test_gravity_torque_is_the_gradient_of_potential_energy(robot: erfd.Robot, seed: int) -> None:
    q, *_ = random_state(seed, robot.n)
    step = 1e-5
    shifts = step * np.eye(robot.n)
    slope = erfd.potential_energy(robot, q + shifts) - erfd.potential_energy(robot, q - shifts)
    wanted = slope / (2 * step)
    weight = sum(link.mass for link in robot.links) * np.linalg.norm(robot.gravity)
    # central differences: step^2 times a third derivative, plus rounding over the step
    assert np.abs(erfd.gravity_torque(robot, q) - wanted).max() < 1e-8 * max(weight, 1) * robot.n


@some
@given(arms(), states)
def test_wrench_acts_through_the_transposed_jacobian(robot: erfd.Robot, seed: int) -> None:
    """Pushing on the environment costs +J^T k_e (erratum 2)."""
    q, qd, qdd, wrench = random_state(seed, robot.n)
    wanted = erfd.jacobian(robot, q).T @ wrench
    assert relative(erfd.external_torque(robot, q, wrench), wanted) < 1e-10
    loaded = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)
    free = erfd.inverse_dynamics(robot, q, qd, qdd)
    scale = max(np.abs(loaded).max(), np.abs(free).max())
    assert np.abs(loaded - free - wanted).max() / scale < 1e-10


@some
@given(arms(), states)
def test_power_balance(robot: erfd.Robot, seed: int) -> None:
    """u . q' is the rate of the energy: central difference along the motion."""
    q, qd, qdd, _ = random_state(seed, robot.n)
    step = 1e-5

    def energy(t: float) -> float:
        at, rate = q + qd * t + qdd * t * t / 2, qd + qdd * t
        return float(erfd.kinetic_energy(robot, at, rate) + erfd.potential_energy(robot, at))

    rate = (energy(step) - energy(-step)) / (2 * step)
    power = erfd.inverse_dynamics(robot, q, qd, qdd) @ qd
    size = abs(energy(0.0)) + abs(power) + np.abs(erfd.mass_matrix(robot, q)).max()
    assert power == pytest.approx(rate, abs=2e-6 * size)


@some
@given(arms(), states)
def test_coriolis_matrix(robot: erfd.Robot, seed: int) -> None:
    """C q' + g = u', H' - 2C is skew, and C is the matrix of Christoffel symbols (lagrange)."""
    q, qd, *_ = random_state(seed, robot.n)
    c = erfd.coriolis_matrix(robot, q, qd)
    rest = erfd.bias(robot, q, qd)
    scale = max(np.abs(rest).max(), np.abs(erfd.gravity_torque(robot, q)).max())
    assert np.abs(c @ qd + erfd.gravity_torque(robot, q) - rest).max() < 1e-10 * scale
    chain = chain_of(robot)
    pose = motions(chain, list(q), np.cos, np.sin)
    christoffel = np.array(lagrange.coriolis_matrix(chain, pose, list(qd)))
    assert np.abs(c - christoffel).max() < 1e-10 * max(np.abs(c).max(), 1e-3)
    step = 1e-5
    growth = erfd.mass_matrix(robot, q + step * qd) - erfd.mass_matrix(robot, q - step * qd)
    skew = growth / (2 * step) - 2 * c
    assert np.abs(skew + skew.T).max() < 1e-7 * max(np.abs(c).max(), 1.0)


@some
@given(arms(), states)
def test_a_joint_does_not_throw_itself(robot: erfd.Robot, seed: int) -> None:
    """h_iii = 0 (004): a joint's own speed causes no torque in it."""
    q, qd, *_ = random_state(seed, robot.n)
    h = erfd.terms(robot, q, qd, method="lagrange")["h_ikm"]
    diagonal = np.array([h[i, i, i] for i in range(robot.n)])
    assert np.abs(diagonal).max() < 1e-12 * max(np.abs(h).max(), 1.0)


@some
@given(arms(), states)
def test_mount_and_gravity_turned_together_change_nothing(robot: erfd.Robot, seed: int) -> None:
    q, qd, qdd, wrench = random_state(seed, robot.n)
    turn = erfd.Pose(rpy=(0.3, -1.1, 2.0))
    gravity = tuple((np.array(turn.rotation) @ robot.gravity).tolist())
    turned = replace(robot, mount=turn @ robot.mount, gravity=gravity)
    before = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)
    after = erfd.inverse_dynamics(turned, q, qd, qdd, wrench=wrench)
    assert relative(after, before) < 1e-9


def test_two_link_arm_equals_its_closed_form() -> None:
    robot = erfd.load("two_link")
    a1, a2 = (joint.a for joint in robot.joints)
    m1, m2 = (link.mass for link in robot.links)
    l1, l2 = a1 + robot.links[0].center[0], a2 + robot.links[1].center[0]
    i1, i2 = (link.inertia[2][2] for link in robot.links)
    q, qd, qdd, _ = random_state(1, 2, 50)
    g = 9.81
    c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
    h11 = i1 + i2 + m1 * l1**2 + m2 * (a1**2 + l2**2 + 2 * a1 * l2 * c2)
    h12 = i2 + m2 * (l2**2 + a1 * l2 * c2)
    h22 = i2 + m2 * l2**2
    k = m2 * a1 * l2 * s2
    lever1 = (m1 * l1 + m2 * a1) * np.cos(q[:, 0])
    lever2 = m2 * l2 * np.cos(q.sum(axis=1))
    u1 = h11 * qdd[:, 0] + h12 * qdd[:, 1] - k * (2 * qd[:, 0] + qd[:, 1]) * qd[:, 1]
    u2 = h12 * qdd[:, 0] + h22 * qdd[:, 1] + k * qd[:, 0] ** 2
    wanted = np.stack([u1 + g * (lever1 + lever2), u2 + g * lever2], axis=-1)
    assert relative(erfd.inverse_dynamics(robot, q, qd, qdd), wanted) < 1e-13


@pytest.mark.parametrize("name", ["two_link", "stanford", "sdt4"])
def test_free_motion_conserves_energy_to_the_order_of_the_integrator(name: str) -> None:
    """Classical Runge-Kutta is of fourth order: half the step, a sixteenth of the energy error."""
    robot = erfd.load(name)

    def drift(steps: int) -> float:
        q, qd = np.full(robot.n, 0.4), np.full(robot.n, 0.3)
        h = 0.2 / steps

        def rate(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            return erfd.forward_dynamics(robot, q, qd, np.zeros(robot.n))

        def energy() -> float:
            return float(erfd.kinetic_energy(robot, q, qd) + erfd.potential_energy(robot, q))

        start = energy()
        for _ in range(steps):
            k1 = rate(q, qd)
            k2 = rate(q + h / 2 * qd, qd + h / 2 * k1)
            k3 = rate(q + h / 2 * qd + h * h / 4 * k1, qd + h / 2 * k2)
            k4 = rate(q + h * qd + h * h / 2 * k2, qd + h * k3)
            q = q + h * qd + h * h / 6 * (k1 + k2 + k3)
            qd = qd + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return abs(energy() - start)

    coarse, fine = drift(10), drift(20)
    assert coarse / fine > 12


@some
@given(arms(), states)
def test_momentum(robot: erfd.Robot, seed: int) -> None:
    """The base carries the rate of the momentum, less the weight (Newton for the whole arm)."""
    q, qd, qdd, _ = random_state(seed, robot.n)
    step = 1e-5
    ahead, behind = (
        erfd.momentum(robot, q + qd * t + qdd * t * t / 2, qd + qdd * t)[0] for t in (step, -step)
    )
    mount = np.array(robot.mount.rotation)
    weight = sum(link.mass for link in robot.links) * mount.T @ np.array(robot.gravity)
    wanted = (ahead - behind) / (2 * step) - weight
    force = np.array(robot.base.rotation) @ erfd.joint_reactions(robot, q, qd, qdd)[0][0]
    assert np.abs(force - wanted).max() < 1e-6 * max(np.abs(wanted).max(), 10.0)


def test_spatial_disorientation_trainer_example() -> None:
    """000 Fig. 3, 001 Fig. A3: mRNEA's torques are RNEA's, and solving (34) recovers q''."""
    robot = erfd.load("sdt4")
    t = np.linspace(0, 10, 401)[:, None]
    rates = np.array([0.3, 0.5, 0.8, 1.1])
    sizes = np.array([1.5, 1.0, 0.7, 0.4])
    q = sizes * np.sin(rates * t)
    qd, qdd = sizes * rates * np.cos(rates * t), -sizes * rates**2 * np.sin(rates * t)
    u = erfd.inverse_dynamics(robot, q, qd, qdd, method="mrnea")
    assert relative(u, erfd.inverse_dynamics(robot, q, qd, qdd, method="ne_base")) < 1e-12
    back = erfd.forward_dynamics(robot, q, qd, u, method="mrnea")
    assert relative(back, qdd) < 1e-9


@pytest.mark.parametrize("name", BUNDLED)
def test_mrnea_terms_add_up(name: str) -> None:
    """(5), (9), (13), (17), (27): the papers' vectors against plain Newton-Euler, in frame 0."""
    robot = erfd.load(name)
    q, qd, qdd, wrench = random_state(7, robot.n)
    terms = erfd.terms(robot, q, qd, wrench=wrench)
    rates = np.einsum("k,j->kj", qd, qd)
    mass = np.array([link.mass for link in robot.links])[:, None]
    gravity = np.array(chain_of(robot).gravity)
    e_i = mass * (np.einsum("ikjx,kj->ix", terms["b_ikj"], rates) - gravity)
    assert relative(terms["e_i"].ravel(), e_i.ravel()) < 1e-12
    d_i = np.einsum("ikjx,kj->ix", terms["d_ikj"], rates)
    assert np.abs(terms["d_i"] - d_i).max() < 1e-12 * max(np.abs(d_i).max(), 1e-3)
    columns = terms["n_ia1"] + terms["n_ia2"] + terms["n_ia3"]
    moments = terms["n_ic"] + np.einsum("ikx,k->ix", columns, qdd)
    frames = erfd.link_frames(replace(robot, base=erfd.Pose()), q)[:-1, :3, :3]
    load = np.concatenate([np.array(robot.base.rotation).T @ w for w in (wrench[:3], wrench[3:])])
    bare = replace(robot, base=erfd.Pose(), mount=erfd.Pose(), gravity=tuple(gravity.tolist()))
    _, local = erfd.joint_reactions(bare, q, qd, qdd, wrench=load)
    wanted = np.einsum("iab,ib->ia", frames, local)
    assert relative(moments.ravel(), wanted.ravel()) < 1e-10


@pytest.mark.parametrize("kinds", ["RPRR", "PRP", "RRRRRR"])
def test_joint_reactions_hold_the_torque(kinds: str) -> None:
    """The component of the reaction along the joint axis is the joint torque (33)."""
    robot = random_robot(11, kinds)
    q, qd, qdd, wrench = random_state(2, robot.n, 20)
    forces, moments = erfd.joint_reactions(robot, q, qd, qdd, wrench=wrench)
    turning = np.array([joint.revolute for joint in robot.joints])
    along = np.where(turning, moments[..., 2], forces[..., 2])
    assert relative(along, erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)) < 1e-10
