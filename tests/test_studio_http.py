"""The HTTP interface, in process: whatever is asked, the answer is an answer."""

import asyncio
import string
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erfd
from erfd.report.export import write_parquet
from erfd.studio.safety import Guard

fastapi = pytest.importorskip("fastapi")
from erfd.studio.live import LiveRobots  # noqa: E402
from erfd.studio.routes import add_live_routes, add_routes  # noqa: E402
from erfd.studio.shown import ShownRuns  # noqa: E402
from erfd.studio.store import About  # noqa: E402


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    robot = erfd.load("two_link")
    t = 0.01 * np.arange(101)
    way = 1 - np.cos(np.pi * t)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.stack([way, 0.5 * way], axis=1)))
    path = tmp_path_factory.mktemp("http") / "run.parquet"
    write_parquet(run, path)
    runs = ShownRuns()
    app = fastapi.FastAPI()
    add_routes(app, runs)
    add_live_routes(app, LiveRobots())
    shown = runs.open(path, About("", 'na"me\r\n', "", "two_link", True, 1.0, len(run)))
    return Guard(app, token=None), shown


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
    status, body = ask(app, f"{shown.url}/diagram.csv?name=q&joints=1&given=false&limits=false")
    assert status == 200
    rows = body.decode().splitlines()
    assert rows[0] == "t [s],2 (q; found) [°]"
    values = np.array([[float(x) for x in row.split(",")] for row in rows[1:]])
    np.testing.assert_array_equal(values[:, 0], shown.file["t"])
    np.testing.assert_allclose(np.radians(values[:, 1]), shown.file["q"][:, 1], rtol=1e-14)


def test_nobody_finds_what_is_not_open(served):
    app, shown = served
    for path in ("/erfd/run/x/path", f"{shown.url}x/path", "/erfd/live/x/poses", "/etc/passwd"):
        assert ask(app, path)[0] == 404
    assert ask(app, f"{shown.url}/../../../etc/passwd")[0] == 404


def test_a_closed_run_lingers_and_goes(served, monkeypatch):
    _, shown = served
    runs = ShownRuns()
    one = runs.open(shown.file.path, shown.about)
    runs.close(one)
    assert runs.get(one.key) is one
    monkeypatch.setattr("erfd.studio.shown.LINGER", 0.0)
    assert runs.get(one.key) is None


words = st.text(string.printable + "šđ\u0000\u202e", max_size=20)
names = st.sampled_from(["q", "u_a", "force", "load_g", "deviation"]) | words
numbers = st.one_of(
    st.integers(-(10**30), 10**30).map(str), st.floats().map(str), words, st.just("")
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["poses", "path", "diagram", "diagram.csv", "run.parquet", ""]) | words,
    names,
    st.dictionaries(
        st.sampled_from(["first", "last", "points", "joints", "given", "limits", "parts", "x"]),
        numbers,
        max_size=5,
    ),
    st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
)
def test_no_request_breaks_it(served, place, name, query, method):
    app, shown = served
    asked = "&".join([f"name={name}", *(f"{k}={v}" for k, v in query.items())])
    status, _ = ask(app, f"{shown.url}/{place}?{asked}".replace("\n", ""), method)
    assert status in (200, 206, 307, 400, 404, 405, 416, 422)
