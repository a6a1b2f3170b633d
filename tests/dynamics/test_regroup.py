"""Regrouped parameters: no torque changes, and the trace is shorter."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.dynamics import fast
from erfd.dynamics.chain import chain_of, motions
from erfd.dynamics.regroup import regrouped_moments, true_moments
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
    """What the reason for regrouping is: 60 numbers become 40, none of them a mass."""
    chain = chain_of(erfd.load("lola15"))
    count = [
        sum(
            bool(x)
            for m in group
            for x in (m.mass, *m.first, *np.array(m.second)[np.triu_indices(3)])
        )
        for group in (true_moments(chain), regrouped_moments(chain))
    ]
    assert count[1] < count[0]
