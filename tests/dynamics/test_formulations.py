"""Every formulation gives the same numbers, and they are Pinocchio's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics import methods
from erfd.dynamics.methods import METHODS
from support.arms import BUNDLED, Witness, arms, random_state, reference, relative

# 1e-9 is the promise; what is measured is 1e-12 or better but for arms with a wild spread of H
PROMISE = 1e-9
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias")


def able(robot: erfd.Robot, quantity: str) -> list[str]:
    rotary = all(joint.revolute for joint in robot.joints)
    return [m for m in methods.methods_for(quantity) if rotary or m != "dalembert"]


def check_all_methods(robot: erfd.Robot, seed: int) -> None:
    """All methods against Pinocchio for one random state."""
    q, qd, qdd, wrench = random_state(seed, robot.n)
    witness = Witness(robot)
    u = witness.inverse_dynamics(q, qd, qdd, wrench)
    h = witness.mass_matrix(q)
    rest = witness.inverse_dynamics(q, qd, 0 * qdd, wrench)
    # what a torque error of one part in 1e12 does to the accelerations
    slack = np.linalg.cond(h) * 1e-13 * np.abs(u).max() / (np.abs(h).max() * np.abs(qdd).max())
    for method in able(robot, "inverse_dynamics"):
        found = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench, method=method)
        assert relative(found, u) < PROMISE, method
    for method in able(robot, "mass_matrix"):
        found = erfd.mass_matrix(robot, q, method=method)
        assert relative(found.ravel(), h.ravel()) < PROMISE, method
    for method in able(robot, "bias"):
        found = erfd.bias(robot, q, qd, wrench=wrench, method=method)
        assert relative(found, rest) < PROMISE, method
    for method in able(robot, "forward_dynamics"):
        found = erfd.forward_dynamics(robot, q, qd, u, wrench=wrench, method=method)
        assert relative(found, qdd) < max(PROMISE, slack), method


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_robots(name: str) -> None:
    for seed in range(5):
        check_all_methods(erfd.load(name), seed)


@settings(max_examples=40, deadline=None)
@given(arms(), st.integers(0, 1000))
def test_random_arms(robot: erfd.Robot, seed: int) -> None:
    check_all_methods(robot, seed)


@pytest.mark.parametrize("method", methods.methods_for("forward_dynamics"))
def test_lola15_reference_accelerations(method: str) -> None:
    robot, known = erfd.load("lola15"), reference()
    found = erfd.forward_dynamics(robot, known["q"], known["qd"], known["u"], method=method)
    assert relative(found, known["qdd"]) < PROMISE


@pytest.mark.parametrize("method", methods.methods_for("inverse_dynamics"))
def test_lola15_reference_torques(method: str) -> None:
    robot, known = erfd.load("lola15"), reference()
    found = erfd.inverse_dynamics(robot, known["q"], known["qd"], known["qdd"], method=method)
    assert relative(found, known["u"]) < PROMISE


DEFINED = [(q, m) for q in QUANTITIES for m in METHODS if methods.serves(m, q)]


@pytest.mark.parametrize(("quantity", "method"), DEFINED)
def test_a_batch_equals_single_states(quantity: str, method: str) -> None:
    """The same text on floats and on arrays. 1e-13: NumPy's sine and the C library's may differ."""
    robot = erfd.load("puma560")
    q, qd, qdd, wrench = random_state(3, robot.n, 2, 5)
    u = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench)
    arguments = {
        "inverse_dynamics": (q, qd, qdd),
        "forward_dynamics": (q, qd, u),
        "bias": (q, qd),
        "mass_matrix": (q,),
    }[quantity]
    function = getattr(erfd, quantity)
    extra = {} if quantity == "mass_matrix" else {"wrench": wrench}
    batch = function(robot, *arguments, method=method, **extra)
    for index in np.ndindex(2, 5):
        one = {key: value[index] for key, value in extra.items()}
        single = function(robot, *(a[index] for a in arguments), method=method, **one)
        limit = 1e-13 if quantity != "forward_dynamics" else 1e-11  # H^-1 magnifies by cond(H)
        assert relative(batch[index].ravel(), single.ravel()) < limit


@settings(max_examples=20, deadline=None)
@given(arms(), st.integers(0, 1000))
def test_inverse_undoes_forward(robot: erfd.Robot, seed: int) -> None:
    q, qd, u, wrench = random_state(seed, robot.n)
    for method in able(robot, "forward_dynamics"):
        qdd = erfd.forward_dynamics(robot, q, qd, u, wrench=wrench, method=method, damping=True)
        back = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=wrench, damping=True)
        rest = erfd.bias(robot, q, qd, wrench=wrench)
        scale = max(np.abs(u).max(), np.abs(rest).max())
        h = erfd.mass_matrix(robot, q)
        assert np.abs(back - u).max() / scale < max(PROMISE, 1e-14 * np.linalg.cond(h)), method
