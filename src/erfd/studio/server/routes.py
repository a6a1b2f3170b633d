"""HTTP routes for the data of open runs (packets, CSV, the file itself) and live robots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from fastapi import Depends, HTTPException
from fastapi.responses import FileResponse, Response, StreamingResponse

from ...errors import ErfdError
from ...report.curves.csv_table import csv_pieces
from ..live_robots import LiveRobots, Watched
from ..runs.open_runs import OpenRun, OpenRuns
from .safety import safe_name


def _choice(
    joints: str = "", given: bool = True, limits: bool = True, parts: bool = False,
    percent: bool = False, first: float | None = None, last: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What a request wants to see in its diagrams."""
    try:
        numbers = [int(word) for word in joints.split(",") if word] if joints else None
    except ValueError:
        raise HTTPException(400, "joints: expected numbers between commas") from None
    for value in (first, last):
        if value is not None and not np.isfinite(value):
            raise HTTPException(400, "first, last: expected finite times")
    return {
        "joints": numbers, "given": given, "limits": limits, "parts": parts,
        "percent": percent, "first": first, "last": last,
    }  # fmt: skip


Choice = Annotated[dict[str, Any], Depends(_choice)]


def _packet(make: Callable[..., bytes], *arguments: Any, **more: Any) -> Response:
    try:
        return Response(make(*arguments, **more), media_type="application/octet-stream")
    except (ErfdError, OverflowError) as error:
        raise HTTPException(400, str(error)) from None


def add_routes(app: Any, runs: OpenRuns) -> None:
    """Add the routes of open runs to the application (FastAPI)."""

    def find(key: str) -> OpenRun:
        open_run = runs.get(key)
        if open_run is None:
            raise HTTPException(404, "no such run is open")
        return open_run

    @app.get("/erfd/run/{key}/poses")  # type: ignore[untyped-decorator, unused-ignore]
    def poses(
        key: str, first: int | None = None, last: int | None = None, points: int = 4000
    ) -> Response:
        return _packet(find(key).poses, first, last, points)

    @app.get("/erfd/run/{key}/path")  # type: ignore[untyped-decorator, unused-ignore]
    def path(key: str, first: int | None = None, last: int | None = None) -> Response:
        return _packet(find(key).path, first, last)

    @app.get("/erfd/run/{key}/diagram")  # type: ignore[untyped-decorator, unused-ignore]
    def diagram(key: str, name: str, choice: Choice, points: int = 2000) -> Response:
        return _packet(find(key).diagram, name, points, **choice)

    @app.get("/erfd/run/{key}/diagrams.csv")  # type: ignore[untyped-decorator, unused-ignore]
    def table(key: str, names: str, choice: Choice, other: str = "") -> Response:
        open_run = find(key)
        runs = [open_run, find(other)] if other else [open_run]
        try:
            wanted = dict.fromkeys(names.split(","))
            curves = [[run.curves(name, **choice) for name in wanted] for run in runs]
        except ErfdError as error:
            raise HTTPException(400, str(error)) from None
        title = " and ".join(safe_name(run.about.name) for run in runs)
        title = title.encode("ascii", "replace").decode()
        headers = {"content-disposition": f'attachment; filename="{title}.csv"'}
        return StreamingResponse(csv_pieces(curves), media_type="text/csv", headers=headers)

    @app.get("/erfd/run/{key}/run.parquet")  # type: ignore[untyped-decorator, unused-ignore]
    def parquet_file(key: str) -> Response:
        open_run = find(key)
        return FileResponse(
            open_run.file.path, filename=f"{safe_name(open_run.about.name)}.parquet"
        )


def add_live_routes(app: Any, live: LiveRobots) -> None:
    """Add the routes of live robots to the application (FastAPI)."""

    def find(key: str) -> Watched:
        watched = live.get(key)
        if watched is None:
            raise HTTPException(404, "no such stream is watched")
        return watched

    @app.get("/erfd/live/{key}/poses")  # type: ignore[untyped-decorator, unused-ignore]
    def poses(key: str, after: int = -1) -> Response:
        return _packet(find(key).poses, min(max(after, -1), 2**62))

    @app.get("/erfd/live/{key}/diagram")  # type: ignore[untyped-decorator, unused-ignore]
    def diagram(key: str, name: str, choice: Choice, points: int = 1000) -> Response:
        whole = choice | {"first": None, "last": None}
        return _packet(find(key).diagram, name, points, **whole)
