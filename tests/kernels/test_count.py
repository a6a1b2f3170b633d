"""Operation counts: the published one, the rules, and that the traces compute the right thing."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics import methods
from erfd.errors import InputError, MethodError
from erfd.kernels import published_counts as published
from erfd.kernels.count import best_method, count_instructions, papers_count
from erfd.kernels.trace import trace
from erfd.robot.synthetic import first_links, general_robot
from support.arms import BUNDLED, Witness, arms, random_robot, random_state, relative


def evaluate(function, q, qd, x, y=None, wrench=None) -> np.ndarray:
    spare, none = np.zeros_like(q), np.zeros(6)
    y = spare if y is None else y
    return np.array(
        function(np.cos(q), np.sin(q), q, qd, x, y, none if wrench is None else wrench)
    ).ravel()


def able(robot: erfd.Robot, quantity: str) -> list[str]:
    rotary = all(joint.revolute for joint in robot.joints)
    return [m for m in methods.methods_for(quantity) if rotary or m != "dalembert"]


def test_the_published_count_of_lola15() -> None:
    """README and docs say 350 multiplications and 304 additions for one forward dynamics.

    Fewer is as much a change as more: the pages are written anew (tests/docs names them).
    """
    count = erfd.operation_count(erfd.load("lola15"))
    assert count.method == "fast"
    assert (count.multiplications, count.additions) == (350, 304)
    assert count.total == 654


@pytest.mark.parametrize("name", BUNDLED)
def test_traced_forward_dynamics_is_pinocchios(name: str) -> None:
    """What is counted is what computes: every traced method with a wrench, at random states."""
    robot = erfd.load(name)
    witness = Witness(robot)
    q, qd, qdd, wrench = random_state(4, robot.n)
    turned = np.concatenate([np.array(robot.base.rotation).T @ w for w in (wrench[:3], wrench[3:])])
    u = witness.inverse_dynamics(q, qd, qdd, wrench)
    for method in able(robot, "forward_dynamics"):
        found = evaluate(trace(robot, "forward_dynamics", method, True), q, qd, u, wrench=turned)
        assert relative(found, qdd) < 1e-8, method
    for method in able(robot, "inverse_dynamics"):
        found = evaluate(trace(robot, "inverse_dynamics", method, True), q, qd, qdd, wrench=turned)
        assert relative(found, u) < 1e-10, method


@settings(max_examples=15, deadline=None)
@given(arms(most=6), st.integers(0, 1000))
def test_traces_of_random_arms(robot: erfd.Robot, seed: int) -> None:
    q, qd, u, _ = random_state(seed, robot.n)
    wanted = Witness(robot).forward_dynamics(q, qd, u)
    slack = 1e-14 * np.linalg.cond(erfd.mass_matrix(robot, q))
    for method in ("fast", "aba", "denoc", "mrnea", "wo3"):
        found = evaluate(trace(robot, "forward_dynamics", method), q, qd, u)
        assert relative(found, wanted) < max(1e-9, slack), method


def test_a_cycle_is_torques_then_accelerations() -> None:
    robot = erfd.load("lola15")
    q, qd, wanted, _ = random_state(9, 6)
    given_u = np.array([100.0, -200.0, 50.0, 5.0, -3.0, 1.0])
    u = erfd.inverse_dynamics(robot, q, qd, wanted)
    qdd = erfd.forward_dynamics(robot, q, qd, given_u)
    for method in methods.methods_for("forward_dynamics"):
        found = evaluate(trace(robot, "cycle", method), q, qd, wanted, given_u)
        assert relative(found[:6], u) < 1e-10, method
        assert relative(found[6:], qdd) < 1e-8, method


def test_a_cycle_costs_mrnea_little_more_than_forward_dynamics() -> None:
    """The papers' claim: u comes out of the same pass, while method 1 needs one more recursion."""
    robot = erfd.load("lola15")
    extra = {
        m: erfd.operation_count(robot, m, "cycle").total - erfd.operation_count(robot, m).total
        for m in ("mrnea", "wo1", "aba")
    }
    assert extra["mrnea"] == 72  # 36 products and sums of H q'' + u'
    assert extra["wo1"] > 4 * extra["mrnea"]
    assert extra["aba"] > 4 * extra["mrnea"]


@pytest.mark.parametrize("quantity", [*methods.FORMULATED_QUANTITIES, "cycle"])
def test_auto_is_the_lowest_count_of_all(quantity: str) -> None:
    """Not only of the two that `auto` looks at."""
    served = "forward_dynamics" if quantity == "cycle" else quantity
    robots = [erfd.load(name) for name in BUNDLED]
    robots += [
        random_robot(seed, kinds) for seed, kinds in enumerate(["R", "P", "RP", "PRPR", "RRRRR"])
    ]
    for robot in robots:
        best = erfd.operation_count(robot, "auto", quantity)
        assert best.method == best_method(robot, quantity)
        for method in able(robot, served):
            assert erfd.operation_count(robot, method, quantity).total >= best.total, method


def test_long_chains_go_to_articulated_bodies() -> None:
    assert best_method(general_robot(8), "forward_dynamics") == "fast"
    assert best_method(general_robot(16), "forward_dynamics") == "aba"
    assert best_method(general_robot(16), "inverse_dynamics") == "fast"


def test_rules_of_counting() -> None:
    """Divisions, squares, reciprocals are products; a doubling is a sum; a sign is free."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    for expression, counts in [
        (x * y, (1, 0)),
        (x / y, (1, 0)),
        (x * x, (1, 0)),
        (1 / x, (1, 0)),
        (2 * x, (0, 1)),
        (-x, (0, 0)),
        (x - y, (0, 1)),
        (-(x * y) + x, (1, 1)),
    ]:
        assert count_instructions(ca.Function("f", [x, y], [expression])) == counts
    with pytest.raises(AssertionError, match="OP_SIN"):
        count_instructions(ca.Function("f", [x], [ca.sin(x)]))


def test_counts_grow_faster_than_linearly() -> None:
    """Erratum 6: mRNEA keeps n columns for n links; Newton-Euler and ABA are the linear ones."""

    def steps(method: str, quantity: str) -> np.ndarray:
        totals = [
            erfd.operation_count(general_robot(n), method, quantity).total for n in (8, 10, 12, 14)
        ]
        return np.diff(totals)

    assert (
        np.ptp(steps("ne_link", "inverse_dynamics"))
        <= 0.01 * steps("ne_link", "inverse_dynamics")[0]
    )
    assert np.ptp(steps("aba", "forward_dynamics")) <= 0.05 * steps("aba", "forward_dynamics")[0]
    assert (np.diff(steps("mrnea", "forward_dynamics")) > 200).all()


def test_mrnea_as_the_papers_count_it() -> None:
    """r_cm, I_cm, p_e as inputs leave fewer operations, and fewer than are printed at n = 6."""
    lola = erfd.load("lola15")
    for n in (3, 4, 5, 6):
        arm = first_links(lola, n)
        own = papers_count(arm)
        assert own.total < erfd.operation_count(arm, "mrnea", wrench=True).total
    products, sums = published.TABLE_1[6]
    assert own.multiplications < products
    assert own.additions < sums
    with pytest.raises(InputError, match="n: expected 1 to 6 links of 'lola15', found 7"):
        first_links(lola, 7)


def test_published_formulas() -> None:
    """004 Table 3 at n = 6, worked out by hand; 001 Table 2 is for six joints only."""
    assert published.table_3("lagrange", 6) == (101348, 77405)
    assert published.table_3("ne_link", 6) == (792, 662)
    assert published.table_3("dalembert", 6) == (2963, 2209)
    assert published.table_3("aba", 6) is None
    assert published.published("hollerbach", "inverse_dynamics", 6) == (2195, 1719)
    assert published.published("wo3", "forward_dynamics", 6) == (1627, 1255)
    assert published.published("wo3", "forward_dynamics", 5) is None


def test_unknown_quantity_and_method() -> None:
    robot = erfd.load("two_link")
    with pytest.raises(MethodError, match="quantity: expected one of inverse_dynamics"):
        erfd.operation_count(robot, quantity="speed")
    with pytest.raises(MethodError, match="did you mean 'mrnea'"):
        erfd.operation_count(robot, "mrnae")
