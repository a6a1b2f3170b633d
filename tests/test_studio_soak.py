"""Nothing grows in the studio: tabs that come, verify, play, compare, watch a robot, and go.

`make soak` sets ERFD_SOAK to 600 s; it needs Chromium.
"""

import json
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from studio_browser import Tab, chromium, needed, studio
from test_monitor_controller import Started, trajectory, write
from test_monitor_soak import children, resident

SECONDS = float(os.environ.get("ERFD_SOAK", "0"))
pytestmark = [needed, pytest.mark.skipif(SECONDS == 0, reason="`make soak` sets ERFD_SOAK")]
GROWTH = 6.0
"""MB from the third quarter to the last, after the allocators have found their size. A tab of which
its page stays is 1.6 MB, one whose run stays or whose robot is compiled anew more; six come in a
quarter of 330 s."""


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
    """Tabs one after the other for ERFD_SOAK seconds: server and workers stay as large."""
    way = write(tmp_path / "slow.csv", trajectory(3.0))
    rows: list[float] = []
    with (
        Started(str(way), "--robot", "lola15", "--loop", "--port", "0") as controller,
        studio(tmp_path, 8471) as server,
        chromium() as browser,
    ):
        kept, start = tmp_path / "erfd" / "runs", time.monotonic()
        while (now := time.monotonic() - start) < SECONDS:
            old = sorted(kept.iterdir())
            for place in old[:-3]:  # else the list of runs would be what grows
                shutil.rmtree(place)
            visit(browser, server.url, controller.url, len(old))
            here = server.process.pid
            rows.append(resident(here) + sum(map(resident, children(here))))
    quarter = len(rows) // 4
    assert quarter > 2, "too short a time"
    early, late = np.median(rows[2 * quarter : 3 * quarter]), np.median(rows[-quarter:])
    print(
        json.dumps({"seconds": now, "tabs": len(rows), "early": early, "late": late, "all": rows})
    )
    assert late - early < GROWTH, rows
