"""Diagrams of a run: each can be drawn, and parts add up."""

import numpy as np
import pytest

from erfd.errors import InputError
from erfd.report.curves.curves import DIAGRAMS, available, curves
from erfd.run.columns import OF_CYCLES


@pytest.mark.parametrize("name", DIAGRAMS)
def test_every_diagram_of_a_run_can_be_drawn(hard_run, hard_run_file, name):
    if name not in available(hard_run.data):
        assert name in ("voltage", "current")
        return
    for joints in (None, [0], [1, 4]):
        found = curves(hard_run_file, name, joints=joints, parts=True)
        assert found.values.shape == (len(found.lines), len(hard_run))
        assert np.isfinite(found.values[:, 1:]).all()
        # no cycle ends at row 0: torques and accelerations are not zero there, there are none
        none = [line.of in OF_CYCLES and line.kind != "limit" for line in found.lines]
        assert np.isnan(found.values[:, 0]).tolist() == none
        window = curves(hard_run_file, name, joints=joints, parts=True, first=0.3, last=0.5)
        assert window.t[0] <= 0.3
        assert window.t[-1] >= 0.5
        assert len(window.t) <= 23
        row = int(np.searchsorted(found.t, window.t[3]))
        same = [line.kind != "limit" for line in found.lines]
        np.testing.assert_allclose(
            window.values[same, 3],
            found.values[same, row],
            rtol=1e-12,
            atol=2e-9 * np.nanmax(np.abs(found.values), initial=1.0),  # rounding is drawn as zero
        )


def test_parts_add_up_to_the_torque(hard_run_file):
    found = curves(hard_run_file, "u", joints=[2], given=False, limits=False, parts=True)
    by = {line.of: values for line, values in zip(found.lines, found.values, strict=True)}
    whole = sum(by[f"u_{part}"] for part in ("inertial", "coriolis", "gravity", "external"))
    np.testing.assert_allclose(by["u"], whole, atol=1e-8 * np.nanmax(np.abs(whole)))


def test_diagrams_that_do_not_exist(hard_run_file):
    with pytest.raises(InputError, match="diagram: expected one of"):
        curves(hard_run_file, "x")
    with pytest.raises(InputError, match="joints: expected"):
        curves(hard_run_file, "q", joints=[6])
