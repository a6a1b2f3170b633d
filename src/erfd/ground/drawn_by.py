"""How a thing of an early room shows itself: by name, since what draws comes later in the order.

`Run.plot()` and notebooks need the report, and the report knows runs. Only here does an early room
reach a later one, only to be seen, and only when somebody looks.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

PAINTERS = {
    "Robot": "report.notebook:robot_html",
    "Run": "report.notebook:run_html",
    "Timing": "report.notebook:timing_html",
    "Run.plot": "report.notebook:plot_run",
}
"""What draws what: the module and its function."""


def painter(of: str) -> Any:
    """The function that draws a thing, by its name in `PAINTERS`."""
    module, _, name = PAINTERS[of].partition(":")
    return getattr(import_module(f"erfd.{module}"), name)
