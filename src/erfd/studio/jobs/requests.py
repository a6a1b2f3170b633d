"""Requests to a worker: what a session asks of it, and the folders that its runs go to."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...report.wording.texts import Words
from ..runs.store import Store
from ..session import Session


def request_of(session: Session, kind: str, store: Store, words: Words) -> dict[str, Any]:
    """The request for a job: "verify", "repair", "fastest", "study" or "variant".

    A fastest motion is shown beside the run of the program: the one that is shown (`of` is its id)
    if that is of this program and these loads, else another, for which `beside` has id and folder.
    """
    name = session.name or words("untitled")
    request: dict[str, Any] = {
        "kind": kind,
        "name": name,
        "program": session.text,
        "setup": asdict(session.setup),
        "robot_file": str(session.robot_file) if session.robot_file else None,
        "cell_file": str(session.cell_file) if session.cell_file else None,
        "enclosed": session.own_cell,
    }
    if kind in ("repair", "study"):  # what comes of it is no run
        return request
    request |= _place(store)
    if kind in ("verify", "variant"):
        return request | {"advice": session.advice}
    known = _known(session)
    beside = None if known else _place(store)
    return request | {
        "fastest_name": words("fastest_name", name=name),
        "beside": beside,
        "of": beside["id"] if beside else known,
    }


def _place(store: Store) -> dict[str, str]:
    """The id and the folder of a run to come."""
    run_id, part = store.new()
    return {"id": run_id, "folder": str(part)}


def _known(session: Session) -> str:
    """The id of the run that is shown, if it is what the program does now; else empty."""
    run = session.run
    if run is None or session.run_cell is not None or session.stale:
        return ""
    return run.about.id if run.about.program else ""


def folders_of(request: dict[str, Any]) -> list[Path]:
    """The folders that the runs of a request are written to; that of the program last."""
    places = [request, request.get("beside") or {}]
    return [Path(place["folder"]) for place in places if "folder" in place]
