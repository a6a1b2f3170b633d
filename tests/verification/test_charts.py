"""The charts of a verification: units of joints that slide, what is empty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import erfd
from erfd.verification.charts import charts

STANFORD = replace(
    erfd.load("stanford"),
    drives=tuple(erfd.Drive(ratio=50, torque_max=5.0, speed_max=300.0) for _ in range(6)),
)
TEXT = "program p; seq move ptp joint(mainjoint(10, 50, 500)); endseq endprogram"
FOUND = erfd.verify(TEXT, STANFORD, q0=[0.2, 0.9, 0.7, 0.3, 0.8, 0.1])


def test_joints_that_slide_have_charts_of_their_own() -> None:
    made = charts(FOUND)
    units = {
        "joint-torques": ("N m", "N"),
        "accelerations": ("rad/s²", "m/s²"),
        "accelerations-wanted": ("rad/s²", "m/s²"),
        "velocities": ("rad/s", "m/s"),
        "positions": ("rad", "m"),
    }
    for name, (turning, sliding) in units.items():
        assert (made[name].unit, made[f"{name}-sliding"].unit) == (turning, sliding)
        assert list(made[name].names) == [f"joint {i}" for i in (1, 2, 4, 5, 6)]
        assert list(made[f"{name}-sliding"].names) == ["joint 3"]
        assert made[name].values.shape[1] == 5
    assert (made["positions-sliding"].values[:, 0] == FOUND.run["q"][:, 2]).all()
    assert (made["positions"].values == np.delete(FOUND.run["q"], 2, axis=1)).all()
    limits = [joint.velocity_max for joint in STANFORD.joints]
    assert made["velocities-sliding"].limits.tolist() == [limits[2]]
    lola = charts(erfd.verify(TEXT.replace(", 500", ""), erfd.load("lola15")))
    assert not [name for name in lola if name.endswith("-sliding")]
    assert lola["positions"].unit == "rad"


def test_nothing_is_drawn_before_the_first_cycle() -> None:
    """Torques, accelerations and speeds over a cycle; positions there are."""
    for name, chart in charts(FOUND).items():
        empty = np.isnan(chart.values[0])
        states = ("deviation", "motor-speeds", "velocities", "positions")
        assert (not empty.any()) if name.startswith(states) else empty.all(), name
        assert np.isfinite(chart.values[1:]).all()
