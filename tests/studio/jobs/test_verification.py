"""What a worker does for the page: a verification with signals, in a cell."""

from dataclasses import asdict

import pytest

import erfd
from erfd.cell.reader import load_cell
from erfd.errors import InputError
from erfd.studio.examples import example_cells
from erfd.studio.jobs.verification import work
from erfd.studio.session import Setup
from erfd.verification import verify
from support.studio_jobs import request

WAITING = """program w;
var signal in bool: ready; endvar
seq move ptp joint(mainjoint(20)); wait for ready; move ptp joint(mainjoint(0)); endseq endprogram
"""


def test_signals_come_when_the_schedule_says(tmp_path):
    """The program waits for its signal, and ends later by as much as the signal is later."""
    ends = []
    for time in (2.0, 3.5):
        setup = Setup(signals=f"time,signal,value\n{time},ready,true\n")
        about = work(request(tmp_path, WAITING, setup), lambda part, stage: None)
        assert about["settings"]["signals"] == setup.signals
        ends.append(about["seconds"])
    assert ends[1] - ends[0] == pytest.approx(1.5, abs=1e-9)
    with pytest.raises(erfd.lirl.ProgramError, match="waits for ever"):
        work(request(tmp_path, WAITING, Setup()), lambda part, stage: None)
    wrong = Setup(signals="time,signal,value\n1,raedy,true\n")
    with pytest.raises(InputError, match="'raedy' is no input signal of the program; did you"):
        work(request(tmp_path, WAITING, wrong), lambda part, stage: None)


def test_the_clearance_is_that_of_the_verification(tmp_path):
    """The worker tells what `erfd verify --cell` finds: contacts, and where it was nearest."""
    cell_file = example_cells()["lola15_workshop"]
    program = "program p; seq move ptp joint(mainjoint(90, 30, 20)); endseq endprogram"
    stages = []
    setup = Setup(dt=0.02)
    asked = request(tmp_path, program, setup, cell_file=str(cell_file))
    about = work(asked, lambda part, stage: stages.append((part, stage)))
    cell = load_cell(cell_file)
    found = verify(program, setup.placed(erfd.load("lola15"), cell), dt=0.02, cell=cell)
    assert about["contacts"] == [asdict(contact) for contact in found.contacts]
    near = about["figures"]["clearance"]
    said = f"{1000 * near['distance']:.1f} mm between {near['link']} and {near['thing']}"
    assert found.smallest_clearance == f"{said} at {near['time']:.2f} s"
    assert about["feasible"] == found.feasible
    parts = [part for part, _ in stages]
    assert parts == sorted(parts)
