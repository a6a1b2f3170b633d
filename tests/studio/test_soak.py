"""Nothing grows in the studio: tabs that come, verify, play, compare, watch a robot, and go.

`make soak` sets ERFD_SOAK to 600 s; it needs Chromium.
"""

import asyncio
import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.controllers import Started
from support.motions import lola_motion, write_motion
from support.processes import children, resident
from support.studio_browser import Tab, chromium, needed, studio
from support.studio_client import StudioClient

SECONDS = float(os.environ.get("ERFD_SOAK", "0"))
pytestmark = [needed, pytest.mark.skipif(SECONDS == 0, reason="`make soak` sets ERFD_SOAK")]
GROWTH = 0.25
"""MB a tab. A tab of which its page stays is 1.6 MB, one whose run stays or whose robot is compiled
anew more. Its session stays for twelve hours, so that it can be opened again: below 0.1 MB."""
STAGES = 3
"""The first one fills the caches."""
QUIET = 80.0
"""Seconds without a tab after which the server has let go of all pages (30 s, should one come back)
and of the numbers of their sessions (20 s more), and given that memory back (twice, every 10 s)."""


def visit(browser, url: str, robot: str, others: int) -> None:
    """One tab, from its first look to its last."""
    tab = Tab(browser, url)
    page = tab.ready().page
    tab.verify()
    page.locator(".studio-timeline button.main").click()
    page.wait_for_function("window.erfdClock.t > 0.5")
    if others:
        tab.tab("Compare")
        tab.choose("Compare with", "lola15_demo")
        page.wait_for_selector(".studio-scene[data-runs='2']")
        page.wait_for_selector(".studio-table tbody tr:has-text('Peak torque')")
    page.goto(f"{url}live")
    page.get_by_label("Address of a controller").fill(robot)
    page.get_by_role("button", name="Connect").click()
    page.wait_for_selector(".chip.live")
    page.wait_for_selector(".studio-diagrams canvas")
    page.wait_for_timeout(1000)
    tab.close()


@pytest.mark.usefixtures("users_environment")
def test_memory_is_flat(tmp_path: Path) -> None:
    """Tabs one after the other for ERFD_SOAK seconds: once they are gone, so is their memory."""
    way = write_motion(tmp_path / "slow.csv", lola_motion(3.0))
    rows: list[dict[str, float]] = []
    with (
        Started(str(way), "--robot", "lola15", "--loop", "--port", "0") as controller,
        studio(tmp_path, 8471) as server,
        chromium() as browser,
    ):
        kept, here = tmp_path / "erfd" / "runs", server.process.pid
        for _ in range(STAGES):
            tabs, start = 0, time.monotonic()
            while time.monotonic() - start < SECONDS / STAGES - QUIET:
                old = sorted(kept.iterdir())
                for place in old[:-3]:  # else the list of runs would be what grows
                    shutil.rmtree(place)
                visit(browser, server.url, controller.url, len(old))
                tabs += 1
            busy = resident(here)
            time.sleep(QUIET)
            workers = sum(map(resident, children(here)))
            rows.append({"tabs": tabs, "busy": busy, "server": resident(here), "workers": workers})
    print(json.dumps(rows))
    first, last = rows[0], rows[-1]
    count = sum(row["tabs"] for row in rows[1:])
    assert count > 5, "too short a time"
    for name in ("server", "workers"):
        assert last[name] - first[name] < GROWTH * count, rows


PING = 0.3
"""Seconds that 99 of 100 small requests take at most, whatever the others do."""
KEPT = 5000
BUSY = """setInterval(() => {
  window.erfdClock.go(0);
  const buttons = [...document.querySelectorAll('.studio-header button')];
  const verify = buttons.find((b) => b.innerText.includes('Verify'));
  if (verify?.offsetParent) verify.click();
}, 4000)"""
"""What a browser does: verify whenever it can."""


def fill(folder: Path, count: int) -> None:
    """Make so many kept runs of one that is there."""
    model = next(place for place in folder.iterdir() if (place / "run.parquet").exists())
    about = json.loads((model / "about.json").read_text())
    for k in range(count):
        place = folder / f"20200101-{k // 10000:06d}-{k:08x}"
        place.mkdir()
        (place / "about.json").write_text(json.dumps(about | {"id": place.name, "name": f"r{k}"}))
        (place / "run.parquet").hardlink_to(model / "run.parquet")


@pytest.mark.usefixtures("users_environment")
def test_many_users_for_long(tmp_path: Path) -> None:
    """Two browsers and eight pages without one verify all the time, with 5,000 kept runs."""
    with studio(tmp_path, 8473) as server, chromium() as browser:
        kept, here = tmp_path / "erfd" / "runs", server.process.pid
        tabs = [Tab(browser, server.url).ready() for _ in range(2)]
        tabs[0].verify()
        fill(kept, KEPT)
        tabs[0].page.wait_for_function(
            "!document.querySelector('.studio-header .stage:not(.hidden)')"
        )
        for tab in tabs:  # they go on by themselves
            tab.page.evaluate(BUSY)
        with ThreadPoolExecutor(1) as beside:  # this thread has the loop of the browsers
            result = beside.submit(asyncio.run, load(server.url, here)).result()
        for tab in tabs:
            tab.close()
    print(json.dumps(result))
    assert result["ping_99"] < PING, result
    assert result["verdicts"] > 10, result
    assert result["memory"][-1] - result["memory"][0] < 150, result


async def load(url: str, here: int) -> dict:
    """Eight clients at work beside the browsers; pings, verdicts, and MB at four times."""
    end = time.monotonic() + SECONDS
    pings: list[float] = []
    verdicts: list[str] = []
    memory: list[float] = []

    async def work(client: StudioClient) -> None:
        while time.monotonic() < end:
            verdicts.append(await client.verify())
        await client.leave()

    async def ping(client: StudioClient) -> None:
        while time.monotonic() < end:
            pings.append(await client.ping())
            await asyncio.sleep(0.2)
        await client.leave()

    async def watch() -> None:
        for k in range(4):
            await asyncio.sleep(max(end - time.monotonic() - (3 - k) * SECONDS / 5, 0))
            memory.append(resident(here))

    clients = [StudioClient(url) for _ in range(9)]
    for client in clients:
        await client.come()
    await asyncio.gather(*map(work, clients[:8]), ping(clients[8]), watch())
    pings.sort()
    return {
        "verdicts": len(verdicts), "pings": len(pings), "memory": memory,
        "ping_50": pings[len(pings) // 2], "ping_99": pings[int(0.99 * len(pings))],
        "ping_max": pings[-1],
    }  # fmt: skip
