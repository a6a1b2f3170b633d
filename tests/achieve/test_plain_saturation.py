"""The witness of Algorithm 1's saturation (support/plain_saturation.py): exact and unique."""

import numpy as np
import pytest

from support.plain_saturation import Problem, every_solution, solve, violation

DT = 0.01


def random_problems(seed: int, count: int, spread: float, n: int = 6) -> Problem:
    """Problems of all kinds: rotors at rest or not, that are to stop, to reverse, to go on."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(count, n, n)))[0]
    sizes = 10 ** rng.uniform(-spread / 2, spread / 2, (count, n))
    matrix = np.einsum("mij,mj,mkj->mik", turn, sizes, turn)
    normal = lambda size: rng.normal(scale=size, size=(count, n))  # noqa: E731
    uniform = lambda low, high: rng.uniform(low, high, (count, n))  # noqa: E731
    dry = uniform(0, 0.3) * rng.integers(0, 2, (count, n))
    rate = normal(3 * DT) * rng.integers(0, 2, (count, n))
    wanted = np.where(rng.random((count, n)) < 0.2, -rate / DT, normal(3))
    return Problem(
        matrix, normal(3), wanted, uniform(0, 0.4), dry, uniform(0.01, 1), normal(0.1), rate,
        uniform(0.5, 4), DT,
    )  # fmt: skip


@pytest.mark.parametrize("spread", [1, 2, 4])
def test_the_problem_is_solved_exactly(spread: int) -> None:
    """Every condition of erratum 8, over 6,000 random states in all."""
    p = random_problems(spread, 2_000, spread)
    found = solve(p)
    assert found.solved.all()
    tight = found.side != 0
    assert 0.2 < tight.mean() < 0.9
    for name, gap in violation(p, found.y, found.torque, found.side).items():
        assert gap.max() < 1e-10, name
    end = p.rate + found.y * DT
    assert (found.slip * end >= 0).all()
    for stuck in (tight & (found.slip == 0), ~tight & (found.slip == 0), found.slip != 0):
        assert stuck.mean() > 0.01  # there are all kinds


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_solution_is_unique(n: int) -> None:
    """Among all 11^n pieces only one solution fits, and it is the one that was found."""
    p = random_problems(9 + n, 150, 2, n)
    found = solve(p)
    for m in range(150):
        fits, sides = every_solution(p.rows(np.array([m])))
        assert len(fits)
        size = np.abs(found.y[m]).max() + np.abs(p.wanted[m]).max()
        assert np.abs(fits - found.y[m]).max() <= 1e-9 * size
        assert (sides == found.side[m]).all(axis=1).any()


def test_a_rotor_with_neither_inertia_nor_friction() -> None:
    """Direct drives: nothing but the load of the links, and endless limits do no harm."""
    p = random_problems(4, 300, 2)
    limit = np.where(np.arange(6) < 2, np.inf, p.limit)
    zero = np.zeros_like(p.b)
    p = Problem(p.A, p.b, p.wanted, zero, zero, zero, zero, p.rate, limit, DT)
    found = solve(p)
    assert found.solved.all()
    assert not found.side[:, :2].any()
    for name, gap in violation(p, found.y, found.torque, found.side).items():
        assert gap.max() < 1e-10, name
