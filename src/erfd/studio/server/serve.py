"""Start the studio: address, token, pages, and a clean end."""

from __future__ import annotations

import secrets
import socket
import sys
import tempfile
from collections.abc import Callable
from math import inf
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...ground.addresses import is_local
from ...ground.optional import import_optional
from ...report.wording.texts import LANGUAGES, Words
from ...robot.library import save
from ...robot.model import Robot
from ..browser import WEB
from ..jobs.job import SECONDS
from ..runs.store import Store
from .access import SHORT, AccessToken, read_tokens
from .memory import share_pools
from .safety import Guard, safe_name

if TYPE_CHECKING:
    from ..studio import Studio

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
    tokens: Path | None = None,
    local_token: bool = False,
    minutes: float = SECONDS / 60,
    keep_jobs: bool = False,
    keep_days: float = inf,
    keep_gigabytes: float = inf,
    say: Callable[[str], None] = print,
) -> None:
    """Run the studio until it is interrupted.

    `first` is a file to open (.parquet or .irl), `robot` the robot that every tab begins with. A
    `token` is asked for if one is given, or `tokens`, a file of them with names and rights; on an
    address that others can reach, and on this machine with `local_token`, always: else one is made
    here and told once. A job takes at most `minutes`, and ends when nobody looks any more unless
    `keep_jobs`. Runs beyond `keep_days` and `keep_gigabytes` are offered to be deleted.
    """
    import_optional("nicegui", "the studio", "studio")
    if language not in LANGUAGES:
        raise InputError(f"--language: expected one of {', '.join(LANGUAGES)}, found {language!r}")
    limits = {"job-minutes": minutes, "keep-days": keep_days, "keep-gigabytes": keep_gigabytes}
    for name, value in limits.items():
        if not value > 0:
            raise InputError(f"--{name}: expected a number > 0, found {value:g}")
    if first is not None:
        _check_first(first)
    from ..studio import Studio

    store = Store(folder)
    actual_port = free_port(host, port or PORT)
    if actual_port != (port or PORT):
        say(f"port {port or PORT} is in use, taking {actual_port}")
    known = read_tokens(tokens) if tokens is not None else ()
    # at this machine alone none is needed, but one who gives one means it
    asked = local_token or not is_local(host)
    secret = token or (secrets.token_urlsafe(18) if asked and not known else None)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{actual_port}/"
    say(f"erfd studio: {address}  (Ctrl+C ends it)")
    say(f"runs are kept in {store.folder}")
    if secret is not None or known:
        shown_token = f"those of {tokens.name}" if tokens is not None else "as given"
        shown_token = shown_token if token or secret is None else str(secret)
        others = (
            "" if is_local(host) else f"from other machines: {outside_address(host, actual_port)}; "
        )
        say(f"{others}token: {shown_token}")
    if token and len(token) < SHORT:
        say(f"this token can be guessed: {SHORT} characters or more cannot")
    if secret is not None:
        known = (*known, AccessToken("user", "command", secret))
    with tempfile.TemporaryDirectory(prefix="erfd-studio-") as folder_of_robot:
        brought = None
        if robot is not None:
            brought = Path(folder_of_robot) / f"{safe_name(robot.name, 'robot')}.toml", robot
            save(robot, brought[0])
        studio = Studio(
            store, language=language, first=first.resolve() if first else None,
            first_robot=brought, seconds=60 * minutes, keep_jobs=keep_jobs, keep_days=keep_days,
            keep_bytes=1e9 * keep_gigabytes,
        )  # fmt: skip
        _run(studio, host, actual_port, show, known)


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
    studio: Studio, host: str, port: int, show: bool, tokens: tuple[AccessToken, ...]
) -> None:  # fmt: skip
    share_pools()
    from nicegui import app, ui

    from ..pages.live_page import add_live_page
    from ..pages.main_page import add_page
    from .connections import Connection
    from .routes import add_live_routes, add_routes

    words = Words(studio.language)
    login = {"title": "ERFD studio", "ask": words("token_ask"), "enter": words("token_enter")}
    login["wrong"] = words("token_wrong")
    app.add_middleware(Guard, tokens=tokens, words=login)
    app.add_static_files("/erfd/web", WEB)
    add_routes(app, studio.runs)
    add_live_routes(app, studio.live)
    add_page(studio)
    add_live_page(studio)

    async def end() -> None:
        await studio.workers.close()
        await studio.readers.close()
        studio.sessions.close()

    app.on_startup(studio.workers.warm)
    app.on_startup(studio.readers.warm)
    app.on_startup(lambda: Thread(target=studio.keep_left, daemon=True).start())
    app.timer(10.0, studio.tidy)
    app.on_shutdown(end)
    app.on_exception(lambda error: _report(studio, error))
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
        http=Connection,
        tailwind=False,
    )


def _report(studio: Studio, error: Any) -> None:
    """Put an error of one page into the log, and a line on the terminal; the others go on."""
    reference = studio.log.exception("a page", error)
    print(f"erfd studio: {type(error).__name__}: {error} [{reference}]", file=sys.stderr)
