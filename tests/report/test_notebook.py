"""What a notebook shows of a robot, a run, a verification and a timing."""

import json
import pickle
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

import erfd

VOID = {"meta", "br", "input", "link", "img", "hr"}


class Balance(HTMLParser):
    """Follows tags; every one that opens must close."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag


def checked(text: str) -> str:
    """The text, once its tags balance."""
    balance = Balance()
    balance.feed(text)
    assert not balance.open
    return text


def played(text: str) -> dict:
    """What the 3D page inside draws."""
    inside = unescape(re.search(r"srcdoc='([^']*)'", text)[1])
    return json.loads(re.search(r"<script[^>]*json[^>]*>(.*?)</script>", inside, re.S)[1])


@pytest.fixture(scope="module")
def run() -> erfd.Run:
    """A motion of a two-link arm that its motors cannot follow at once."""
    robot = erfd.load("lola15")
    t = np.linspace(0, 1, 101)
    q = np.outer(1 - np.cos(2 * np.pi * t), np.ones(robot.n)) * 0.8
    return erfd.achievable(robot, erfd.Trajectory(t, q))


def test_a_robot_shows_joints_limits_and_itself():
    robot = erfd.load("lola15")
    text = checked(robot._repr_html_())
    assert text.count("<tr>") == 1 + robot.n
    for joint, drive in zip(robot.joints, robot.drives, strict=True):
        assert f"<td>{joint.name}</td>" in text
        assert f"{np.degrees(joint.position_max):.6g} deg" in text
        assert f"<td>{drive.torque_max:.6g}</td>" in text
    assert played(text)["bodies"]


def test_a_robot_without_limits_and_drives_shows_dashes():
    robot = erfd.Robot("bare", (erfd.Joint("turn"),), (erfd.Link("rod", 1.0),))
    text = checked(robot._repr_html_())
    assert "<td>-</td>" in text
    assert "nan" not in text.partition("<details")[0]


def test_a_run_shows_its_verdict_its_motors_and_its_motion(run):
    assert not run.feasible
    text = checked(run._repr_html_())
    assert "not feasible" in text
    for row in run.summary():
        assert f"<td>{row['torque_peak']:.6g}</td>" in text
    assert str(next(event for event in run.events if event.fails)) in unescape(text)
    assert played(text)["t"][-1] == 1


def test_a_name_is_text_and_nothing_else(run):
    robot = erfd.load("two_link")
    named = type(robot)(joints=robot.joints, links=robot.links, name="<img src=x onerror=alert(1)>")
    assert "<img" not in checked(named._repr_html_())


def test_a_verification_and_a_timing_show_themselves():
    robot = erfd.load("lola15")
    found = erfd.verify(
        "program p; seq move_inc ptp mainjoint(20,0,0,0,0); endseq endprogram", robot
    )
    text = checked(found._repr_html_())
    assert found.verdict in unescape(text)
    assert found.not_checked[0] in unescape(text)
    timing = erfd.fastest(robot, np.array([[0.0] * 6, [0.4] * 6]))
    text = unescape(checked(timing._repr_html_()))
    assert timing.explain()[0] in text
    assert "feasible" in text


@pytest.mark.parametrize("quantity", ["q", "qd", "qdd", "u", "u_a", "path", "power", "force"])
def test_a_run_plots_each_quantity(run, quantity):
    figure = run.plot(quantity)
    drawn = [line for ax in figure.axes for line in ax.get_lines() if len(line.get_xdata()) > 10]
    assert len(drawn) >= 1


def test_a_plot_of_motor_torques_is_what_is_left_out_and_has_them(run):
    lines = [line.get_ydata() for ax in run.plot().axes for line in ax.get_lines()]
    for torques in run["u_a"].T:
        assert any(len(y) == len(torques) - 1 and np.allclose(y, torques[1:]) for y in lines)


def test_a_plot_that_is_not_there_is_named(run):
    with pytest.raises(erfd.errors.InputError, match=r"plot: expected one of q, qd, .*found 'x'"):
        run.plot("x")
    bare = erfd.Run(run.robot, {"t": run["t"], "q": run["q"]}, ())  # as of a graphic file
    assert bare.plot().axes
    with pytest.raises(erfd.errors.InputError, match="this run has no power, only t, q"):
        bare.plot("power")


@pytest.mark.parametrize("quantity", [None, "q", "qd", "u_a", "energy", "power", "force"])
def test_a_simulated_motion_plots_what_it_has(quantity):
    robot = erfd.load("two_link")
    run = erfd.simulate(robot, [0.1, 0.2], [0, 0], np.zeros(2), duration=0.1)
    assert run.plot(quantity).axes
    checked(run._repr_html_())


def test_a_figure_shows_itself_as_a_picture(run):
    for figure in (run.plot("q"), erfd.fastest("lola15", [[0.0] * 6, [0.4] * 6]).plot()):
        assert figure._repr_png_().startswith(b"\x89PNG")
        assert pickle.loads(pickle.dumps(figure))._repr_png_() == figure._repr_png_()


def test_on_the_terminal_everything_is_one_short_line(run):
    robot = erfd.load("lola15")
    fails = erfd.verify("lola15_demo", robot)
    passes = erfd.verify("lola15_demo", robot, turning="smooth", adapt="axes")
    shown = {repr(thing) for thing in (robot, run, passes, passes.plan, passes.plan.trajectory)}
    assert all("\n" not in text and len(text) < 100 for text in shown)
    assert repr(passes) == "Verification('lola15_demo' on 'lola15', 15.96 s, feasible)"
    assert repr(fails) == (
        "Verification('lola15_demo' on 'lola15', 13.46 s,"
        " not feasible: lines 29, 30, 31, 32, 34, 35)"
    )
