"""The converter of the shell: its levels, its range, and what simulations get of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.forward.input_schedule import InputSchedule
from erfd.shell.converter import converted
from erfd.shell.history import SimulationRequest, simulate_request
from erfd.shell.session import ShellSession

VALUES = st.lists(st.floats(-30, 30), min_size=2, max_size=2).map(np.array)


@given(VALUES, st.integers(1, 20), st.floats(0.1, 20))
def test_the_nearest_level_within_the_range(values: np.ndarray, bits: int, span: float) -> None:
    given_out = converted(values, bits, np.full(2, span))
    step = 2 * span / 2**bits
    levels = given_out / step
    assert np.abs(levels - np.rint(levels)).max() < 1e-9
    assert (levels >= -(2 ** (bits - 1)) - 1e-9).all()
    assert (levels <= 2 ** (bits - 1) - 1 + 1e-9).all()  # one level less upwards
    inside = np.abs(values) <= span - step
    assert (np.abs(given_out - values)[inside] <= step / 2 * (1 + 1e-9)).all()
    assert converted(given_out, bits, np.full(2, span)) == pytest.approx(given_out, abs=1e-12)


@given(VALUES, st.floats(0.1, 20))
def test_no_bits_no_steps(values: np.ndarray, span: float) -> None:
    assert converted(values, 0, np.full(2, span)) is values


def arm() -> ShellSession:
    return ShellSession("two_link", erfd.load("two_link"))


def test_the_default_is_exact() -> None:
    session = arm()
    session.set("voltage", np.array([1.23456789, -400.0]))
    assert session.values["DACOut"].tolist() == [1.23456789, -400.0]
    limits = [drive.voltage_max for drive in session.robot.drives]
    assert session.values["DACRange"].tolist() == limits
    without = ShellSession("lola15", erfd.load("lola15"))
    assert without.values["DACRange"].tolist() == [d.torque_max for d in without.robot.drives]


def test_variables_of_the_converter() -> None:
    session = arm()
    session.set("DACRange", np.array([10.0, 4.0]))
    session.set("voltage", np.array([1.3, -9.0]))
    assert session.set("DACBits", np.array([3.0])) == ("DACBits", "DACOut")
    assert session.values["DACOut"].tolist() == [2.5, -4.0]
    assert session.values["voltage"].tolist() == [1.3, -9.0]  # what is asked for stays
    assert session.set("DACRange", np.array([5.0, 20.0])) == ("DACRange", "DACOut")
    assert session.values["DACOut"].tolist() == [1.25, -10.0]
    session.set("DACOut", np.array([4.0, 4.0]))  # the converter gives levels alone
    assert session.values["DACOut"].tolist() == [3.75, 5.0]
    assert session.values["voltage"].tolist() == [3.75, 5.0]


@pytest.mark.parametrize(
    ("before", "name", "values", "sentence"),
    [
        ({}, "DACBits", [2.5], "expected a whole number from 0 to 32, found 2.5"),
        ({}, "DACBits", [33], "expected a whole number from 0 to 32, found 33"),
        ({}, "DACRange", [1, 0], "expected numbers above 0, found 0"),
        ({"DACTimePeriod": [0]}, "DACBits", [8], "expected 0, as there is no DAC"),
        ({"DACBits": [8]}, "DACTimePeriod", [0], "expected more than 0, as DACBits is not 0"),
    ],
)
def test_no_such_converter(
    before: dict[str, list[float]], name: str, values: list[float], sentence: str
) -> None:
    session = arm()
    for other, value in before.items():
        session.set(other, np.array(value))
    with pytest.raises(InputError, match=sentence):
        session.set(name, np.array(values))


@pytest.mark.usefixtures("compiled")
def test_simulations_get_levels() -> None:
    """A ramp comes out as a staircase of both: in time by DACTimePeriod, in height by DACBits."""
    session = arm()
    session.set("DACRange", np.array([8.0, 8.0]))
    session.set("DACBits", np.array([4.0]))
    ramp = InputSchedule([0.0, 0.1], [[0.0, 0.0], [5.0, -4.0]], linear=True)
    request = SimulationRequest(
        session.robot, np.zeros(2), np.zeros(2), ramp, 100, 7, None, 0.001, "rk3", "voltage", None,
        session.converted,
    )  # fmt: skip
    made, _ = simulate_request(request, None, int)
    assert made is not None
    held = np.arange(100) // 7 * 7 * 0.001
    assert made.dac[:-1].tolist() == np.rint(np.outer(held, [50.0, -40.0])).tolist()  # steps of 1 V
    assert np.abs(made.run["voltage"][:-1] - made.dac[:-1]).max() < 1e-12


def test_a_saved_session_keeps_its_converter() -> None:
    from erfd.shell.commands.general import script
    from erfd.shell.variables import read_values

    session, again = arm(), arm()
    session.set("DACRange", np.array([10.0, 4.0]))
    session.set("DACBits", np.array([3.0]))
    session.set("voltage", np.array([1.3, -9.0]))
    for line in script(session).splitlines()[1:]:
        name, _, text = line.partition(" = ")
        again.set(name, read_values(name, text, again.robot))
    assert again.values["DACOut"].tolist() == session.values["DACOut"].tolist() == [2.5, -4.0]
    assert again.values["voltage"].tolist() == [1.3, -9.0]
