"""The HTTP interface, in process: whatever is asked, the answer is an answer."""

import asyncio
import dataclasses
import string
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erfd
from erfd.run.write import write_parquet
from erfd.studio.server.safety import Guard

fastapi = pytest.importorskip("fastapi")
from erfd.studio.live_robots import LiveRobots  # noqa: E402
from erfd.studio.runs.open_runs import OpenRuns  # noqa: E402
from erfd.studio.runs.store import About  # noqa: E402
from erfd.studio.server.routes import add_live_routes, add_routes  # noqa: E402


@pytest.fixture(scope="module")
def runs():
    return OpenRuns()


@pytest.fixture(scope="module")
def served(tmp_path_factory, runs):
    t = 0.01 * np.arange(101)
    way = 1 - np.cos(np.pi * t)
    trajectory = erfd.Trajectory(t, np.stack([way, 0.5 * way], axis=1))
    path = tmp_path_factory.mktemp("http") / "run.parquet"
    write_parquet(erfd.achievable(erfd.load("two_link"), trajectory), path)
    app = fastapi.FastAPI()
    add_routes(app, runs)
    add_live_routes(app, LiveRobots())
    shown = runs.open(path, About("", 'na"me\r\n', "", "two_link", True, 1.0, 101))
    return Guard(app, token=None), shown


@pytest.fixture(scope="module")
def other(tmp_path_factory, runs):
    """A robot with more joints and without motors."""
    robot = dataclasses.replace(erfd.load("centrifuge3"), drives=())
    path = tmp_path_factory.mktemp("http") / "other.parquet"
    write_parquet(erfd.simulate(robot, [0, 0, 0], [0.1, 0.2, 0.3], [0, 0, 0], steps=40), path)
    return runs.open(path, About("", "other", "", robot.name, True, 0.04, 41))


def ask(app, path: str, method: str = "GET", headers=()) -> tuple[int, bytes]:
    """One request; what is not ASCII goes in as it would come from outside."""
    path, _, query = path.partition("?")
    pairs = [(b"host", b"127.0.0.1:8077"), (b"origin", b"http://127.0.0.1:8077"), *headers]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": quote(path).encode(), "query_string": quote(query, "=&").encode(),
        "headers": pairs, "scheme": "http", "server": ("127.0.0.1", 8077),
        "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    sent, asked = [], []

    async def receive():
        if asked:
            await asyncio.Event().wait()  # the other side stays connected and says no more
        asked.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(m.get("body", b"") for m in sent[1:])


def test_the_numbers_of_an_open_run(served):
    app, shown = served
    for path in ("poses", "path", "diagram?name=q", "run.parquet"):
        status, body = ask(app, f"{shown.url}/{path}")
        assert status == 200
        assert len(body) > 100


def cells(body: bytes) -> tuple[list[str], list[list[str]]]:
    """The titles and the rows of a table."""
    rows = [line.split(",") for line in body.decode().splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    return rows[0], rows[1:]


def test_one_table_of_all_diagrams(served):
    app, shown = served
    query = "names=q,qd,q&joints=1&given=false"
    status, body = ask(app, f"{shown.url}/diagrams.csv?{query}&limits=false")
    assert status == 200
    titles, rows = cells(body)
    assert titles == ["t [s]", "2 (q; found) [°]", "2 (qd; found) [°/s]"]
    values = np.array([[float(x) for x in row] for row in rows])
    np.testing.assert_array_equal(values[:, 0], shown.file["t"])
    np.testing.assert_allclose(np.radians(values[:, 1]), shown.file["q"][:, 1], rtol=1e-14)
    np.testing.assert_allclose(np.radians(values[:, 2]), shown.file["qd"][:, 1], rtol=1e-14)
    titles, rows = cells(ask(app, f"{shown.url}/diagrams.csv?{query}&first=0.2&last=0.4")[1])
    assert titles[2:4] == ["2 min (q; limit) [°]", "2 max (q; limit) [°]"]
    assert 20 < len(rows) < 26
    for wrong in ("names=", "names=q,nothing", "names=q&joints=x", "names=q&first=nan"):
        assert ask(app, f"{shown.url}/diagrams.csv?{wrong}")[0] == 400
    assert ask(app, f"{shown.url}/diagrams.csv?names=q&other=unknown")[0] == 404


def test_two_robots_in_one_table_and_one_diagram(served, other):
    """The second run has more joints, and has no programme to deviate from."""
    app, shown = served
    status, body = ask(
        app,
        f"{shown.url}/diagrams.csv?names=q,deviation&limits=false&given=false&other={other.key}",
    )
    assert status == 200
    titles, rows = cells(body)
    assert titles[:2] == ["run", "t [s]"]
    of = {x: [row[titles.index(x)] for row in rows] for x in titles}
    first, second = (np.array(of["run"]) == letter for letter in "AB")
    assert first.sum() == len(shown.file)
    assert second.sum() == len(other.file)
    third = np.array(of["3 (q; found) [°]"])
    assert (third[first] == "").all()
    np.testing.assert_allclose(
        np.radians(third[second].astype(float)), other.file["q"][:, 2], rtol=1e-14
    )
    away = np.array(of["mm (deviation; found) [mm; °]"])
    np.testing.assert_array_equal(away[first].astype(float), 1000 * shown.file["deviation"][:, 0])
    assert (away[second] == "").all()
    for path in ("diagram?name=deviation", "diagram?name=q&joints=2,5"):
        assert ask(app, f"{other.url}/{path}")[0] == 200
        assert ask(app, f"{shown.url}/{path}")[0] == 200


def test_nobody_finds_what_is_not_open(served):
    app, shown = served
    for path in ("/erfd/run/x/path", f"{shown.url}x/path", "/erfd/live/x/poses", "/etc/passwd"):
        assert ask(app, path)[0] == 404
    assert ask(app, f"{shown.url}/../../../etc/passwd")[0] == 404


def test_a_closed_run_lingers_and_goes(served, monkeypatch):
    _, shown = served
    runs = OpenRuns()
    one = runs.open(shown.file.path, shown.about)
    runs.close(one)
    assert runs.get(one.key) is one
    monkeypatch.setattr("erfd.studio.runs.open_runs.LINGER", 0.0)
    assert runs.get(one.key) is None


words = st.text(string.printable + "šđ\u0000\u202e", max_size=20)
names = st.sampled_from(["q", "u_a", "force", "load_g", "deviation"]) | words
numbers = st.one_of(
    st.integers(-(10**30), 10**30).map(str), st.floats().map(str), words, st.just("")
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["poses", "path", "diagram", "diagrams.csv", "run.parquet", ""]) | words,
    names,
    st.dictionaries(
        st.sampled_from(
            ["first", "last", "points", "joints", "given", "limits", "parts", "other", "x"]
        ),
        numbers,
        max_size=5,
    ),
    st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
)
def test_no_request_breaks_it(served, place, name, query, method):
    app, shown = served
    asked = "&".join([f"name={name}&names=q,{name}", *(f"{k}={v}" for k, v in query.items())])
    status, _ = ask(app, f"{shown.url}/{place}?{asked}".replace("\n", ""), method)
    assert status in (200, 206, 307, 400, 404, 405, 416, 422)
