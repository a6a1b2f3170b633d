"""`erfd controller` as a person and as a program see it."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.monitor import Feed
from erfd.monitor.controller.source import read_played_motion
from support.controllers import Started
from support.motions import HOME, lola_motion, write_motion
from support.output_program import PROGRAM
from support.waiting import until


@pytest.mark.usefixtures("users_environment")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Start, pause, speed and stop from the command line; seen in the stream; Ctrl-C ends it."""
    path = write_motion(tmp_path / "slow.csv", lola_motion(3.0))
    arguments = (str(path), "--robot", "lola15", "--wait", "--loop", "--port", "0")
    with Started(*arguments) as controller, Feed(controller.url) as feed:

        def order(word: str) -> str:
            assert main(["controller", "--command", word, "--port", controller.port]) == 0
            return capsys.readouterr().out

        def mode() -> str:
            return feed.state().status.get("mode", "")

        until(lambda: mode() == "ready" and feed.state().samples > 5)
        assert feed.state().hello.robot == "lola15"
        assert erfd.load("lola15").name in feed.state().hello.model
        assert np.array_equal(feed.samples(most=1)["q"][0], HOME)
        assert order("start") == "lola15: start: passed on\n"
        until(lambda: mode() == "running")
        assert order("speed 40%") == "lola15: speed 40 %: passed on\n"
        until(lambda: feed.samples(most=1)["rate"][0, 0] == 0.4, "40 %")
        order("pause")
        until(lambda: mode() == "paused")
        until(lambda: feed.samples(most=1)["rate"][0, 0] == 0)
        order("stop")
        until(lambda: mode() == "stopped")
        state, found = feed.state(), feed.samples()
        assert not set(state.counts) - {"time"}  # a machine that stands still for long
        assert (np.diff(found.numbers) == 1).all()
        assert state.status["cycles"] > 0
        assert 0 <= state.status["overruns"] <= state.status["cycles"]
        assert state.delay is not None
        controller.process.send_signal(signal.SIGINT)
        out, _ = controller.process.communicate(timeout=30)
        summary = json.loads(out.splitlines()[-1])
        assert summary["limited"] == 0
        assert controller.process.returncode == 0
        until(lambda: feed.state().connection == "lost")


@pytest.mark.usefixtures("users_environment")
def test_too_fast_is_said_and_exits_with_1(tmp_path: Path) -> None:
    path = write_motion(tmp_path / "fast.csv", lola_motion(0.9))
    with Started(str(path), "--robot", "lola15", "--wait", "--once", "--port", "0") as controller:
        with Feed(controller.url) as feed:
            until(lambda: feed.state().samples > 0)
            feed.command("start")
            until(lambda: feed.state().events)
            out, _ = controller.process.communicate(timeout=60)
            kinds = {event["kind"] for event in feed.state().events}
            levels = {event["level"] for event in feed.state().events}
        assert kinds <= {"torque limit", "motor speed limit", "joint speed limit"}
        assert "warning" in levels
        summary = json.loads(out.splitlines()[-1])
        assert controller.process.returncode == 1
        assert summary["limited"] > 0
        assert summary["rounds"] == 1


@pytest.mark.usefixtures("users_environment")
def test_a_program(tmp_path: Path) -> None:
    """Lines, payload and outputs of a program are in the stream; its text, too."""
    path = tmp_path / "outputs.irl"
    path.write_text(PROGRAM)
    with (
        Started(str(path), "--robot", "lola15", "--wait", "--once", "--port", "0") as controller,
        Feed(controller.url) as feed,
    ):
        until(lambda: feed.state().samples > 0)
        feed.command("start")
        until(lambda: feed.state().status.get("mode") == "done")
        controller.process.communicate(timeout=60)
        state, found = feed.state(), feed.samples()
    assert state.hello.program == PROGRAM
    assert controller.process.returncode == 0
    assert [e["text"] for e in state.events] == ["output grip = True in line 9"]
    running = found["rate"][:, 0] > 0
    lines = found["line"][running, 0]
    assert set(lines) == {8.0, 11.0}
    assert np.array_equal(found["payload"][running, 0], np.where(lines == 8, 0.0, 2.0))
    motion = read_played_motion(path, erfd.load("lola15"))
    assert np.array_equal(found["q_given"][running], motion.q[1:])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "erfd: controller: expected a program, run or trajectory, found none"),
        (("a.csv",), "erfd: controller: expected --robot NAME, found none"),
        (("--command", "fly"), "erfd: --command: expected start, pause, stop or a speed in %"),
        (("--command", "stop", "--port", "1"), "erfd: ws://127.0.0.1:1: no controller: "),
        (("none.csv", "--robot", "lola15"), "erfd: none.csv: no such file"),
    ],
)
def test_a_users_mistake(capsys: pytest.CaptureFixture, arguments: tuple, sentence: str) -> None:
    assert main(["controller", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(sentence)
    assert err.count("\n") == 1
