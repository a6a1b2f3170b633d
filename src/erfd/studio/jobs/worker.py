"""Worker process for jobs and for the reading of files: requests and answers are JSON lines.

{"kind": "alive"}                                       every few seconds
{"kind": "progress", "part": 0.3, "stage": "stage_plan"}
{"kind": "early", "result": {...}}                      the verdict, before the advice
{"kind": "done", "result": {...}}                       or
{"kind": "failed", "result": {"error"}}                 a mistake of the user's        or
{"kind": "fault", "traceback": "..."}                   one of ours
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Lock, Thread
from typing import Any

KINDS = {
    "verify": "verification",
    "repair": "repairing",
    "fastest": "fastest",
    "study": "studying",
    "variant": "studying:variant",
    "read_robot": "reading:read_robot",
    "read_cell": "reading:read_cell",
    "look_robot": "opening:look_robot",
    "make_robot": "opening:make_robot",
    "read_program": "reading:read_program",
    "read_run": "reading:read_run",
    "check": "checking:check_program",
    "format": "checking:format_program",
    "insert": "checking:insert",
}
"""What a request may ask for: a module of this folder, and a function in it (`work` if none)."""
ALIVE = 3.0
"""Seconds between two signs of life."""
NICE = 5
"""By how much a worker steps back: pages are answered first."""
MEMORY = 6 * 2**30
"""Bytes of addresses that the reading of a file may take."""


class Answers:
    """The pipe to the studio."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._lock = Lock()
        os.dup2(2, 1)  # whatever a library prints must not get among the answers

    def tell(self, kind: str, **entries: Any) -> None:
        """Send one message."""
        text = json.dumps({"kind": kind, **entries}) + "\n"
        with self._lock:
            self._file.write(text)
            self._file.flush()

    def live(self) -> None:
        """Send signs of life for ever."""
        with suppress(OSError, ValueError):  # the studio is gone
            while True:
                self.tell("alive")
                time.sleep(ALIVE)


def main() -> None:
    """Work until the studio closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the studio, which ends this
    answers = Answers()
    Thread(target=answers.live, daemon=True).start()
    with suppress(OSError, AttributeError):
        os.nice(NICE)
    if sys.argv[1:] == ["read"]:
        _bound_memory()
    else:
        from .verification import warm_up

        warm_up()
    for line in sys.stdin:
        try:
            _answer(json.loads(line), answers)
        except BrokenPipeError:
            return  # the studio is gone


def _answer(request: dict[str, Any], answers: Answers) -> None:
    from ...errors import ErfdError

    def tell(part: float, stage: str, early: dict[str, Any] | None = None) -> None:
        if early is not None:
            answers.tell("early", result=early)
        answers.tell("progress", part=part, stage=stage)

    try:
        result = _function(request["kind"])(request, tell)
    except ErfdError as error:
        mistakes = getattr(error, "mistakes", ())
        places = [{"line": m.line, "column": m.column} for m in mistakes][:200]
        answers.tell("failed", result={"error": str(error), "places": places})
    except MemoryError:
        answers.tell("failed", result={"error": "not enough memory for this"})
    except RecursionError:
        answers.tell("failed", result={"error": "it is nested too deep to be read"})
    except Exception:
        answers.tell("fault", traceback=traceback.format_exc())
    else:
        answers.tell("done", result=result)


def _function(kind: str) -> Callable[..., dict[str, Any]]:
    """The function of a kind of request."""
    module, _, name = KINDS[kind].partition(":")
    function: Callable[..., dict[str, Any]] = getattr(
        import_module(f".{module}", __package__), name or "work"
    )
    return function


def _bound_memory() -> None:
    """Let this process take no more memory than any honest file needs."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
