"""Regrouped parameters: no torque changes, and the trace is shorter."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics import fast
from erfd.dynamics.chain import chain_of, motions
from erfd.dynamics.linear import accelerations
from erfd.dynamics.regroup import Moments, regrouped_moments, true_moments
from erfd.kernels.count import count_instructions
from erfd.kernels.trace import TraceInputs, finish, scalars
from support.arms import arms, random_state, relative

states = st.integers(0, 10_000)
some = settings(max_examples=40, deadline=None)


@some
@given(arms(), states)
def test_regrouping_changes_no_torque(robot: erfd.Robot, seed: int) -> None:
    """The same recursion with true and with regrouped parameters; the latter have m = 0."""
    q, qd, qdd, _ = random_state(seed, robot.n)
    chain = chain_of(robot)
    pose = motions(chain, list(q), np.cos, np.sin)
    regrouped = regrouped_moments(chain)
    for body, moments in zip(chain.bodies, regrouped, strict=True):
        gone = (moments.mass, moments.first[2], moments.second[2][2])
        assert gone == (0, 0, 0) if body.revolute else not np.any(moments.second)
    found = fast.inverse_dynamics(chain, pose, list(qd), list(qdd), moments=regrouped)
    wanted = fast.inverse_dynamics(chain, pose, list(qd), list(qdd), moments=true_moments(chain))
    assert relative(np.array(found), np.array(wanted)) < 1e-10


def test_regrouping_shortens_lola15() -> None:
    """The same text of forward dynamics, traced with true and with regrouped parameters."""
    chain = chain_of(erfd.load("lola15"))
    inputs = TraceInputs.of(chain.n)
    pose, qd, u = inputs.motions(chain), scalars(inputs.qd), scalars(inputs.x)

    def counts(moments: list[Moments]) -> tuple[int, int]:
        rest = fast.inverse_dynamics(chain, pose, qd, [0.0] * chain.n, None, moments)
        qdd = accelerations(fast.mass_matrix(chain, pose, moments), u, rest)
        return count_instructions(finish(inputs, qdd))

    def parameters(moments: list[Moments]) -> int:
        upper = np.triu_indices(3)
        rows = [(m.mass, *m.first, *np.array(m.second)[upper]) for m in moments]
        return int(np.count_nonzero(rows))

    true, regrouped = true_moments(chain), regrouped_moments(chain)
    assert counts(regrouped) == (350, 304)
    assert counts(true) == (399, 366)
    assert (parameters(regrouped), parameters(true)) == (31, 49)  # that are not zero, of 60
