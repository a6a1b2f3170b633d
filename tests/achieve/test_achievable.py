"""Algorithm 1: what passes unchanged, what saturates, and that the record adds up."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.achieve.cycle import CycleOptions
from erfd.drives.parameters import parameter_rows
from erfd.errors import InputError
from erfd.robot.payload import with_payload
from support.plain_achiever import plain_rows
from support.plain_saturation import Problem, solve

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
HOME = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
FAR = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])


def move(seconds: float, dt: float = 0.01) -> erfd.Trajectory:
    """A smooth motion from HOME to FAR: the shorter, the harder."""
    t = dt * np.arange(round(seconds / dt) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return erfd.Trajectory(t, HOME + s[:, None] * (FAR - HOME))


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


@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("policy", ["consistent", "printed"])
def test_a_feasible_motion_passes_unchanged(policy: str, follow: str) -> None:
    trajectory = move(3.0)
    run = erfd.achievable(LOLA, trajectory, policy=policy, follow=follow, wrench=WRENCH)
    assert run.feasible
    assert np.abs(run["q"] - trajectory.q).max() < 1e-12
    assert np.abs(run["qd"] - trajectory.qd).max() < 1e-10
    assert run["deviation"].max() < 1e-7  # an angle from rounding: its cosine is 1 - 1e-16
    assert repr(run) == "Run('lola15', 301 points, feasible)"


def test_motors_stay_within_their_limits() -> None:
    run = erfd.achievable(LOLA, move(0.9), wrench=WRENCH)
    assert not run.feasible
    assert (np.abs(run["u_a"][1:]) <= run["u_a_max"][1:] * (1 + 1e-9)).all()
    assert (np.abs(run["qd_a"]) <= np.array([d.speed_max for d in LOLA.drives]) * (1 + 1e-9)).all()
    tight = run["saturated"] != 0
    assert tight.any()
    at_limit = np.abs(run["u_a"][tight]) / run["u_a_max"][tight]
    assert np.abs(at_limit - 1).max() < 1e-9
    asked = run["u_a_wanted"][tight] * run["saturated"][tight]
    assert (asked > 0).all()  # pushed the way it was needed
    free = ~tight & (run["clipped"] == 0)
    wanted, found = run["qdd_a_given"], run["qdd_a"]
    assert np.abs((wanted - found)[free]).max() < 1e-6 * np.abs(wanted).max()


def test_the_parts_add_up() -> None:
    """Joint torques by RNEA and mRNEA (Fig. A5), motor torques from parts, energy from power."""
    run = erfd.achievable(LOLA, move(0.9), wrench=WRENCH)
    q, qd, qdd = run["q"][:-1], run["qd"][:-1], run["qdd"][1:]
    for method in ("ne_link", "mrnea"):
        u = erfd.inverse_dynamics(LOLA, q, qd, qdd, wrench=WRENCH, method=method)
        assert np.abs(u - run["u"][1:]).max() < 1e-9 * np.abs(u).max()
    names = ("links", "rotor", "coriolis", "gravity", "external", "load_friction", "viscous")
    total = sum(run[f"ua_{name}"] for name in names)
    assert np.abs(total - run["u_a"]).max() < 1e-12 * np.abs(run["u_a"]).max()
    # friction is mu |load| against the motion: it never drives
    load = sum(run[f"ua_{name}"] for name in ("links", "coriolis", "gravity", "external"))
    mu = np.array([drive.load_friction for drive in LOLA.drives])
    moving = run["qd_a"][:-1] != 0
    wanted = (mu * np.abs(load[1:]) * np.sign(run["qd_a"][:-1]))[moving]
    assert np.abs(run["ua_load_friction"][1:][moving] - wanted).max() < 1e-9
    assert (run["ua_load_friction"][1:] * run["qd_a"][:-1] >= -1e-9).all()
    assert np.allclose(np.diff(run["energy"], axis=0), run["power"][1:] * 0.01)


def test_events_say_what_when_and_why() -> None:
    run = erfd.achievable(LOLA, move(0.9), wrench=WRENCH)
    torque = [event for event in run.events if event.kind == "torque limit"]
    assert torque
    text = str(torque[0])
    assert text.startswith("motor 1 lacks")
    assert "link acceleration" in text
    assert sum(share for _, share in torque[0].shares) == pytest.approx(100, abs=5)
    speed = [event for event in run.events if event.kind == "motor speed limit"]
    # 3.05 rad/s of axis 1 need 3495 rpm of 3150; axis 5 has its own motor and axis 4 to carry
    assert {event.joint for event in speed} == {1, 5}
    assert str(speed[0]).endswith("motor speed limit")
    rows = run.summary()
    assert rows[0]["torque_peak"] == pytest.approx(17.8)
    assert rows[0]["saturated"] > 0
    # the gear's average lies between nothing and its largest torque, and is that of a constant load
    load = sum(run[f"ua_{part}"] for part in ("links", "coriolis", "gravity", "external"))
    assert 0 < rows[1]["gear_torque"] < 119 * np.abs(load[:, 1]).max()
    steady = replace(run, data=run.data | {f"ua_{part}": np.full((len(run), 6), 0.25) for part in
                     ("links", "coriolis", "gravity", "external")})  # fmt: skip
    assert steady.summary()[1]["gear_torque"] == pytest.approx(119 * 1.0)


def test_catching_up_does_not_chatter() -> None:
    """After a shortfall the position is reached, and the velocity does not swing about zero."""
    brief = move(1.2)
    rest = 200
    t = np.concatenate([brief.t, brief.t[-1] + 0.01 * np.arange(1, rest + 1)])
    trajectory = erfd.Trajectory(t, np.vstack([brief.q, np.repeat(brief.q[-1:], rest, axis=0)]))
    lagging = erfd.achievable(LOLA, trajectory, follow="velocity")
    run = erfd.achievable(LOLA, trajectory, follow="position")
    assert np.abs(lagging["q"][-1] - FAR).max() > 1e-3
    assert np.abs(run["q"][-1] - FAR).max() < 1e-9
    error = run["q"][len(brief) :] - FAR
    crossings = (np.diff(np.sign(np.where(np.abs(error) < 1e-9, 0, error)), axis=0) != 0).sum(
        axis=0
    )
    assert crossings.max() <= 2


def test_a_motor_that_cannot_hold_is_called_a_stall() -> None:
    weak = replace(LOLA.drives[1], torque_max=0.5)
    robot = replace(LOLA, drives=(LOLA.drives[0], weak, *LOLA.drives[2:]))
    t = 0.01 * np.arange(50)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.repeat([[0, 0.9, 0, 0, 0, 0]], 50, axis=0)))
    assert run.events[0].kind == "stall"
    assert run.events[0].joint == 2
    assert "cannot hold" in str(run.events[0])
    assert len(run) == 50  # and the simulation went on


def test_friction_holds_a_resting_arm() -> None:
    """At rest, wanted to rest: the motor gives at most its load, and the arm does not move."""
    t = 0.01 * np.arange(20)
    run = erfd.achievable(LOLA, erfd.Trajectory(t, np.repeat(HOME[None], 20, axis=0)))
    assert run.feasible
    assert np.array_equal(run["q"], np.repeat(HOME[None], 20, axis=0))
    assert np.allclose(run["u_a"][1:], run["ua_gravity"][1:])


def test_payload_is_part_of_the_last_link() -> None:
    """A gripped mass costs what its weight and inertia cost at the tool."""
    payload = erfd.Payload(8.0, (0.02, 0.0, 0.05))
    q = HOME
    point = erfd.forward_kinematics(LOLA, q) @ [0.02, 0.0, 0.05, 1.0]
    loaded = with_payload(LOLA, payload)
    assert loaded.links[-1].mass == pytest.approx(19.0)
    step = 1e-6
    extra = erfd.gravity_torque(loaded, q) - erfd.gravity_torque(LOLA, q)
    for i in range(6):
        moved = [
            (erfd.forward_kinematics(LOLA, q + s * step * np.eye(6)[i]) @ [0.02, 0, 0.05, 1])[2]
            for s in (1, -1)
        ]
        assert extra[i] == pytest.approx(8 * 9.81 * (moved[0] - moved[1]) / (2 * step), abs=1e-5)
    assert point[2] > 0
    trajectory = move(1.6)
    half = len(trajectory) // 2
    gripped = [None] * half + [payload] * (len(trajectory) - half)
    run = erfd.achievable(LOLA, trajectory, payload=gripped)
    bare = erfd.achievable(LOLA, trajectory)
    assert np.allclose(run["u"][1:half], bare["u"][1:half])
    assert not np.allclose(run["u"][half + 1 :], bare["u"][half + 1 :])
    with pytest.raises(erfd.errors.RobotError, match="payload: mass: expected a mass >= 0 kg"):
        erfd.Payload(-1.0)


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
    robot, trajectory = variants()[name], move(0.85)
    for wrench in (None, WRENCH):
        options = {"follow": follow, "torque_path": path}
        run = erfd.achievable(robot, trajectory, wrench=wrench, **options)
        assert (run["saturated"] != 0).any()
        agree(run, plain_rows(robot, trajectory, wrench, **options))


def test_the_printed_policy_agrees_with_plain_numpy() -> None:
    run = erfd.achievable(LOLA, move(0.85), wrench=WRENCH, policy="printed")
    assert (run["saturated"] != 0).any()
    agree(run, plain_rows(LOLA, move(0.85), WRENCH, policy="printed"))


@pytest.mark.parametrize("policy", ["consistent", "printed"])
def test_casadi_computes_the_same(policy: str) -> None:
    """Without machine code: the same traces, run by CasADi."""
    payload = [None if k % 20 < 7 else erfd.Payload(3.0, (0.01, 0.0, 0.1)) for k in range(86)]
    options = {"wrench": WRENCH, "payload": payload, "policy": policy}
    run = erfd.achievable(LOLA, move(0.85), **options)
    with erfd.backend("numpy"):
        same = erfd.achievable(LOLA, move(0.85), **options)
    agree(run, {name: values[1:] for name, values in same.data.items()})


def test_a_payload_that_comes_and_goes() -> None:
    """It enters the compiled loop as numbers; the plain text makes a new robot of it."""
    load = erfd.Payload(6.0, (0.02, -0.01, 0.05), ((0.1, 0.01, 0), (0.01, 0.2, 0), (0, 0, 0.15)))
    payloads = [None if k < 30 or k > 60 else load for k in range(96)]
    run = erfd.achievable(LOLA, move(0.95), payload=payloads)
    assert (run["saturated"] != 0).any()
    agree(run, plain_rows(LOLA, move(0.95), payloads=payloads))


def lanes(count: int) -> dict[str, np.ndarray]:
    planner = erfd.Achiever(LOLA, 0.01, q0=HOME)
    values = {k: np.repeat(v[None], count, axis=0) for k, v in planner.values.items()}
    values["load_friction"] = values["load_friction"] * np.linspace(0, 1.5, count)[:, None]
    values["torque_max"] = values["torque_max"] * np.linspace(1.4, 0.4, count)[:, None]
    return values


def test_lanes_are_variants() -> None:
    """Several variants at once: each lane is what it would be alone, to the last bit."""
    trajectory, values = move(0.9), lanes(4)
    given = np.hstack([trajectory.q, trajectory.qd])[1:]
    state = np.concatenate([trajectory.q[0], trajectory.qd[0]])[:, None]
    four, one = CycleLoop(LOLA, CycleOptions(), 4), CycleLoop(LOLA, CycleOptions(), 1)
    all_rows = parameter_rows(values, 0.01, 6, 4)
    tally = np.zeros((18, 4))
    found = four.run(np.repeat(state, 4, axis=1), given, all_rows, tally=tally, noted=True)
    for lane in range(4):
        own = parameter_rows({k: v[lane] for k, v in values.items()}, 0.01, 6, 1)
        alone = columns(one.run(state, given, own, noted=True)[1:, :, 0], 6, "consistent")
        for name, column in columns(found[1:, :, lane], 6, "consistent").items():
            assert np.array_equal(column, alone[name]), name
        assert np.array_equal(tally[:6, lane], np.abs(alone["torque"]).max(axis=0))
        assert np.array_equal(tally[12:, lane], np.abs(alone["side"]).sum(axis=0))
    last = four.run(np.repeat(state, 4, axis=1), given, all_rows, tally=tally, last=True)
    assert np.array_equal(last[0, :12], found[-1, :12])


def test_cycles_ahead_change_nothing() -> None:
    """One robot's cycles, several at once while they are calm, are what they are one by one."""
    trajectory = move(0.93)  # a number of cycles that no vector divides, some of them saturated
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


@pytest.mark.parametrize("seconds", [2.0, 1.0])
@pytest.mark.parametrize("follow", ["velocity", "position"])
def test_variants_are_single_runs(seconds: float, follow: str) -> None:
    """Payloads, wrenches and drive data with a leading axis, some calm, some not."""
    rng = np.random.default_rng(3)
    count, trajectory = 7, move(seconds)
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
        erfd.achievable_variants(LOLA, move(1.0), wrench=WRENCH)
    with pytest.raises(InputError, match="wrench: expected 3 variants as elsewhere, found 2"):
        erfd.achievable_variants(LOLA, move(1.0), wrench=np.zeros((2, 6)), payload=[None] * 3)
    with pytest.raises(InputError, match=r"coulomb: expected shape \(6,\) or \(V, 6\), found"):
        erfd.achievable_variants(LOLA, move(1.0), coulomb=np.zeros((2, 5)))
    with pytest.raises(InputError, match="coulomb: expected numbers >= 0, found -1"):
        erfd.achievable_variants(LOLA, move(1.0), coulomb=-np.ones((2, 6)))


def test_steps_say_what_is_wrong() -> None:
    planner = erfd.Achiever(LOLA, 0.01)
    before = planner.q
    with pytest.raises(InputError, match="q_given: expected 6 finite numbers"):
        planner.step([0, 0], np.zeros(6))
    with pytest.raises(InputError, match="qd_given: expected 6 finite numbers"):
        planner.step(np.zeros(6), np.full(6, np.nan))
    with pytest.raises(InputError, match="wrench: expected finite"):
        planner.step(np.zeros(6), np.zeros(6), wrench=[1, 2])
    assert np.array_equal(planner.q, before)
    assert np.array_equal(planner.step(before, np.zeros(6)).q, before)


def test_the_diagonal_path_says_where_it_is_ambiguous() -> None:
    """Erratum 8: fine on Lola 15; a strong coupling takes the uniqueness away, and is named."""
    drives = erfd.Achiever(LOLA, 0.01, torque_path="diagonal").drives
    q = np.random.default_rng(0).uniform(-2, 2, (200, 6))
    assert not drives.ambiguous(erfd.mass_matrix(LOLA, q)).any()
    strong = replace(LOLA.drives[2], coupling=(0.0, 500.0, 0.0, 0.0, 0.0, 0.0))
    robot = replace(LOLA, drives=(*LOLA.drives[:2], strong, *LOLA.drives[3:]))
    odd = erfd.Achiever(robot, 0.01, torque_path="diagonal").drives
    matrix = odd.matrix(erfd.mass_matrix(robot, q))
    by_hand = matrix[:, 1, 1] < 0  # pushing rotor 2 forward turns it backward
    assert by_hand.any()
    assert odd.ambiguous(erfd.mass_matrix(robot, q))[by_hand].all()
    with pytest.warns(UserWarning, match="with the diagonal torque path, the saturated motors at"):
        erfd.achievable(robot, move(0.9), torque_path="diagonal")
    exact = erfd.Achiever(robot, 0.01).drives
    assert not exact.ambiguous(erfd.mass_matrix(robot, q)).any()


def test_angles_beyond_the_fast_sine() -> None:
    """The compiled loop hands over to the single steps."""
    free = tuple(replace(j, position_min=-np.inf, position_max=np.inf) for j in LOLA.joints)
    robot = replace(LOLA, joints=free)
    q = np.zeros((20, 6))
    q[:, 5] = 1e5 + 0.01 * np.arange(20)
    run = erfd.achievable(robot, erfd.Trajectory(0.01 * np.arange(20), q))
    assert len(run) == 20
    assert np.isfinite(run["u_a"]).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"t": [0, 1, 3]}, r"t: expected a fixed step of 1.5 s, found 1 s after t = 0 s"),
        ({"t": [0, 0, 0]}, "t: expected rising times"),
        ({"t": [0.0]}, "t: expected at least two times, found 1"),
        ({"q": np.zeros((2, 6))}, "q: expected 3 rows, one a time, found 2"),
        ({"q": np.full((3, 6), np.nan)}, r"q: expected finite numbers, found nan at \[0, 0\]"),
        (
            {"qd": np.ones((3, 6))},
            r"qd: expected \(q\[k\] - q\[k-1\]\) / dt, found a difference of 1",
        ),
        ({"qd": np.ones((3, 5))}, r"qd: expected shape \(3, 6\), found \(3, 5\)"),
    ],
)
def test_wrong_trajectories(change: dict, sentence: str) -> None:
    good = {"t": [0.0, 0.01, 0.02], "q": np.zeros((3, 6))}
    with pytest.raises(InputError, match=sentence):
        erfd.Trajectory(**(good | change))
    rates = erfd.Trajectory(**good, qd=np.ones((3, 6)), resample=True).qd
    assert np.array_equal(rates, [[1.0] * 6, [0.0] * 6, [0.0] * 6])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "best"}, "policy: expected one of consistent, printed, found 'best'"),
        ({"follow": "me"}, "follow: expected one of velocity, position, found 'me'"),
        ({"torque_path": "magic"}, "torque_path: expected one of virtual-work, diagonal"),
        ({"wrench": [1, 2]}, r"wrench: expected finite \(6,\) or \(91, 6\), found \(2,\)"),
        ({"payload": [None]}, "payload: expected one or 91, one a point, found 1"),
        ({"q0": [0, 9, 0, 0, 0, 0]}, "q0: expected joint 2 within -1.74533 to 1.39626, found 9"),
    ],
)
def test_wrong_options(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.achievable(LOLA, move(0.9), **options)
    bare = replace(LOLA, drives=())
    with pytest.raises(InputError, match="robot 'lola15': expected drives, found none"):
        erfd.achievable(bare, move(0.9))
    with pytest.raises(InputError, match="trajectory: expected 4 joints for robot 'sdt4', found 6"):
        erfd.achievable(erfd.load("sdt4"), move(0.9))
    with pytest.raises(InputError, match=r"dt: expected a time > 0 s, found 0"):
        erfd.Achiever(LOLA, 0)
