"""Arrays in, arrays out: broadcasting, and the sentence that every wrong argument deserves."""

import numpy as np
import pytest

import erfd
from erfd.errors import ErfdError, InputError, MethodError, SingularError
from support.arms import random_state

LOLA = erfd.load("lola15")
ZERO = np.zeros(6)


def test_leading_axes_broadcast() -> None:
    q, qd, qdd, wrench = random_state(1, 6, 4, 3)
    u = erfd.inverse_dynamics(LOLA, q, qd[0], qdd[:, :1], wrench=wrench[0, 0])
    assert u.shape == (4, 3, 6)
    one = erfd.inverse_dynamics(LOLA, q[2, 1], qd[0, 1], qdd[2, 0], wrench=wrench[0, 0])
    assert np.allclose(u[2, 1], one, rtol=1e-12)
    assert erfd.mass_matrix(LOLA, q).shape == (4, 3, 6, 6)
    assert erfd.jacobian(LOLA, q).shape == (4, 3, 6, 6)
    assert erfd.forward_kinematics(LOLA, q).shape == (4, 3, 4, 4)
    forces, moments = erfd.joint_reactions(LOLA, q, qd, qdd)
    assert forces.shape == moments.shape == (4, 3, 6, 3)
    assert erfd.kinetic_energy(LOLA, q, qd).shape == (4, 3)
    assert erfd.momentum(LOLA, q, qd)[1].shape == (4, 3, 3)


def test_an_empty_batch() -> None:
    none = np.zeros((0, 6))
    for method in ("fast", "wo4", "aba", "mrnea"):
        assert erfd.forward_dynamics(LOLA, none, none, none, method=method).shape == (0, 6)
    assert erfd.mass_matrix(LOLA, none).shape == (0, 6, 6)


def test_lists_integers_and_strided_arrays_are_welcome() -> None:
    wide = np.arange(24.0).reshape(2, 12)[:, ::2] / 10
    plain = erfd.gravity_torque(LOLA, wide.tolist())
    assert np.array_equal(erfd.gravity_torque(LOLA, wide), plain)
    assert erfd.gravity_torque(LOLA, [0, 1, 0, 1, 0, 1]).dtype == np.float64


def test_inputs_are_not_changed() -> None:
    q, qd, qdd, wrench = random_state(2, 6)
    copies = [a.copy() for a in (q, qd, qdd, wrench)]
    erfd.inverse_dynamics(LOLA, q, qd, qdd, wrench=wrench, damping=True)
    erfd.forward_dynamics(LOLA, q, qd, qdd, wrench=wrench, damping=True)
    assert all(np.array_equal(a, b) for a, b in zip((q, qd, qdd, wrench), copies, strict=True))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            (np.zeros(5), ZERO, ZERO),
            r"q: expected shape \(..., 6\) for robot 'lola15', found \(5,\)",
        ),
        ((ZERO, 0.0, ZERO), r"qd: expected shape \(..., 6\) for robot 'lola15', found \(\)"),
        ((ZERO, ZERO, np.full(6, np.nan)), r"qdd: expected finite numbers, found nan at \[0\]"),
        ((ZERO, np.full(6, np.inf), ZERO), "qd: expected finite numbers"),
        ((np.zeros((2, 6)), np.zeros((3, 6)), ZERO), r"do not broadcast: q \(2, 6\), qd \(3, 6\)"),
        ((["a"] * 6, ZERO, ZERO), "q: expected numbers"),
        ((ZERO, ZERO, np.full(6, 1e308)), "overflows"),
    ],
)
def test_wrong_arrays(arguments: tuple, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.inverse_dynamics(LOLA, *arguments)


def test_a_wrong_wrench_or_robot() -> None:
    with pytest.raises(InputError, match=r"wrench: expected shape \(..., 6\), found \(3,\)"):
        erfd.bias(LOLA, ZERO, ZERO, wrench=[1, 2, 3])
    with pytest.raises(InputError, match=r"robot: expected an erfd\.Robot"):
        erfd.bias(("lola15",), ZERO, ZERO)


@pytest.mark.parametrize(
    ("quantity", "method", "sentence"),
    [
        ("inverse_dynamics", "rnea", "expected one of ne_base, ne_link, mrnea, .*found 'rnea'"),
        ("inverse_dynamics", "aba", "'aba' does not define inverse_dynamics; these do: ne_base"),
        ("forward_dynamics", "ne_link", "these do: mrnea, wo1, wo2, wo3, wo4, aba, denoc"),
        ("forward_dynamics", ["fast"], "expected one of mrnea, wo1"),
    ],
)
def test_wrong_methods(quantity: str, method: str, sentence: str) -> None:
    with pytest.raises(MethodError, match=sentence) as caught:
        getattr(erfd, quantity)(LOLA, ZERO, ZERO, ZERO, method=method)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ErfdError)


def test_dalembert_says_that_it_is_for_rotary_joints() -> None:
    with pytest.raises(MethodError, match="rotary joints only"):
        erfd.mass_matrix(erfd.load("stanford"), ZERO, method="dalembert")
    with pytest.raises(MethodError, match="expected one of mrnea, lagrange, dalembert"):
        erfd.terms(LOLA, ZERO, ZERO, method="aba")


def massless(*masses: float) -> erfd.Robot:
    joints = tuple(erfd.Joint(f"j{i}", a=0.5) for i, _ in enumerate(masses))
    links = tuple(erfd.Link(f"l{i}", m) for i, m in enumerate(masses))
    return erfd.Robot("thin", joints, links)


@pytest.mark.parametrize("method", ["auto", "fast", "aba", "denoc", "wo3", "wo4", "mrnea"])
def test_a_massless_chain_has_no_forward_dynamics(method: str) -> None:
    robot = massless(1.0, 0.0)
    with pytest.raises(SingularError, match="'thin': H is singular: joint 2 moves no inertia"):
        erfd.forward_dynamics(robot, [0, 0], [0, 0], [0, 0], method=method)
    assert np.array_equal(erfd.inverse_dynamics(robot, [0, 0], [0, 0], [0, 1]), [0, 0])


def test_h_singular_at_one_pose_only() -> None:
    """A point mass on the axis of joint 1: nothing resists it there, and only there."""
    joints = (erfd.Joint("swing"), erfd.Joint("slide", "prismatic", alpha=0.0, theta=0.0))
    joints = (erfd.Joint("swing", alpha=np.pi / 2), joints[1])
    robot = erfd.Robot("bead", joints, (erfd.Link("rod", 0.0), erfd.Link("bead", 1.0)))
    assert np.isfinite(erfd.forward_dynamics(robot, [0, 0.5], [0, 0], [1, 1])).all()
    with pytest.raises(SingularError, match="singular or overflows"):
        erfd.forward_dynamics(robot, [0, 0], [0, 0], [1, 1])
    with pytest.raises(SingularError, match=r"at state \[1\]"):
        erfd.forward_dynamics(robot, [[0, 0.5], [0, 0]], [0, 0], [1, 1])


def damped() -> erfd.Robot:
    joints = tuple(erfd.Joint(f"j{i}", a=0.4, damping=0.5 + i) for i in range(2))
    inertia = ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))
    links = tuple(erfd.Link(f"l{i}", 1.0, (-0.2, 0, 0), inertia) for i in range(2))
    return erfd.Robot("damped", joints, links)


def test_damping_is_that_of_the_joints() -> None:
    robot = damped()
    qd = np.array([2.0, -3.0])
    for quantity in (erfd.inverse_dynamics, erfd.bias):
        rest = [np.zeros(2)] if quantity is erfd.inverse_dynamics else []
        more = quantity(robot, [0, 1], qd, *rest, damping=True)
        assert np.allclose(more - quantity(robot, [0, 1], qd, *rest), [1.0, -4.5])


def test_the_old_name_of_damping_still_works() -> None:
    """It warns at the caller's line."""
    robot, state = damped(), ([0.0, 1.0], [2.0, -3.0])
    for quantity in (erfd.inverse_dynamics, erfd.forward_dynamics, erfd.bias):
        rest = () if quantity is erfd.bias else ([0.3, 0.4],)
        with pytest.warns(DeprecationWarning, match="friction= is now called damping=") as caught:
            found = quantity(robot, *state, *rest, friction=True)
        assert caught[0].filename == __file__
        assert np.array_equal(found, quantity(robot, *state, *rest, damping=True))
        with pytest.warns(DeprecationWarning, match="rotor_torque"):
            assert np.array_equal(
                quantity(robot, *state, *rest, friction=False), quantity(robot, *state, *rest)
            )


@pytest.mark.parametrize("overlap", [0, 1])
@pytest.mark.parametrize("backend", ["numpy", "compiled"])
def test_damping_where_the_result_takes_the_place_of_the_velocity(
    backend: str, overlap: int
) -> None:
    """All of it, or a row further."""
    robot = damped()
    random = np.random.default_rng(3)
    q, qdd = random.uniform(-2, 2, (2, 5, 2))
    with erfd.backend(backend):
        for quantity in (erfd.inverse_dynamics, erfd.forward_dynamics, erfd.bias):
            rest = () if quantity is erfd.bias else (qdd,)
            place = random.uniform(-2, 2, (6, 2))
            wanted = quantity(robot, q, place[:5].copy(), *rest, damping=True)
            out = place[overlap : overlap + 5]
            assert quantity(robot, q, place[:5], *rest, damping=True, out=out) is out
            assert np.allclose(out, wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("qd", "x", "sentence"),
    [
        (np.zeros(3), np.zeros(2), r"qd: expected shape \(..., 2\)"),
        (np.zeros(2), "ab", r"(u|qdd): expected numbers, found 'ab'"),
        (np.zeros(2) * 1j, np.zeros(2), "qd: expected numbers"),
        (np.full(2, np.inf), np.zeros(2), "qd: expected finite numbers, found inf"),
        (np.zeros((2, 2)), np.zeros((3, 2)), "do not broadcast"),
        (np.full(2, 1.5e308), np.zeros(2), "the damping of robot 'damped' overflows"),
    ],
)
def test_damping_of_wrong_arguments(qd, x, sentence: str) -> None:
    for quantity in (erfd.inverse_dynamics, erfd.forward_dynamics):
        with pytest.raises(InputError, match=sentence):
            quantity(damped(), np.zeros(2), qd, x, damping=True)


@pytest.mark.parametrize("backend", ["numpy", "compiled"])
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (
            np.ma.array(ZERO, mask=[0, 0, 1, 0, 0, 0]),
            "expected numbers, found some that are masked",
        ),
        ([10**400] * 6, "expected numbers, found"),
        (np.full(6, np.longdouble("1e4000")), "expected finite numbers, found inf"),
    ],
)
def test_numbers_that_are_none(backend: str, value, sentence: str) -> None:
    with erfd.backend(backend):
        for place, name in enumerate(("q", "qd", "qdd", "wrench")):
            given = [ZERO] * 4
            given[place] = value
            with pytest.raises(InputError, match=f"^{name}: {sentence}"):
                erfd.inverse_dynamics(LOLA, *given[:3], wrench=given[3], out=np.zeros(6))


@pytest.mark.parametrize("backend", ["numpy", "compiled"])
def test_external_torque_is_the_wrench_through_the_jacobian(backend: str) -> None:
    q, _, _, wrench = random_state(4, 6, 7)
    with erfd.backend(backend):
        found = erfd.external_torque(LOLA, q, wrench)
        wanted = np.einsum("...ki,...k->...i", erfd.jacobian(LOLA, q), wrench)
        assert np.allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
        assert np.array_equal(erfd.external_torque(LOLA, q[3], wrench[3]), found[3])
        assert np.array_equal(erfd.external_torque(LOLA, q[3], None), ZERO)
        assert erfd.external_torque(LOLA, q[:, None], wrench).shape == (7, 7, 6)
        with pytest.raises(InputError, match="the external torque of robot 'lola15' overflows"):
            erfd.external_torque(LOLA, ZERO, np.full(6, 1e308))


@pytest.mark.parametrize("link", [0, 7, True, "flange", 2.0, [1]])
def test_felt_load_of_no_link(link) -> None:
    with pytest.raises(InputError, match="link: expected 1 to 6 or None, found"):
        erfd.felt_load(LOLA, ZERO, ZERO, ZERO, link=link)
