"""`erfd.simulate`: its inputs, its record, and what it says of a mistake."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import InputError, SingularError
from erfd.robot.payload import with_payload
from erfd.run.write import read_run, write_run

pytestmark = pytest.mark.usefixtures("compiled")
ARM = erfd.load("two_link")
LOLA = erfd.load("lola15")
Q = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
START = ([0.2, 0.3], [0.1, -0.1])
WRENCH = np.array([100.0, 100.0, -150.0, 5.0, -3.0, 2.0])


def test_a_controller_is_sampled_and_held() -> None:
    """Asked once a period, with the state of then; the rows it gives make the same motion."""
    seen = []

    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        seen.append((t, q.copy(), qd.copy()))
        q[:] = 99.0  # what it does with its arguments is its own affair
        return [10.0 * t, -2.0]

    run = erfd.simulate(ARM, *START, controller, steps=40, dt=0.002, control_dt=0.008)
    assert [t for t, _, _ in seen] == pytest.approx(0.008 * np.arange(10))
    for t, q, qd in seen:
        k = round(t / 0.002)
        assert np.array_equal(q, run["q"][k])
        assert qd == pytest.approx(run["qd"][k], abs=1e-15)
    rows = np.repeat([[10.0 * t, -2.0] for t, _, _ in seen], 4, axis=0)
    same = erfd.simulate(ARM, *START, rows, dt=0.002)
    assert np.array_equal(run["q"], same["q"])
    assert np.array_equal(run["u_a"][:-1], same["u_a"][:-1])


@pytest.mark.parametrize("every", [1, 3, 7])
def test_recording_less_changes_nothing(every: int) -> None:
    full = erfd.simulate(ARM, *START, [3.0, 1.0], steps=25)
    thin = erfd.simulate(ARM, *START, [3.0, 1.0], steps=25, record_every=every)
    asked = erfd.simulate(
        ARM, *START, lambda t, q, qd: [3, 1], steps=25, record_every=every, control_dt=0.002
    )
    for name in ("t", "q", "qd", "qdd", "energy", "lost_friction"):
        assert np.array_equal(thin[name], full[name][::every])
        assert np.array_equal(asked[name], full[name][::every])


def test_long_runs_come_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    full = erfd.simulate(ARM, *START, [3.0, 1.0], steps=100, stops=None, record_every=3)
    monkeypatch.setattr("erfd.forward.simulate.CHUNK", 7)
    reports = []
    cut = erfd.simulate(
        ARM, *START, [3.0, 1.0], steps=100, stops=None, record_every=3,
        progress=lambda done, total: reports.append((done, total)),
    )  # fmt: skip
    for name in full.data:
        assert np.array_equal(full[name], cut[name]), name
    assert reports[-1] == (100, 100)
    assert len(reports) == 12
    few = erfd.simulate(ARM, *START, [3.0, 1.0], steps=100, stops=None, record_every=50)
    assert np.array_equal(few["q"], full_rows(50))


def full_rows(every: int) -> np.ndarray:
    """Every so many positions of the simulation above, recorded step by step."""
    return erfd.simulate(ARM, *START, [3.0, 1.0], steps=100, stops=None)["q"][::every]


def test_an_adaptive_method_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constant input is one piece, which may take minutes; too much work ends in a sentence."""
    monkeypatch.setattr("erfd.forward.adaptive.TOLD", 5)
    reports: list[tuple[int, int]] = []
    settings = {"steps": 100, "stops": None, "method": "dop853"}
    erfd.simulate(ARM, *START, [3.0, 1.0], **settings, progress=lambda *at: reports.append(at))
    assert reports == sorted(reports)
    assert len(reports) > 5
    assert reports[-1] == (100, 100)
    monkeypatch.setattr("erfd.forward.adaptive.MOST", 20)
    with pytest.raises(erfd.errors.InputError, match="an end after at most 20 evaluations"):
        erfd.simulate(ARM, *START, [3.0, 1.0], **settings)


def test_the_parts_add_up() -> None:
    """Motor and joint torques from parts, power and energy; with a load and a wrench."""
    payload = erfd.Payload(5.0, (0.0, 0.0, 0.1))
    torque = [3.0, -12.0, -8.0, 0.5, 0.4, 0.3]
    run = erfd.simulate(
        LOLA, Q, np.full(6, 0.2), torque, steps=200, wrench=WRENCH, payload=payload, method="rk4"
    )
    names = (
        "links",
        "rotor",
        "coriolis",
        "gravity",
        "external",
        "load_friction",
        "viscous",
        "stop",
    )
    assert np.abs(sum(run[f"ua_{p}"] for p in names) - run["u_a"]).max() < 1e-12
    arm = with_payload(LOLA, payload)
    u = erfd.inverse_dynamics(arm, run["q"], run["qd"], run["qdd"], wrench=WRENCH, method="mrnea")
    assert np.abs(u - run["u"]).max() < 1e-9 * np.abs(u).max()
    K = np.array(LOLA.gear_matrix)
    whole = run["u"] + run["u_friction"] + run["ua_rotor"] @ K
    assert np.abs(run["u_a"] @ K - whole).max() < 1e-9 * np.abs(whole).max()
    x = run["u"] @ np.linalg.inv(K)
    mu = np.array([d.load_friction for d in LOLA.drives])
    moving = run["qd_a"] != 0
    rubbing = mu * np.abs(x) * np.sign(run["qd_a"])
    assert np.abs(run["ua_load_friction"] - rubbing)[moving].max() < 1e-9
    assert np.array_equal(run["power"], run["u_a"] * run["qd_a"])
    trapezoid = np.cumsum((run["power"][1:] + run["power"][:-1]) / 2 * 0.001, axis=0)
    assert np.abs(run["energy"][1:] - trapezoid).max() < 1e-4 * np.abs(trapezoid).max()
    velocity = np.einsum("kij,kj->ki", erfd.jacobian(LOLA, run["q"]), run["qd"])
    given = velocity @ WRENCH
    outside = np.cumsum((given[1:] + given[:-1]) / 2 * 0.001)
    assert np.abs(run["work_external"][1:] - outside).max() < 1e-4 * np.abs(outside).max()
    assert np.abs(run["energy_gap"]).max() < 1e-9 * run["kinetic"].max()
    assert len(run.summary()) == 6


def test_a_payload_and_a_wrench_of_every_step() -> None:
    rows = np.linspace(0, 1, 50)[:, None] * WRENCH
    run = erfd.simulate(LOLA, Q, np.zeros(6), np.zeros(6), steps=50, wrench=rows, method="rk4")
    assert np.array_equal(run["wrench"][:50], rows)
    exact = erfd.simulate(
        LOLA, Q, np.zeros(6), np.zeros(6), steps=50, wrench=rows, method="dop853", rtol=1e-10
    )
    assert np.abs(run["q"] - exact["q"]).max() < 1e-9
    assert np.abs(run["energy_gap"]).max() < 1e-9


def test_torque_limits_and_curves() -> None:
    """An input beyond the limit is cut, at the speed at the start of the step; events say so."""
    drive = replace(ARM.drives[0], torque_max=20.0, curve=((1.0, 20.0), (3.0, 5.0)))
    robot = replace(ARM, drives=(drive, ARM.drives[1]), gravity=(0, 0, 0))
    for method in ("rk4", "dop853"):
        run = erfd.simulate(
            robot, [0, 0], [0, 0], [50.0, 0.0], duration=0.5, stops=None, method=method
        )
        speed = np.abs(run["qd_a"][:, 0])
        expected = np.clip(np.interp(speed, [1.0, 3.0], [20.0, 5.0]), None, 20.0)
        assert run["u_a"][:, 0] == pytest.approx(expected)
        assert run["u_a_max"][:, 0] == pytest.approx(expected)
        assert speed.max() > 2.5
        assert (run["saturated"][:, 0] == 1).all()
        (event,) = run.events
        assert (event.kind, event.joint, event.start) == ("torque limit", 1, 0.0)
        assert event.missing == pytest.approx(50 - expected.min())


def test_joint_torques_leave_the_drives_out() -> None:
    run = erfd.simulate(LOLA, Q, np.zeros(6), np.zeros(6), steps=5, kind="joint_torque")
    assert run["qdd"][0] == pytest.approx(erfd.forward_dynamics(LOLA, Q, [0] * 6, [0] * 6))
    assert run.robot.drives == ()
    assert run.summary() == []
    bare = replace(LOLA, drives=())
    same = erfd.simulate(bare, Q, np.zeros(6), np.zeros(6), steps=5, kind="torque")
    assert np.array_equal(run["q"], same["q"])


def test_angles_beyond_the_compiled_sine() -> None:
    """A motor that turns for hours: the rest is done over NumPy, and nothing else changes."""
    robot = replace(ARM, gravity=(0.0, 0.0, 0.0))
    far, turns = 1e5 - 0.5, 2 * np.pi * round(1e5 / (2 * np.pi))
    near, beyond = (
        erfd.simulate(robot, [q, 0.1], [6.0, 0.0], [0, 0], steps=30, dt=0.01, stops=None)
        for q in (far - turns, far)
    )
    assert beyond["q"][0, 0] < 1e5 < beyond["q"][-1, 0]
    assert beyond["q"] - [turns, 0] == pytest.approx(near["q"], abs=1e-9)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".mcap"])
def test_export(tmp_path: Path, suffix: str) -> None:
    run = erfd.simulate(ARM, *START, [5.0, 100.0], steps=20, kind="voltage")
    assert run.events
    write_run(run, tmp_path / f"run{suffix}")
    if suffix == ".parquet":
        back = read_run(tmp_path / "run.parquet")
        assert back.robot == run.robot
        assert back.events == run.events
        assert list(back.data) == list(run.data)
        for name, array in run.data.items():
            assert np.array_equal(back[name], array), name
    if suffix == ".csv":
        head = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
        assert {"voltage1 [V]", "current2 [A]", "kinetic [J]", "energy_gap [J]"} <= set(head)
    frame = run.to_pandas()
    assert frame["q1"].to_numpy().tolist() == run["q"][:, 0].tolist()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"q0": [0]}, r"q0: expected shape \(2,\), found \(1,\)"),
        ({"qd0": [0, np.nan]}, "qd0: expected finite numbers, found nan at"),
        ({"input": [1, 2, 3]}, r"input: expected shape \(2,\) or \(N, 2\), found \(3,\)"),
        ({"input": [[1, np.inf]]}, "input: expected finite numbers, found inf at"),
        ({"input": object()}, "input: expected an array, a schedule or a function"),
        ({"input": "gone.txt"}, r"gone\.txt: no such file"),
        ({"input": np.zeros((3, 2)), "steps": 9}, "input: expected 9 rows, one a step, found 3"),
        (
            {"input": erfd.InputSchedule([0], [[1]])},
            "input: expected a schedule of 2 values, found 1",
        ),
        (
            {"input": erfd.SignalSchedule()},
            "input: expected an array, a schedule or a function, found SignalSchedule",
        ),
        ({"input": lambda t, q, qd: [1]}, r"controller at t = 0 s: expected shape \(2,\)"),
        ({"input": lambda t, q, qd: [1, np.nan]}, "controller at t = 0 s: expected finite numbers"),
        ({"steps": None}, "duration: expected a time in s"),
        ({"steps": 0}, "steps: expected a whole number >= 1, found 0"),
        ({"duration": 1.0}, "steps: expected either steps or duration, found both"),
        ({"steps": None, "duration": 0.0105}, "duration: expected a multiple of dt = 0.001 s"),
        ({"steps": None, "duration": -1}, "duration: expected a multiple of dt"),
        ({"dt": 0}, "dt: expected a time > 0 s, found 0"),
        ({"dt": np.nan}, "dt: expected a time > 0 s, found nan"),
        ({"method": "euler"}, "method: expected one of rk3, rk4, semi-implicit, dop853, found"),
        ({"kind": "current"}, "kind: expected one of torque, voltage, joint_torque, found"),
        ({"stops": "soft"}, "stops: expected one of error, inelastic, found 'soft'"),
        ({"record_every": 0}, "record_every: expected a whole number >= 1, found 0"),
        ({"control_dt": 0.01}, "control_dt: expected a function as input, found none"),
        ({"wrench": [1, 2]}, r"wrench: expected finite \(6,\) or \(3, 6\), found \(1, 2\)"),
        ({"robot": ("two_link",)}, r"robot: expected an erfd.Robot"),
        ({"input": [1e308, 0], "stops": None}, "the motion of robot 'bare' is not finite after t"),
    ],
)  # fmt: skip
def test_mistakes(changes: dict, sentence: str) -> None:
    bare = replace(ARM, drives=(), name="bare")
    given = {"robot": bare, "q0": [0, 0], "qd0": [0, 0], "input": [0, 0], "steps": 3} | changes
    with pytest.raises(InputError, match=sentence):
        erfd.simulate(**given)


def test_an_arm_without_inertia() -> None:
    links = (ARM.links[0], erfd.Link("nothing", 0.0))
    with pytest.raises(SingularError, match="joint 2 moves no inertia"):
        erfd.simulate(replace(ARM, links=links, drives=()), [0, 0], [0, 0], [0, 0], steps=1)
