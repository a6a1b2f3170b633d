"""Start the studio: address, token, pages, and a clean end."""

from __future__ import annotations

import secrets
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

from ...errors import InputError
from ...ground.addresses import is_local
from ...ground.optional import import_optional
from ...report.wording.texts import LANGUAGES, Words
from ...robot.library import save
from ...robot.model import Robot
from ..browser import WEB
from ..runs.store import Store
from .memory import share_pools
from .safety import Guard, safe_name

PORT = 8077
TRIES = 50


def serve(
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    folder: Path,
    first: Path | None = None,
    robot: Robot | None = None,
    language: str = "en",
    show: bool = True,
    token: str | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Run the studio until it is interrupted.

    `first` is a file to open (.parquet or .irl), `robot` the robot that every tab begins with. A
    `token` is asked for if one is given; on an address that others can reach always: else one is
    made here and told once.
    """
    import_optional("nicegui", "the studio", "studio")
    if language not in LANGUAGES:
        raise InputError(f"--language: expected one of {', '.join(LANGUAGES)}, found {language!r}")
    if first is not None:
        _check_first(first)
    store = Store(folder)
    actual_port = free_port(host, port or PORT)
    if actual_port != (port or PORT):
        say(f"port {port or PORT} is in use, taking {actual_port}")
    # at this machine alone none is needed, but one who gives one means it
    secret = token or (None if is_local(host) else secrets.token_urlsafe(18))
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{actual_port}/"
    say(f"erfd studio: {address}  (Ctrl+C ends it)")
    say(f"runs are kept in {store.folder}")
    if secret is not None:
        shown_token = "as given" if token else secret
        others = (
            "" if is_local(host) else f"from other machines: {outside_address(host, actual_port)}; "
        )
        say(f"{others}token: {shown_token}")
    with tempfile.TemporaryDirectory(prefix="erfd-studio-") as folder_of_robot:
        brought = None
        if robot is not None:
            brought = Path(folder_of_robot) / f"{safe_name(robot.name, 'robot')}.toml", robot
            save(robot, brought[0])
        _run(store, host, actual_port, first, brought, language, show, secret)


def outside_address(host: str, port: int) -> str:
    """The address to type on other machines."""
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def free_port(host: str, port: int) -> int:
    """The first port from this one on that nobody listens at."""
    if not 0 < port < 65536:
        raise InputError(f"--port: expected a number from 1 to 65535, found {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, min(port + TRIES, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, number))
            except OSError as error:
                if error.errno not in (13, 98, 48):  # in use, or not ours to take
                    raise InputError(f"--host {host}: cannot be used: {error.strerror}") from None
                continue
            return number
    raise InputError(f"--port: expected a free one from {port} to {port + TRIES - 1}, found none")


def _check_first(path: Path) -> None:
    if path.suffix.lower() not in (".parquet", ".irl"):
        raise InputError(f"{path}: expected a run (.parquet) or a program (.irl)")
    if not path.is_file():
        raise InputError(f"{path}: no such file")


def _run(
    store: Store, host: str, port: int, first: Path | None, robot: tuple[Path, Robot] | None,
    language: str, show: bool, secret: str | None,
) -> None:  # fmt: skip
    share_pools()
    from nicegui import app, ui

    from ..pages.live_page import add_live_page
    from ..pages.main_page import add_page
    from ..studio import Studio
    from .routes import add_live_routes, add_routes

    path = first.resolve() if first else None
    studio = Studio(store, language=language, first=path, first_robot=robot)
    words = Words(language)
    login = {"title": "ERFD studio", "ask": words("token_ask"), "enter": words("token_enter")}
    login["wrong"] = words("token_wrong")
    app.add_middleware(Guard, token=secret, words=login)
    app.add_static_files("/erfd/web", WEB)
    add_routes(app, studio.runs)
    add_live_routes(app, studio.live)
    add_page(studio)
    add_live_page(studio)

    async def end() -> None:
        await studio.workers.close()
        studio.sessions.close()

    app.on_startup(studio.workers.warm)
    app.on_startup(lambda: Thread(target=studio.keep_left, daemon=True).start())
    app.timer(10.0, studio.tidy)
    app.on_shutdown(end)
    app.on_exception(_report)
    ui.run(
        host=host,
        port=port,
        title="ERFD studio",
        favicon=WEB / "icon.svg",
        reload=False,
        show=show,
        show_welcome_message=False,
        # a busy browser may not answer for long; a page that is made anew has lost what was pressed
        reconnect_timeout=30.0,
        uvicorn_logging_level="critical",
        tailwind=False,
    )


def _report(error: Any) -> None:
    """Print an error of one page on the terminal; the others go on."""
    print(f"erfd studio: {type(error).__name__}: {error}", file=sys.stderr)
