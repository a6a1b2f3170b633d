"""Algorithm 1 in machine code: the numbers of the plain NumPy text, in lanes and ahead, too."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.achieve.symbols import CycleOptions
from erfd.drives.parameters import parameter_rows
from support.motions import HOME, lola_motion
from support.plain_achiever import plain_rows

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]


def variants() -> dict[str, erfd.Robot]:
    """Lola 15, with a torque-speed curve and Coulomb friction, with full coupling, and turned."""
    points = ((0.0, 17.8), (200.0, 12.0), (330.0, 6.0))
    curved = replace(LOLA.drives[0], curve=points, coulomb=0.3)
    mixed = replace(LOLA.drives[1], coupling=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0))
    turned = {"base": erfd.Pose(rpy=(0.2, 0.3, 0.1)), "mount": erfd.Pose(rpy=(1.0, 0.0, 0.0))}
    return {
        "lola15": LOLA,
        "curve": replace(LOLA, drives=(curved, *LOLA.drives[1:])),
        "coupled": replace(LOLA, drives=(LOLA.drives[0], mixed, *LOLA.drives[2:])),
        "turned": replace(LOLA, **turned),
    }


def agree(run: erfd.Run, same: dict[str, np.ndarray], tolerance: float = 1e-10) -> None:
    for column in ("saturated", "clipped", "stalled"):
        assert np.array_equal(run[column][1:], same[column]), column
    for column in ("q", "qd", "qdd", "u_a", "u_a_wanted", "u_a_max"):
        gap = np.abs(run[column][1:] - same[column]).max()
        assert gap < tolerance * np.abs(same[column]).max(), column


@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("path", ["virtual-work", "diagonal"])
@pytest.mark.parametrize("name", ["lola15", "curve", "coupled", "turned"])
def test_machine_code_agrees_with_plain_numpy(name: str, path: str, follow: str) -> None:
    """Two texts of Algorithm 1: traced and compiled, and NumPy cycle by cycle."""
    robot, trajectory = variants()[name], lola_motion(0.85)
    for wrench in (None, WRENCH):
        options = {"follow": follow, "torque_path": path}
        run = erfd.achievable(robot, trajectory, wrench=wrench, **options)
        assert (run["saturated"] != 0).any()
        agree(run, plain_rows(robot, trajectory, wrench, **options))


def test_the_printed_policy_agrees_with_plain_numpy() -> None:
    run = erfd.achievable(LOLA, lola_motion(0.85), wrench=WRENCH, policy="printed")
    assert (run["saturated"] != 0).any()
    agree(run, plain_rows(LOLA, lola_motion(0.85), WRENCH, policy="printed"))


@pytest.mark.parametrize("policy", ["consistent", "printed"])
def test_casadi_computes_the_same(policy: str) -> None:
    """Without machine code: the same traces, run by CasADi."""
    payload = [None if k % 20 < 7 else erfd.Payload(3.0, (0.01, 0.0, 0.1)) for k in range(86)]
    options = {"wrench": WRENCH, "payload": payload, "policy": policy}
    run = erfd.achievable(LOLA, lola_motion(0.85), **options)
    with erfd.backend("numpy"):
        same = erfd.achievable(LOLA, lola_motion(0.85), **options)
    agree(run, {name: values[1:] for name, values in same.data.items()})


def test_a_payload_that_comes_and_goes() -> None:
    """It enters the compiled loop as numbers; the plain text makes a new robot of it."""
    load = erfd.Payload(6.0, (0.02, -0.01, 0.05), ((0.1, 0.01, 0), (0.01, 0.2, 0), (0, 0, 0.15)))
    payloads = [None if k < 30 or k > 60 else load for k in range(96)]
    run = erfd.achievable(LOLA, lola_motion(0.95), payload=payloads)
    assert (run["saturated"] != 0).any()
    agree(run, plain_rows(LOLA, lola_motion(0.95), payloads=payloads))


def lanes(count: int) -> dict[str, np.ndarray]:
    planner = erfd.Achiever(LOLA, 0.01, q0=HOME)
    values = {k: np.repeat(v[None], count, axis=0) for k, v in planner.values.items()}
    values["load_friction"] = values["load_friction"] * np.linspace(0, 1.5, count)[:, None]
    values["torque_max"] = values["torque_max"] * np.linspace(1.4, 0.4, count)[:, None]
    return values


def test_lanes_are_variants() -> None:
    """Several variants at once: each lane is what it would be alone, to the last bit."""
    trajectory, values = lola_motion(0.9), lanes(4)
    before = np.vstack([trajectory.qd[:1], trajectory.qd[:-1]])
    given = np.hstack([trajectory.q, trajectory.qd, before])[1:]
    state = np.concatenate([trajectory.q[0], trajectory.qd[0]])[:, None]
    four, one = CycleLoop(LOLA, CycleOptions(), 4), CycleLoop(LOLA, CycleOptions(), 1)
    all_rows = parameter_rows(values, 0.01, 6, 4)
    tally = np.zeros((19, 4))
    tally[-1] = -1  # the cycle in which a lane runs away: none
    found = four.run(np.repeat(state, 4, axis=1), given, all_rows, tally=tally, noted=True)
    for lane in range(4):
        own = parameter_rows({k: v[lane] for k, v in values.items()}, 0.01, 6, 1)
        alone = columns(one.run(state, given, own, noted=True)[1:, :, 0], 6, "consistent")
        for name, column in columns(found[1:, :, lane], 6, "consistent").items():
            assert np.array_equal(column, alone[name]), name
        assert np.array_equal(tally[:6, lane], np.abs(alone["torque"]).max(axis=0))
        assert np.array_equal(tally[12:18, lane], np.abs(alone["side"]).sum(axis=0))
    assert (tally[-1] == -1).all()
    last = four.run(np.repeat(state, 4, axis=1), given, all_rows, tally=tally, last=True)
    assert np.array_equal(last[0, :12], found[-1, :12])


def test_cycles_ahead_change_nothing() -> None:
    """One robot's cycles, several at once while they are calm, are what they are one by one."""
    trajectory = lola_motion(
        0.93
    )  # a number of cycles that no vector divides, some of them saturated
    run = erfd.achievable(LOLA, trajectory, wrench=WRENCH)
    planner = erfd.Achiever(LOLA, 0.01, q0=trajectory.q[0])
    tight = (run["saturated"] != 0).any(axis=1)
    assert 0.1 < tight.mean() < 0.7
    for k in range(1, len(trajectory)):
        cycle = planner.step(trajectory.q[k], trajectory.qd[k], wrench=WRENCH)
        for name, value in (("q", cycle.q), ("qd", cycle.qd), ("u_a", cycle.torque)):
            assert np.array_equal(value, run[name][k]), (k, name)
        assert np.array_equal(cycle.side, run["saturated"][k])
        assert np.array_equal(cycle.clipped, run["clipped"][k])
        assert np.array_equal(cycle.stalled, run["stalled"][k])


def test_angles_beyond_the_fast_sine() -> None:
    """The compiled loop hands over to the single steps."""
    free = tuple(replace(j, position_min=-np.inf, position_max=np.inf) for j in LOLA.joints)
    robot = replace(LOLA, joints=free)
    q = np.zeros((20, 6))
    q[:, 5] = 1e5 + 0.01 * np.arange(20)
    run = erfd.achievable(robot, erfd.Trajectory(0.01 * np.arange(20), q))
    assert len(run) == 20
    assert np.isfinite(run["u_a"]).all()
