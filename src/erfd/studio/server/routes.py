"""HTTP routes for the data of open runs (packets, CSV, the file itself) and live robots."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi import HTTPException
from fastapi.responses import FileResponse, Response, StreamingResponse

from ...errors import ErfdError
from ...report.curves.csv_table import csv_pieces
from ..live_robots import LiveRobots, Watched
from ..runs.open_runs import OpenRun, OpenRuns
from .safety import safe_name


def add_routes(app: Any, runs: OpenRuns) -> None:
    """Add the routes of open runs to the application (FastAPI)."""

    def find(key: str) -> OpenRun:
        open_run = runs.get(key)
        if open_run is None:
            raise HTTPException(404, "no such run is open")
        return open_run

    def packet(make: Any) -> Response:
        try:
            return Response(make(), media_type="application/octet-stream")
        except (ErfdError, OverflowError) as error:
            raise HTTPException(400, str(error)) from None

    @app.get("/erfd/run/{key}/poses")  # type: ignore[untyped-decorator, unused-ignore]
    def poses(
        key: str, first: int | None = None, last: int | None = None, points: int = 4000
    ) -> Response:
        open_run = find(key)
        return packet(lambda: open_run.poses(first, last, points))

    @app.get("/erfd/run/{key}/path")  # type: ignore[untyped-decorator, unused-ignore]
    def path(key: str, first: int | None = None, last: int | None = None) -> Response:
        open_run = find(key)
        return packet(lambda: open_run.path(first, last))

    @app.get("/erfd/run/{key}/diagram")  # type: ignore[untyped-decorator, unused-ignore]
    def diagram(
        key: str,
        name: str,
        joints: str = "",
        given: bool = True,
        limits: bool = True,
        parts: bool = False,
        first: float | None = None,
        last: float | None = None,
        points: int = 2000,
    ) -> Response:
        open_run = find(key)
        choice = _choice(joints, given, limits, parts, first, last)
        return packet(lambda: open_run.diagram(name, points, **choice))

    @app.get("/erfd/run/{key}/diagrams.csv")  # type: ignore[untyped-decorator, unused-ignore]
    def table(
        key: str,
        names: str,
        other: str = "",
        joints: str = "",
        given: bool = True,
        limits: bool = True,
        parts: bool = False,
        first: float | None = None,
        last: float | None = None,
    ) -> Response:
        choice = _choice(joints, given, limits, parts, first, last)
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
        data = find(key).poses(min(max(after, -1), 2**62))
        return Response(data, media_type="application/octet-stream")

    @app.get("/erfd/live/{key}/diagram")  # type: ignore[untyped-decorator, unused-ignore]
    def diagram(
        key: str,
        name: str,
        joints: str = "",
        given: bool = True,
        limits: bool = True,
        parts: bool = False,
        points: int = 1000,
    ) -> Response:
        watched = find(key)
        choice = _choice(joints, given, limits, parts, None, None)
        try:
            data = watched.diagram(name, points, **choice)
        except ErfdError as error:
            raise HTTPException(400, str(error)) from None
        return Response(data, media_type="application/octet-stream")


def _choice(
    joints: str, given: bool, limits: bool, parts: bool, first: float | None, last: float | None
) -> dict[str, Any]:
    try:
        numbers = [int(word) for word in joints.split(",") if word] if joints else None
    except ValueError:
        raise HTTPException(400, "joints: expected numbers between commas") from None
    for value in (first, last):
        if value is not None and not np.isfinite(value):
            raise HTTPException(400, "first, last: expected finite times")
    return {
        "joints": numbers, "given": given, "limits": limits, "parts": parts,
        "first": first, "last": last,
    }  # fmt: skip
