"""What is drawn of a run: no row that belongs to no cycle, no rounding."""

import numpy as np

import erfd
from erfd.report.curves.csv_table import csv_pieces
from erfd.report.curves.curves import curves
from erfd.report.curves.drawn import drawn, without_rounding


def test_row_0_of_an_achieved_motion_is_empty_and_that_of_a_simulation_is_not(hard_run) -> None:
    for name in ("u", "qdd", "u_a", "force", "power"):
        values = drawn(hard_run, name)
        assert np.isnan(values[0]).all()
        assert (values[1:] == hard_run[name][1:]).all()
        assert not hard_run[name][0].any()  # the run is as it was
        assert (drawn(hard_run, name, slice(1, 5)) == hard_run[name][1:5]).all()
    assert (drawn(hard_run, "qd") == hard_run["qd"]).all()
    robot = erfd.load("two_link")
    moving = erfd.simulate(robot, [0.3, 0.2], [0, 0], np.zeros(2), steps=5)
    assert not moving["u_a"][0].any()
    assert (drawn(moving, "u_a") == 0).all()
    assert drawn(moving, "u")[0].any()


def test_rounding_is_zero_and_the_rest_as_it_was() -> None:
    large, small = np.array([1e3, -2e-7, np.nan]), np.array([3e-32, 1e-5, -np.inf])
    first, second = without_rounding(large, small)
    np.testing.assert_array_equal(first, [1e3, 0.0, np.nan])
    np.testing.assert_array_equal(second, [0.0, 1e-5, -np.inf])
    (alone,) = without_rounding(np.array([6e-32, 0.0]))
    assert not alone.any()
    (tiny,) = without_rounding(np.array([4e-9, 0.0]))  # the torque of a very small arm
    assert tiny[0] == 4e-9


def test_what_is_empty_is_empty_in_the_table(hard_run) -> None:
    text = "".join(csv_pieces([[curves(hard_run, "u", joints=[0], given=False)]]))
    _, first, second, *_ = text.splitlines()
    assert first == "0.0,"
    assert float(second.split(",")[1]) == hard_run["u"][1, 0]
