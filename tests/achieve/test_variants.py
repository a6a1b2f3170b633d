"""Many variants of a run at once: each is what it would be alone."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError, RobotError
from support.motions import lola_motion
from support.plain_achiever import plain_rows

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("seconds", [2.0, 1.0])
@pytest.mark.parametrize("follow", ["velocity", "position"])
def test_variants_are_single_runs(seconds: float, follow: str) -> None:
    """Payloads, wrenches and drive data with a leading axis, some calm, some not."""
    rng = np.random.default_rng(3)
    count, trajectory = 7, lola_motion(seconds)
    payloads = [erfd.Payload(float(m), (0.0, 0.02, 0.1)) for m in rng.uniform(0, 15, count)]
    wrench, friction = rng.normal(scale=60, size=(count, 6)), rng.uniform(0, 0.4, (count, 6))
    most = np.array([d.torque_max for d in LOLA.drives]) * np.linspace(0.7, 1.3, count)[:, None]
    varied = {"load_friction": friction, "torque_max": most}
    found = erfd.achievable_variants(
        LOLA, trajectory, payload=payloads, wrench=wrench, follow=follow, **varied
    )
    with erfd.backend("numpy"):
        same = erfd.achievable_variants(
            LOLA, trajectory, payload=payloads, wrench=wrench, follow=follow, **varied
        )
    for v in range(count):
        drives = [
            replace(d, load_friction=friction[v, i], torque_max=most[v, i])
            for i, d in enumerate(LOLA.drives)
        ]
        robot = replace(LOLA, drives=tuple(drives))
        rows = plain_rows(robot, trajectory, wrench[v], [payloads[v]] * len(trajectory),
                          follow=follow)  # fmt: skip
        for result in (found, same):
            assert np.abs(result.q[v] - rows["q"][-1]).max() < 1e-11
            assert np.abs(result.torque_peak[v] - np.abs(rows["u_a"]).max(axis=0)).max() < 1e-9
            time = np.abs(rows["saturated"]).sum(axis=0) * 0.01
            assert np.allclose(result.saturated[v], time)
            lag = np.abs(rows["q"] - trajectory.q[1:]).max(axis=0)
            assert np.abs(result.lag_peak[v] - lag).max() < 1e-11
    assert (
        found.feasible.tolist()
        == ((found.saturated == 0) & (found.lag_peak < 1e-9)).all(axis=1).tolist()
    )
    assert found.feasible.any() == (seconds == 2.0)
    assert repr(found).startswith("Variants(7 of which ")


def test_wrong_variants() -> None:
    with pytest.raises(InputError, match="expected an argument with a leading axis, found none"):
        erfd.achievable_variants(LOLA, lola_motion(1.0), wrench=WRENCH)
    with pytest.raises(InputError, match="wrench: expected 3 variants as elsewhere, found 2"):
        erfd.achievable_variants(
            LOLA, lola_motion(1.0), wrench=np.zeros((2, 6)), payload=[None] * 3
        )
    with pytest.raises(InputError, match=r"coulomb: expected shape \(6,\) or \(V, 6\), found"):
        erfd.achievable_variants(LOLA, lola_motion(1.0), coulomb=np.zeros((2, 5)))
    with pytest.raises(InputError, match="coulomb: expected finite numbers >= 0, found -1"):
        erfd.achievable_variants(LOLA, lola_motion(1.0), coulomb=-np.ones((2, 6)))
    for name, value, sentence in (
        ("wrench", np.inf, "wrench: expected finite numbers, found inf"),
        ("wrench", np.nan, "wrench: expected finite numbers, found nan"),
        ("load_friction", 1.5, "load_friction: expected numbers from 0 to below 1, found 1.5"),
        ("load_friction", 1.0, "load_friction: expected numbers from 0 to below 1, found 1"),
        ("torque_max", -1.0, "torque_max: expected numbers >= 0, found -1"),
        ("torque_max", np.nan, "torque_max: expected numbers >= 0, found nan"),
        ("viscous", np.inf, "viscous: expected finite numbers >= 0, found inf"),
    ):
        with pytest.raises(InputError, match=sentence):
            erfd.achievable_variants(LOLA, lola_motion(1.0), **{name: np.full((2, 6), value)})
    with pytest.raises(InputError, match="payload: expected at least one, found none"):
        erfd.achievable_variants(LOLA, lola_motion(1.0), payload=[])


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_a_motor_that_is_switched_off(backend: str) -> None:
    """A torque limit of 0 is one: what such a motor uses is all or nothing, and no warning."""
    most = np.array([d.torque_max for d in LOLA.drives]) * np.ones((3, 1))
    most[1, 1] = most[2, 5] = 0.0
    motion = erfd.Trajectory(0.01 * np.arange(5), np.zeros((5, 6)))
    with erfd.backend(backend):
        found = erfd.achievable_variants(LOLA, motion, torque_max=most)
    assert found.feasible.tolist()[:2] == [True, False]
    with np.errstate(all="raise"):
        use = found.use
    assert use[1, 1] == 1.0
    assert use[2, 5] == float(found.saturated[2, 5] > 0)
    assert np.array_equal(use[0], found.torque_peak[0] / most[0])
    with pytest.raises(RobotError, match="torque_max: expected a limit > 0, found 0"):
        erfd.Drive(ratio=1.0, torque_max=0.0)
    with pytest.raises(RobotError, match="load_friction: expected a number below 1, found 1"):
        erfd.Drive(ratio=1.0, load_friction=1.0)
