"""The papers' intermediate terms by name, each against something that knows nothing of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics.chain import chain_of
from erfd.errors import InputError, MethodError
from support.arms import BUNDLED, Witness, arms, random_state, relative


def in_frame_0(robot: erfd.Robot, wrench: np.ndarray) -> tuple[erfd.Robot, np.ndarray]:
    """The robot with its base at frame 0, and a wrench turned into it."""
    gravity = tuple(np.array(chain_of(robot).gravity).tolist())
    turn = np.array(robot.base.rotation).T
    bare = replace(robot, base=erfd.Pose(), mount=erfd.Pose(), gravity=gravity)
    return bare, np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])


@settings(max_examples=25, deadline=None)
@given(arms(most=6), st.integers(0, 1000))
def test_loads_of_mrnea(robot: erfd.Robot, seed: int) -> None:
    """(12), (16), (20), (27), (32): against the joint reactions of plain Newton-Euler."""
    q, qd, qdd, wrench = random_state(seed, robot.n)
    terms = erfd.terms(robot, q, qd, qdd, wrench=wrench)
    bare, load = in_frame_0(robot, wrench)
    forces, moments = erfd.joint_reactions(bare, q, qd, qdd, wrench=load)
    assert relative(terms["f_hat_i"].ravel(), forces.ravel()) < 1e-10
    assert relative(terms["n_hat_i"].ravel(), moments.ravel()) < 1e-10
    # (18): the force of link i is what its two joints leave over; f_(n+1) = f_e
    beyond = np.vstack([terms["f_i"][1:], load[:3]])
    assert relative((terms["f_i"] - beyond).ravel(), terms["F_i"].ravel()) < 1e-9
    # all links together: the rate of change of linear momentum, by differences of the witness
    step = 1e-5
    later = erfd.momentum(bare, q + qd * step + qdd * step**2 / 2, qd + qdd * step)[0]
    before = erfd.momentum(bare, q - qd * step + qdd * step**2 / 2, qd - qdd * step)[0]
    mass = sum(link.mass for link in robot.links)
    rate = (later - before) / (2 * step) - mass * np.array(bare.gravity)
    assert np.abs(terms["F_i"].sum(axis=0) - rate).max() < 1e-5 * np.abs(terms["F_i"]).max()


@pytest.mark.parametrize("name", BUNDLED)
def test_terms_without_primes_add_up_to_those_with(name: str) -> None:
    """(28)-(31): n'_ic, n'_ia1, n'_ia2 and n'_ia3 are sums over the links beyond."""
    robot = erfd.load(name)
    q, qd, _, wrench = random_state(3, robot.n)
    terms = erfd.terms(robot, q, qd, wrench=wrench)
    size = np.abs(terms["n_ic"]).max() + np.abs(terms["n_ia1"]).max()
    for key in ("n_ic", "n_ia1", "n_ia2", "n_ia3"):
        summed = np.cumsum(terms[f"{key}_link"][::-1], axis=0)[::-1]
        assert np.abs(summed - terms[key]).max() < 1e-12 * size, key


@pytest.mark.parametrize("name", BUNDLED)
def test_terms_of_composites(name: str) -> None:
    """003 (13)-(18): K_f, K_n are the Jacobian, H and B Pinocchio's, M_j the masses beyond."""
    robot = erfd.load(name)
    q, qd, _, wrench = random_state(5, robot.n)
    terms = erfd.terms(robot, q, qd, method="wo3", wrench=wrench)
    bare, load = in_frame_0(robot, wrench)
    witness = Witness(bare)
    assert relative(terms["H"].ravel(), witness.mass_matrix(q).ravel()) < 1e-10
    assert relative(terms["B"], witness.inverse_dynamics(q, qd, 0 * qd, load)) < 1e-10
    jacobian = erfd.jacobian(bare, q)
    assert np.abs(np.vstack([terms["K_f"], terms["K_n"]]) - jacobian).max() < 1e-12
    still = witness.inverse_dynamics(q, qd, 0 * qd, 0 * load)
    felt = terms["K_f"].T @ load[:3] + terms["K_n"].T @ load[3:]  # (14)
    assert relative(terms["B"] - felt, still) < 1e-9
    masses = np.array([link.mass for link in robot.links])
    assert terms["M_j"] == pytest.approx(np.cumsum(masses[::-1])[::-1])
    assert np.linalg.eigvalsh(terms["E_j"]).min() > -1e-12  # an inertia about a mass centre
    # the composite of all links: its mass centre is where the potential energy says
    if terms["M_j"][0] > 0:
        first = erfd.link_frames(bare, q)[1]
        centre = first[:3, :3] @ terms["c_j"][0] + first[:3, 3]
        energy = -terms["M_j"][0] * np.dot(bare.gravity, centre)
        assert energy == pytest.approx(float(erfd.potential_energy(bare, q)), rel=1e-10, abs=1e-9)


def test_derivatives_of_frames_are_those_of_004() -> None:
    """U_ij and U_ijk: complex-step derivatives are exact; here central differences of frames."""
    robot = erfd.load("stanford")
    q, qd, _, _ = random_state(8, robot.n)
    terms = erfd.terms(robot, q, qd, method="lagrange")
    bare = replace(robot, base=erfd.Pose(), mount=erfd.Pose())
    step = 1e-5
    for j in range(robot.n):
        shift = np.eye(robot.n)[j] * step
        ahead, behind = (erfd.link_frames(bare, q + s)[1:] for s in (shift, -shift))
        slope = (ahead - behind) / (2 * step)
        assert np.abs(slope - terms["U_ij"][:, j]).max() < 1e-9
        ahead, behind = (
            erfd.terms(robot, q + s, qd, method="lagrange")["U_ij"] for s in (shift, -shift)
        )
        assert np.abs((ahead - behind) / (2 * step) - terms["U_ijk"][:, :, j]).max() < 1e-9


def test_mistakes_are_said() -> None:
    robot = erfd.load("two_link")
    with pytest.raises(MethodError, match="expected one of mrnea, lagrange, dalembert, wo3"):
        erfd.terms(robot, [0, 0], [0, 0], method="aba")
    with pytest.raises(InputError, match="only mrnea has terms with it"):
        erfd.terms(robot, [0, 0], [0, 0], [0, 0], method="wo3")
    with pytest.raises(InputError, match="expected one state"):
        erfd.terms(robot, np.zeros((2, 2)), [0, 0])
