"""How a thing of an early room shows itself: by name, since what draws comes later in the order.

`Run.plot()` and notebooks need the report, and the report knows runs. Only here does an early room
reach a later one, only to be seen, and only when somebody looks.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from io import BytesIO
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


def shown(figure: Any) -> Any:
    """A Matplotlib figure that a notebook shows, though it was drawn without pyplot."""
    figure._repr_png_ = partial(_png, figure)
    return figure


def _png(figure: Any) -> bytes:
    """The bytes of a figure as a picture."""
    data = BytesIO()
    figure.savefig(data, format="png", dpi=80)
    return data.getvalue()
