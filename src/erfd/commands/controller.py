"""`erfd controller`: play a motion in real time as a controller does, or command one."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..errors import InputError
from ..monitor.protocol import PORT
from .common import add_choices, add_json, add_robot, add_setup, print_json
from .parser import add_command, number, port_number

TRIES = 50


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "controller", "play a motion in real time, to be monitored", run_controller,
        "erfd controller program.irl --robot lola15 --loop",
    )  # fmt: skip
    command.add_argument(
        "program", nargs="?", metavar="PROGRAM",
        help="L-IRL program (.irl or an example), run (.parquet) or trajectory (.csv, rad)",
    )  # fmt: skip
    add_robot(command, required=False)
    command.add_argument("--name", metavar="TEXT", help="what viewers see (the robot's name)")
    command.add_argument(
        "--speed", type=number, default=1.0, metavar="PART", help="override to begin with, 0 to 1"
    )
    command.add_argument(
        "--dt", type=number, metavar="S", help="cycle time, s (that of the motion; 0.01)"
    )
    add_choices(command, "follow")
    add_setup(command)
    command.add_argument("--wait", action="store_true", help="begin when a viewer says start")
    command.add_argument("--loop", action="store_true", help="play it again and again")
    command.add_argument("--once", action="store_true", help="end when the motion has ended")
    command.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen")
    command.add_argument(
        "--port",
        type=port_number,
        metavar="NUMBER",
        help=f"to listen at ({PORT}, or the next free one)",
    )
    command.add_argument(
        "--token", default="", metavar="TEXT", help="that viewers need (off localhost: made up)"
    )
    command.add_argument(
        "--command",
        dest="order",
        metavar="COMMAND",
        help="tell a controller that runs: start, pause, stop, or a speed such as 50%%",
    )
    add_json(command)


def run_controller(options: argparse.Namespace) -> int:
    """Play a motion, or send a command; 1 if the motors could not do it."""
    if options.order is not None:
        return _send_command(options)
    for name in ("program", "robot"):
        if getattr(options, name) is None:
            expected = "a program, run or trajectory" if name == "program" else "--robot NAME"
            raise InputError(f"controller: expected {expected}, found none")
    return _play(options)


def _send_command(options: argparse.Namespace) -> int:
    """Send one command to a running controller."""
    import time

    from ..monitor.viewer.feed import Feed

    name, value = options.order.strip().lower(), None
    if name not in ("start", "pause", "stop"):
        try:
            name, value = "speed", float(name.removeprefix("speed").strip(" =%"))
        except ValueError:
            expected = "start, pause, stop or a speed in %"
            raise InputError(f"--command: expected {expected}, found {options.order!r}") from None
    host = f"[{options.host}]" if ":" in options.host else options.host
    with Feed(f"ws://{host}:{options.port or PORT}", token=options.token, frames=10) as feed:
        end = time.monotonic() + 3
        while feed.state().hello is None and time.monotonic() < end:
            time.sleep(0.02)
        state = feed.state()
        if state.hello is None:
            raise InputError(f"{state.url}: no controller: {state.reason or 'no answer'}")
        answer = feed.command(name, value)
        if options.json:
            print_json({"name": state.hello.name, "command": name, "value": value}, None)
        else:
            print(f"{state.hello.name}: {name}{'' if value is None else f' {value:g} %'}: {answer}")
    return 0


def _play(options: argparse.Namespace) -> int:
    import threading

    from ..ground.examples import program_path
    from ..monitor.controller.controller import COLUMNS, Controller
    from ..monitor.controller.source import read_played_motion
    from ..monitor.publisher.publisher import Publisher
    from .common import payload_of, placed_robot, signals_of, wrench_of

    robot, path = placed_robot(options), program_path(options.program)
    motion = read_played_motion(
        path, robot, dt=options.dt, payload=payload_of(options), signals=signals_of(options, path)
    )
    controller = Controller(
        robot,
        motion,
        dt=options.dt,
        speed=options.speed,
        loop=options.loop,
        wrench=wrench_of(options),
        follow=options.follow,
    )
    ports = range(PORT, PORT + TRIES) if options.port is None else [options.port]
    with Publisher(
        options.name or robot.name,
        robot,
        dt=controller.dt,
        columns=COLUMNS,
        host=options.host,
        port=list(ports),
        token=options.token,
        program=motion.text,
    ) as publisher:
        _print_address(options, publisher)
        if not options.wait:
            controller.player.command("start", None, controller.achiever.q)
        stop, ended, outcome = threading.Event(), threading.Event(), _Outcome()

        def work() -> None:
            try:
                outcome.summary = controller.run(publisher, stop=stop, once=options.once)
            except BaseException as error:
                outcome.error = error
            finally:
                ended.set()

        # the loop has a thread of its own: a terminal that does not take output must not hold it
        thread = threading.Thread(target=work, name="control loop")
        thread.start()
        try:
            _show_progress(options, controller, ended)
        except KeyboardInterrupt:
            pass
        finally:
            stop.set()
            ended.wait()  # after Ctrl-C in Thread.join, Python 3.11 takes the thread for ended
        if outcome.error is not None:
            raise outcome.error
    return _print_summary(options, outcome.summary)


class _Outcome:
    """The result of the control loop's thread: a summary or an error."""

    summary: Any = None
    error: BaseException | None = None


def _print_address(options: argparse.Namespace, publisher: Any) -> None:
    if options.port is None and publisher.port != PORT:
        print(f"erfd: note: port {PORT} is in use, took {publisher.port}", file=sys.stderr)
    generated = publisher.token and not options.token
    if options.json:
        data = {"url": publisher.url, "name": publisher.hello.name, "n": publisher.hello.n}
        data |= {"dt": publisher.hello.dt, "token": publisher.token if generated else ""}
        print_json(data, None)
        return
    print(f"{publisher.hello.name} at {publisher.url}, dt = {publisher.hello.dt:g} s", flush=True)
    if publisher.host in ("0.0.0.0", "::"):
        from socket import gethostname

        print(f"from other machines: ws://{gethostname()}:{publisher.port}", flush=True)
    if generated:
        print(f"token, shown only once: {publisher.token}", flush=True)
    print("Ctrl-C ends it", flush=True)


def _show_progress(options: argparse.Namespace, controller: Any, ended: Any) -> None:
    """Show one line on the terminal, twice a second, until the loop has ended."""
    live = sys.stdout.isatty() and not options.json
    while not ended.wait(0.5):
        if live:
            timing, player = controller.timing, controller.player
            line = (
                f"{player.mode}, {100 * player.speed:.0f} %, {timing.cycles} cycles,"
                f" {timing.overruns} overruns, at worst {1e3 * timing.worst:.1f} ms late"
            )
            print(f"\r{line:<78}", end="", flush=True)
    if live:
        print()


def _print_summary(options: argparse.Namespace, summary: Any) -> int:
    timing = summary.timing
    if options.json:
        data = {"rounds": summary.rounds, "limited": summary.limited}
        data |= {"deviation": summary.deviation, "cycles": timing.cycles}
        data |= {"overruns": timing.overruns, "skipped": timing.skipped, "worst": timing.worst}
        print_json(data, None)
    else:
        print(
            f"{timing.cycles} cycles, {timing.overruns} overruns, {timing.skipped} skipped;"
            f" {summary.limited} cycles at a limit, at most {1e3 * summary.deviation:.3g} mm off"
        )
    return 1 if summary.limited else 0
