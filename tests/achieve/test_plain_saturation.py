"""The witness of Algorithm 1's saturation (support/plain_saturation.py): exact and unique."""

from dataclasses import replace

import numpy as np
import pytest

from support.plain_saturation import Problem, solve

pytestmark = pytest.mark.usefixtures("compiled")


def random_problems(seed: int, count: int, spread: float) -> Problem:
    rng = np.random.default_rng(seed)
    n = 6
    turn = np.linalg.qr(rng.normal(size=(count, n, n)))[0]
    sizes = 10 ** rng.uniform(-spread / 2, spread / 2, (count, n))
    matrix = np.einsum("mij,mj,mkj->mik", turn, sizes, turn)
    normal = lambda size: rng.normal(scale=size, size=(count, n))  # noqa: E731
    uniform = lambda low, high: rng.uniform(low, high, (count, n))  # noqa: E731
    direction = rng.choice([-1.0, 1.0], (count, n))
    dry = uniform(0, 0.3) * rng.integers(0, 2, (count, n))
    return Problem(
        matrix, normal(3), normal(3), uniform(0, 0.4), dry, uniform(0.01, 1), normal(0.1),
        direction, uniform(0.5, 4),
    )  # fmt: skip


@pytest.mark.parametrize("spread", [1, 2, 4])
def test_the_box_problem_is_solved_exactly(spread: int) -> None:
    """Every condition of erratum 8, over 60,000 random states in all."""
    p = random_problems(spread, 20_000, spread)
    found = solve(p)
    assert found.solved.all()
    tight = found.side != 0
    assert 0.2 < tight.mean() < 0.9
    assert (np.abs(found.torque) <= p.limit * (1 + 1e-9)).all()
    assert np.array_equal(found.y[~tight], p.wanted[~tight])
    _, torque = p.torque(found.y)
    gap = np.abs(torque - found.side * p.limit) / p.limit
    assert gap[tight].max() < 1e-9
    assert (found.side * (p.wanted - found.y))[tight].min() >= -1e-9


def test_the_solution_is_unique() -> None:
    """Among all 3^n assignments of limits exactly one fits (n = 3, no load friction)."""
    p = random_problems(9, 200, 2)
    three = slice(0, 3)
    small = Problem(
        p.A[:, three, three], *(getattr(p, name)[:, three] for name in
        ("b", "wanted", "mu", "dry", "inertia", "viscous", "direction", "limit")),
    )  # fmt: skip
    small = replace(small, mu=0 * small.mu)
    found = solve(small)
    choices = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])).reshape(3, -1).T
    for m in range(200):
        fits = []
        for side in choices:
            tight = side != 0
            y = small.wanted[m].copy()
            matrix = small.A[m] + np.diag(small.inertia[m])
            right = side * small.limit[m] - small.viscous[m] - small.b[m]
            right = right - small.dry[m] * small.direction[m]
            if tight.any():
                known = matrix[np.ix_(tight, ~tight)] @ y[~tight]
                y[tight] = np.linalg.solve(matrix[np.ix_(tight, tight)], right[tight] - known)
            torque = matrix @ y + small.viscous[m] + small.b[m] + small.dry[m] * small.direction[m]
            good = (np.abs(torque[~tight]) <= small.limit[m][~tight] * (1 + 1e-12)).all()
            good &= (side * (small.wanted[m] - y) >= 0)[tight].all()
            if good:
                fits.append(side)
        assert len(fits) == 1
        assert np.array_equal(fits[0], found.side[m])
